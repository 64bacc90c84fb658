"""How a verb on campaign files ends: exit codes, errors in one or two lines, never a traceback."""

import argparse
import errno
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from suite.campaign.errors import CampaignError, UserError

DONE, A_METHOD_FAILED, MISTAKE, INTERRUPTED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """Mistakes of the command are errors like all others."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see --help")


def guarded(
    verb: Callable[[argparse.Namespace], int],
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
) -> int:
    """The exit code of `verb`; errors are said on stderr."""
    options = argparse.Namespace()
    try:
        parser.parse_args(arguments, options)
        return verb(options)
    except CampaignError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("interrupted; what was computed is kept, the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of stdout has seen enough
        sys.stderr.close()
        return DONE
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = getattr(options, "out", None) or "the output"
            text = f"cannot write {where} (no space left); "
            text += "what was computed is kept, the same command goes on"
        else:
            text = f"{error.filename or 'a file'}: {error.strerror or error}"
        print(f"error: {text}", file=sys.stderr)
        return MISTAKE
