"""`python -m suite tables`: render the published records into `results/`, or `--check`."""

import argparse
import sys
from collections.abc import Sequence

from suite.cli import reported
from suite.publish.columns import PUBLISHED, Published
from suite.show.findings import front_page
from suite.show.rendered import FRONT, TABLES, check, check_front, stale, write


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
    problems = published.problems()
    if options.check:
        problems += check(published, TABLES) + check_front(published, FRONT)
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
    changed = write(published, TABLES)
    FRONT.write_text(front_page(published))
    print(f"{TABLES}: {changed} files changed; {FRONT}")
    return 0
