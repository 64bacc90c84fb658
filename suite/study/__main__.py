"""python -m suite study: render the report of what `python -m suite.run study` computed."""

import argparse
from collections.abc import Sequence

from suite.cli import reported
from suite.plan.digest import ROOT
from suite.study.report import render
from suite.study.units import units

PAGE = ROOT / "results" / "study" / "study.md"


@reported
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    argparse.ArgumentParser(prog="python -m suite study", description=__doc__).parse_args(arguments)
    PAGE.write_text(render(units()))
    print(f"report in {PAGE}")
    return 0
