"""`python -m suite verify minute`: compute published numbers again and compare them.

With --predictions nothing is fitted: kept predictions are scored again. With --sample 3% the cells
are drawn from all that are published, by a digest of the records.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from suite.cli import FAILURES, reported
from suite.cli.arguments import share
from suite.cli.listing import STYLE, how_to_get, unavailable
from suite.names import UserError, matching
from suite.plan.experiments import experiment
from suite.plan.plan import check_variant
from suite.publish import sample
from suite.publish.audit import audit, kept_arrays, rows_of
from suite.publish.columns import PUBLISHED, Column, Published, one_per_cell
from suite.publish.predictions import published_prediction
from suite.publish.recompute import Predictions, recompute
from suite.publish.sample import draw
from suite.publish.verify import judge
from suite.show import terminal
from suite.store.record import Record
from suite.store.store import Store
from suite.words import count


@reported
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; exit code 1 where a number is not reproduced."""
    parser = argparse.ArgumentParser(prog="python -m suite verify", description=__doc__)
    parser.add_argument("experiment", nargs="?")
    parser.add_argument("--variant")
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="NAME", help="names or globs (default: all)"
    )
    parser.add_argument("--replicates", type=int, metavar="N", help="the first N (default: all)")
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="compare this run's records, compute nothing"
    )
    parser.add_argument(
        "--predictions",
        type=Path,
        metavar="DIR",
        help="fit nothing: score what this run predicted again, for its records and the published",
    )
    parser.add_argument("--sample", type=share, metavar="3%", help="a share of everything")
    parser.add_argument(
        "--list",
        action="store_true",
        help="with --sample: only write the list",
    )
    options = parser.parse_args(words)
    if options.sample is not None:
        return _sample(options)
    if options.experiment is None:
        raise UserError("say which experiment, or --sample 3% for a share of everything")
    chosen = experiment(options.experiment)
    column = Published().column(chosen.name, check_variant(chosen, options.variant))
    records = list(column.records)
    if options.predictions:
        records += Store(options.predictions).records(column.name)
    known = sorted({record.method for record in records})
    methods = matching("recorded method", options.methods, known) or known
    end = chosen.first + (options.replicates or sys.maxsize)
    wanted = [r for r in records if r.method in methods and r.replicate < end]
    if not wanted:
        raise UserError(f"nothing is recorded of {column.name} that could be verified")
    if options.predictions:
        return _show_audit(column.name, wanted, options.predictions)
    return FAILURES if _show(column, wanted, options.store).failed else 0


def _sample(options: argparse.Namespace) -> int:
    """Verify what is drawn; the list is written as columns end, so that nothing is lost."""
    if options.experiment or options.methods or options.replicates or options.predictions:
        raise UserError("--sample draws from all published cells; give it alone, or with --store")
    drawn = draw(Published(), options.sample)
    print(f"{len(drawn)} of {count(drawn.total, 'cell')}, drawn by records {drawn.seed[:16]}")
    said: dict[tuple, str] = {}
    if options.list:
        print("\n".join("  ".join(map(str, line[:3])) for line in drawn.lines()))
    failed = 0
    for column, records in () if options.list else drawn.columns:
        if options.store is None and (reason := unavailable(column.experiment)):
            print(f"{column.name} is left out, its data are not here: {how_to_get(reason)}")
            continue
        shown = _show(column, list(records), options.store)
        said |= shown.said
        failed += shown.failed
        sample.write(drawn, said)
    sample.write(drawn, said)
    print(f"the list is in {sample.FILE}")
    return FAILURES if failed else 0


def _show_audit(title: str, records: list[Record], root: Path) -> int:
    table = _table(f"{title}: records and the predictions of {root}", "q_adj recorded")
    wrong = without = 0
    for record in sorted((r for r in records if r.ok), key=lambda r: (r.replicate, r.method)):
        arrays = kept_arrays(root, record)
        if arrays is None:
            without += 1
            continue
        found = audit(record, arrays, rows_of(record))
        wrong += bool(found)
        said = f"DOES NOT FOLLOW: {found[0]}" if found else "follows from its predictions"
        cells = record.method, str(record.replicate), f"{record.test.q_adj:.4f}", said
        table.add_row(*cells, style="bold red" if found else "")
    if not table.row_count:
        raise UserError(f"{root} keeps no predictions of a record of {title}")
    terminal.console().print(table)
    if without:
        print(f"{count(without, 'record')} without predictions there: not looked at")
    return FAILURES if wrong else 0


def _today(
    column: Column, old: list[Record], store: Path | None
) -> tuple[dict[tuple, Record], Predictions]:
    """The same cells by today's code, from a run's store or computed now, and their predictions."""
    if store is None:
        records, predictions = recompute(column, old)
    else:
        keys = {column.today(record).key for record in old if column.today(record)}
        records = [record for record in Store(store).records(column.name) if record.key in keys]
        if len(one_per_cell(records)) < len(old):
            raise UserError(
                f"{store} has {len(records)} of the {len(old)} published cells by today's code; "
                "run the experiment into it first"
            )
        kept = {record.key: kept_arrays(store, record) for record in records}
        predictions = {key: arrays["test"] for key, arrays in kept.items() if arrays}
    return {(record.method, record.replicate): record for record in records}, predictions


class Shown(NamedTuple):
    """What was said of each cell, and how many did not hold."""

    said: dict[tuple[str, str, int], str]
    failed: int


def _show(column: Column, old: list[Record], store: Path | None) -> Shown:
    today, predictions = _today(column, old, store)
    table = _table(f"{column.name}: published and today", "q_adj published", "today")
    said, failed = {}, 0
    for before in old:
        new = today[before.method, before.replicate]
        pair = published_prediction(PUBLISHED, before), predictions.get(new.key)
        verdict = judge(before, new, None if pair[0] is None or pair[1] is None else pair)
        said[column.name, before.method, before.replicate] = verdict.said
        failed += not verdict.holds
        numbers = (f"{r.test.q_adj:.4f}" if r.ok else "failed" for r in (before, new))
        style = "" if verdict.holds else "bold red"
        table.add_row(before.method, str(before.replicate), *numbers, verdict.said, style=style)
    terminal.console().print(table)
    return Shown(said, failed)


def _table(title: str, *numbers: str) -> Table:
    table = Table(title=title, **STYLE)
    for name in ("method", "replicate", *numbers, "result"):
        table.add_column(name, justify="left" if name in ("method", "result") else "right")
    return table
