"""`python -m suite site`: render the published records and the docs as a static site."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from suite.names import UserError
from suite.plan.digest import ROOT
from suite.site.build import SiteProblem, build
from suite.site.ground import Ground


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite site", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        count = build(options.out, Ground())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except SiteProblem as problem:
        print(f"the pages do not hold together:\n{problem}", file=sys.stderr)
        return 1
    print(f"{count} pages: open {options.out / 'index.html'}")
    return 0
