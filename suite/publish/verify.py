"""`python -m suite verify minute`: compute published cells again and compare every number.

On the CPU model and versions of the published record the numbers must be identical. Elsewhere
other instructions round otherwise, and a search may pick a neighbouring setting: test q then has
to agree within 0.1, the rank correlation with the true uplift within 0.01.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table

from suite.cli.listing import STYLE
from suite.names import UserError, matching
from suite.plan.experiments import Experiment, experiment
from suite.plan.plan import check_variant
from suite.publish.columns import Published, one_a_cell
from suite.records import Record
from suite.show import terminal as display
from suite.store.rerun import rerun
from suite.store.store import Store

TOLERANCE_Q = 0.1
TOLERANCE_SPEARMAN = 0.01


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; exit code 1 where a number is not reproduced."""
    parser = argparse.ArgumentParser(prog="python -m suite verify", description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--variant")
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="NAME", help="names or globs (default: all)"
    )
    parser.add_argument("--replicates", type=int, metavar="N", help="the first N (default: all)")
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="compare this run's records, compute nothing"
    )
    options = parser.parse_args(arguments)
    try:
        return _verify(options)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _verify(options: argparse.Namespace) -> int:
    chosen = experiment(options.experiment)
    variant = check_variant(chosen, options.variant)
    published = Published().column(chosen.name, variant)
    known = sorted({record.method for record in published.records})
    methods = matching("published method", options.methods, known) or known
    old = {
        (record.method, record.replicate): record
        for record in published.records
        if record.method in methods
        and (options.replicates is None or record.replicate < options.replicates)
    }
    if not old:
        raise UserError(f"nothing is published of {published.folder} that could be verified")
    if options.store:
        run = one_a_cell(Store(options.store).records(published.folder))
        today = [record for record in run if (record.method, record.replicate) in old]
        if len(today) < len(old):
            raise UserError(f"{options.store} has {len(today)} of the {len(old)} published cells")
    else:
        today = _rerun(chosen, variant, old)
    output = display.console()
    table = Table(title=f"{published.folder}: published and today", **STYLE)
    for name in ("method", "replicate", "q_adj published", "today", "result"):
        table.add_column(name, justify="left" if name in ("method", "result") else "right")
    verdicts = []
    for new in today:
        before = old.get((new.method, new.replicate))
        if before is None:
            continue
        verdict = judge(before, new)
        verdicts.append(verdict)
        table.add_row(new.method, str(new.replicate), _q_adj(before), _q_adj(new), verdict)
    output.print(table)
    return int(any(verdict.startswith("NOT") for verdict in verdicts))


def _rerun(
    chosen: Experiment, variant: str | None, cells: Iterable[tuple[str, int]]
) -> list[Record]:
    """Fresh records of `cells` alone: not all methods are published for the same replicates."""
    replicates: dict[str, list[int]] = {}
    for method, replicate in sorted(cells):
        replicates.setdefault(method, []).append(replicate)
    together: dict[tuple[int, ...], list[str]] = {}
    for method, own in replicates.items():
        together.setdefault(tuple(own), []).append(method)
    return [r for own, methods in together.items() for r in rerun(chosen, variant, methods, own)]


def judge(before: Record, today: Record) -> str:
    """Identical, within the tolerance on another machine, or not reproduced."""
    if before.numbers() == today.numbers():
        return "identical"
    if (before.cpu, before.versions) == (today.cpu, today.versions):
        return "NOT REPRODUCED: differs on the same CPU model and versions"
    if not (before.ok and today.ok):
        return f"NOT REPRODUCED: {before.status} then, {today.status} now"
    near = abs(before.test.q - today.test.q) <= TOLERANCE_Q
    if before.truth and today.truth:
        near &= abs(before.truth.spearman - today.truth.spearman) <= TOLERANCE_SPEARMAN
    return (
        "within tolerance (other CPU or versions)" if near else "NOT REPRODUCED: out of tolerance"
    )


def _q_adj(record: Record) -> str:
    return f"{record.test.q_adj:z.4f}" if record.ok else "failed"
