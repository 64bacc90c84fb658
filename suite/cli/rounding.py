"""`python -m suite rounding ONE OTHER`: the same cells in two stores, computed with other rounding.

Writes what the table `rounding` is made of, beside the published records. The two stores must
come from the same code and seeds, computed with different instructions of the processor.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from suite.compare.frame import frame
from suite.compare.rounding import FILE, Twice, pair_up, write
from suite.compare.runs import Run
from suite.publish.columns import PUBLISHED, columns
from suite.store.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite rounding", description=__doc__)
    parser.add_argument("one", type=Path, help="a store of records")
    parser.add_argument("other", type=Path, help="a store of the same cells, rounded otherwise")
    options = parser.parse_args(arguments)
    for path in (options.one, options.other):
        if not path.is_dir():
            parser.error(f"{path} is no directory; give the two stores of records")
    cells = collect(options.one, options.other)
    if not cells:
        parser.error(f"{options.one} and {options.other} have no cell in common")
    path = PUBLISHED.parent / FILE
    write(path, cells)
    print(f"{len(cells)} cells in common; {path}")
    return 0


def collect(one: Path, other: Path) -> list[Twice]:
    """The common cells of two stores, experiment by experiment."""
    found: list[Twice] = []
    for experiment, variant in columns():
        folder = experiment.column(variant)
        found += pair_up(folder, _runs(one, folder), _runs(other, folder))
    return found


def _runs(root: Path, folder: str) -> dict[tuple[str, int], Run]:
    runs = frame(Store(root).records(folder), planned=0).every_run
    return {(run.method, run.replicate): run for run in runs}
