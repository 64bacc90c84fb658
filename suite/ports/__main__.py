"""python -m suite ports: the tables of docs/baselines.md from what `suite.run ports` computed."""

import argparse
from collections.abc import Sequence

from suite.cli import reported
from suite.ports.report import PAGE, page
from suite.ports.units import units


@reported
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    argparse.ArgumentParser(prog="python -m suite ports", description=__doc__).parse_args(arguments)
    PAGE.write_text(page(PAGE.read_text(), units()))
    print(f"tables in {PAGE}")
    return 0
