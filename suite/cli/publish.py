"""`python -m suite publish`: merge finished cells of a run into results/records."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from suite.cli import reported
from suite.publish.columns import PUBLISHED
from suite.publish.merge import publish
from suite.publish.predictions import publish_predictions
from suite.store.store import DEFAULT, Store


@reported
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite publish", description=__doc__)
    parser.add_argument("--store", type=Path, default=DEFAULT, help="(default: runs)")
    options = parser.parse_args(words)
    with Store(PUBLISHED).writing():
        for message in publish(Store(options.store)):
            print(message, flush=True)
        for message in publish_predictions(Store(options.store)):
            print(message, flush=True)
    return 0
