"""`python -m suite tables`: render the published records into `results/`, or `--check`."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from suite.cli import reported
from suite.perf.peers import table as peers
from suite.publish import predictions
from suite.publish.columns import PUBLISHED, Published
from suite.show.rendered import RESULTS, check, stale, write
from suite.study.report import render
from suite.study.units import units


@reported
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite tables", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 on a difference"
    )
    parser.add_argument(
        "--strict", action="store_true", help="with --check: stale records fail too"
    )
    options = parser.parse_args(arguments)
    if options.strict and not options.check:
        parser.error("--strict goes with --check")
    published = Published(PUBLISHED)
    problems = published.problems() + predictions.problems(published)
    if options.check:
        problems += check(published, RESULTS, other_pages(RESULTS))
        old = stale(published)
        problems += old if options.strict else []
        for line in () if options.strict else old:
            print(f"note: {line}")
        for line in problems:
            print(f"problem: {line}", file=sys.stderr)
        print(f"{len(problems)} problems" if problems else "tables and records agree")
        return 1 if problems else 0
    if problems:
        print("\n".join(f"problem: {line}" for line in problems), file=sys.stderr)
        print("nothing rendered: restore these records first", file=sys.stderr)
        return 1
    changed = write(published, RESULTS, other_pages(RESULTS))
    print(f"{changed} files changed; what was found stands in {RESULTS / 'README.md'}")
    return 0


def other_pages(folder: Path) -> dict[str, str]:
    """The pages of side experiments that are there, from their own files."""
    pages = {}
    if (folder / "study").is_dir():
        pages["study/study.md"] = render(units(folder))
    measured = folder / "perf" / "peers.json"
    if measured.is_file():
        origin = json.loads(measured.read_text())["origin"]
        pages["perf/peers.md"] = peers.markdown(peers.read(measured.parent), origin)
    return pages
