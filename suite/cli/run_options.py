"""The options of `python -m suite.run`."""

import argparse
from pathlib import Path

from suite.cli import arguments
from suite.plan.experiments import VARIANTS
from suite.store.store import DEFAULT


def parser() -> argparse.ArgumentParser:
    """What a person may say."""
    options = argparse.ArgumentParser(
        prog="python -m suite.run",
        description="Run an experiment and show its table beside the paper's numbers.",
    )
    add = options.add_argument
    add(
        "experiment",
        nargs="?",
        help="an experiment, `paper` (all that the paper has), or `list`; none with --data",
    )
    add("--data", type=Path, metavar="FILE", help="your own data set; see python -m datasets new")
    add(
        "--replicates",
        type=arguments.replicates,
        metavar="N|A-B",
        help="how many, or which (default: the experiment's)",
    )
    add("--methods", nargs="+", default=[], metavar="NAME", help="names or globs (default: all)")
    add("--method", action="append", default=[], type=Path, metavar="FILE", help="your own method")
    add("--variant", help=f"of the scenarios: {', '.join(VARIANTS)}")
    add("--jobs", type=arguments.positive_int, help="cells at a time (default: all cores)")
    add("--dask", metavar="ADDRESS", help="compute on a dask cluster instead")
    add("--quick", action="store_true", help="small data, small grids: a quick look only")
    add("--dry-run", action="store_true", help="show the plan and its cost")
    add(
        "--timeout",
        type=arguments.seconds,
        default=4 * 3600.0,
        metavar="TIME",
        help="of one cell: 90s, 20m, 4h",
    )
    add("--memory", type=arguments.megabytes, metavar="SIZE", help="of one cell: 800M, 6G")
    add("--retry-failed", action="store_true", help="compute failed cells again")
    add("--fresh", action="store_true", help="compute all cells again")
    add(
        "--reuse",
        action="store_true",
        help="take published cells of today's code (done without asking beside --method)",
    )
    add("--store", type=Path, default=DEFAULT, metavar="DIR", help="(default: runs)")
    return options
