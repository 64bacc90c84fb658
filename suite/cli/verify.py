"""`python -m suite verify minute`: compute published numbers again and compare them."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from suite.cli import FAILURES, reported
from suite.cli.listing import STYLE
from suite.names import UserError, matching
from suite.plan.experiments import experiment
from suite.plan.plan import check_variant
from suite.publish.columns import Column, Published, one_per_cell
from suite.publish.recompute import recompute
from suite.publish.verify import judge
from suite.show import terminal
from suite.store.record import Record
from suite.store.store import Store


@reported
def main(words: Sequence[str] | None = None) -> int:
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
    options = parser.parse_args(words)
    chosen = experiment(options.experiment)
    column = Published().column(chosen.name, check_variant(chosen, options.variant))
    known = sorted({record.method for record in column.records})
    methods = matching("published method", options.methods, known) or known
    most = options.replicates
    old = [r for r in column.records if r.method in methods and (not most or r.replicate < most)]
    if not old:
        raise UserError(f"nothing is published of {column.name} that could be verified")
    return _show(column, old, _today(column, old, options.store))


def _today(column: Column, old: list[Record], store: Path | None) -> dict[tuple, Record]:
    """The same cells by today's code: from a run's store, or computed now."""
    if store is None:
        records = recompute(column, old)
    else:
        keys = {column.today(record).key for record in old if column.today(record)}
        records = [record for record in Store(store).records(column.name) if record.key in keys]
        if len(one_per_cell(records)) < len(old):
            raise UserError(
                f"{store} has {len(records)} of the {len(old)} published cells by today's code; "
                "run the experiment into it first"
            )
    return {(record.method, record.replicate): record for record in records}


def _show(column: Column, old: list[Record], today: dict[tuple, Record]) -> int:
    table = Table(title=f"{column.name}: published and today", **STYLE)
    for name in ("method", "replicate", "q_adj published", "today", "result"):
        table.add_column(name, justify="left" if name in ("method", "result") else "right")
    verdicts = []
    for before in old:
        new = today[before.method, before.replicate]
        verdict = judge(before, new)
        verdicts.append(verdict)
        numbers = (f"{r.test.q_adj:.4f}" if r.ok else "failed" for r in (before, new))
        style = "" if verdict.holds else "bold red"
        table.add_row(before.method, str(before.replicate), *numbers, verdict.said, style=style)
    terminal.console().print(table)
    return 0 if all(verdict.holds for verdict in verdicts) else FAILURES
