"""What a person types. Nothing is decided here."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps

FAILURES, MISUSE, INTERRUPTED = 1, 2, 130

Main = Callable[[Sequence[str] | None], int]


def reported(main: Main) -> Main:
    """Mistakes of the person at the keyboard as one sentence, exit code 2; Ctrl-C as 130."""

    @wraps(main)
    def run(arguments: Sequence[str] | None = None) -> int:
        from datasets.files import DataFileError
        from suite.names import UserError
        from suite.publish.attested import BrokenAttestation
        from suite.store.disk import StoreError

        try:
            return main(arguments)
        except KeyboardInterrupt:
            return INTERRUPTED
        except (UserError, StoreError, DataFileError, BrokenAttestation) as error:
            print(f"error: {error}", file=sys.stderr)
            return MISUSE

    return run
