"""`python -m suite attest`: run one stale cell of each method; note where nothing changed."""

import argparse
from collections.abc import Sequence

from suite.cli import reported
from suite.publish.attest import attest
from suite.publish.columns import PUBLISHED
from suite.store.store import Store


@reported
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line."""
    argparse.ArgumentParser(prog="python -m suite attest", description=__doc__).parse_args(words)
    with Store(PUBLISHED).writing():
        for message in attest():
            print(message, flush=True)
    return 0
