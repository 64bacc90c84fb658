"""`python -m suite publish`: merge finished cells of a run into `results/records/`.

Idempotent, at any time, also while the run goes on. Cells of a quick run, of uncommitted code or
of a user's own method stay out, and are counted.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import baselines
from suite.compute import environment
from suite.compute.cell import cell_digest
from suite.names import UserError
from suite.publish.columns import PUBLISHED, Column, Published, columns, current_keys, one_a_cell
from suite.records import Record
from suite.store.rerun import rerun
from suite.store.store import DEFAULT, Store, StoreError, write_records


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite publish", description=__doc__)
    parser.add_argument("--store", type=Path, default=DEFAULT, help="(default: runs)")
    parser.add_argument(
        "--reattest",
        action="store_true",
        help="rerun one stale cell of each method; renew its digest if numbers are identical",
    )
    options = parser.parse_args(arguments)
    try:
        with Store(PUBLISHED).writing():
            # A line as each method ends: to attest a whole table takes an hour and more.
            for message in reattest() if options.reattest else publish(Store(options.store)):
                print(message, flush=True)
    except (UserError, StoreError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def publish(store: Store, root: Path = PUBLISHED) -> list[str]:
    """Merge what `store` has; says what came in and what stayed out."""
    if not store.root.is_dir():
        raise UserError(f"no store at {store.root}; run an experiment first, or give --store DIR")
    refused: Counter[str] = Counter()
    messages = []
    for experiment, variant in columns():
        folder = experiment.folder(variant, quick=False)
        offered = []
        for record in store.records(folder):
            reason = _refusal(record)
            if reason:
                refused[f"{folder}: {reason}"] += 1
            else:
                offered.append(record)
        before = Published(root).column(experiment.name, variant)
        added = _merge(before, offered, root)
        if added:
            messages.append(f"{folder}: {added} cells published")
        quick = len(store.records(experiment.folder(variant, quick=True)))
        if quick:
            refused[f"{folder}: a quick run is not comparable"] = quick
    messages += [f"refused {count}: {reason}" for reason, count in sorted(refused.items())]
    return messages or ["nothing new"]


def _refusal(record: Record) -> str | None:
    if record.commit is None:
        return "made outside a git checkout, so that no commit holds its code"
    if record.dirty:
        return "made with uncommitted code; commit, then run again"
    if record.method not in baselines.methods():
        return f"{record.method} is not a method of the project"
    return None


def _merge(before: Column, offered: Iterable[Record], root: Path) -> int:
    """Write the union; of two records of one cell today's, then the successful, then the newer."""
    offered = list(offered)
    keys = current_keys(before.experiment, before.variant, [*before.records, *offered])

    def worth(record: Record) -> tuple[bool, bool, str]:
        current = keys.get((record.method, record.replicate)) == record.key
        return current, record.ok, record.finished or ""

    known = {record.key: record for record in before.records}
    # A published record stays as it is: the same cell computed again adds nothing.
    new = [record for record in offered if record.key not in known or not known[record.key].ok]
    merged = one_a_cell(sorted([*before.records, *new], key=worth))
    return _write(root, before.folder, before.records, merged)


def _write(root: Path, folder: str, before: Iterable[Record], after: list[Record]) -> int:
    for method in sorted({record.method for record in after}):
        lines = [record for record in after if record.method == method]
        write_records(root / folder / f"{method}.jsonl", lines)
    return len(set(map(Record.line, after)) - set(map(Record.line, before)))


def reattest(root: Path = PUBLISHED) -> Iterator[str]:
    """Renew the digests of stale records where today's code gives the numbers of one of them.

    Records of one method that the same change of code made stale stand and fall together: the
    first of them is run again. Real data have sizes of their own, and with them code that no other
    column runs, so every column of theirs is a group; the scenarios are one.
    """
    commit, dirty = environment.git_state()
    if commit is None or dirty:
        raise UserError("--reattest needs a clean git checkout: the commit must hold today's code")
    found = [Published(root).column(experiment.name, variant) for experiment, variant in columns()]
    groups: dict[tuple[str, ...], list[Stale]] = {}
    for column in found:
        for record in column.stale:
            if record.method not in baselines.methods():
                where = f"{column.folder} {record.method}, replicate {record.replicate}"
                yield f"{where}: no longer a method of the project; stays stale"
                continue
            stale = Stale(column, record)
            groups.setdefault(stale.group, []).append(stale)
    runs: dict[tuple[str, int], list[list[Stale]]] = {}
    for group in groups.values():
        runs.setdefault((group[0].column.folder, group[0].record.replicate), []).append(group)
    for together in runs.values():  # cells of one replicate share what they build on
        column, first = together[0][0].column, together[0][0].record
        methods = [group[0].record.method for group in together]
        today = rerun(column.experiment, column.variant, methods, [first.replicate])
        by_method = {record.method: record for record in today}
        for group in together:
            yield _renew(group, by_method[group[0].record.method], commit, root)
    if not groups:
        yield "nothing is stale"


@dataclass(frozen=True)
class Stale:
    """A stale record and its column."""

    column: Column
    record: Record

    @property
    def digest(self) -> str:
        """Today's digest of its cell."""
        return cell_digest(
            baselines.method(self.record.method), self.column.experiment.source, None
        )

    @property
    def group(self) -> tuple[str, ...]:
        """What it has in common with the records that one rerun attests."""
        parts = zip(self.record.digest.split("-"), self.digest.split("-"), strict=True)
        changed = [old if old != today else "" for old, today in parts]
        own_data = not self.column.experiment.has_variants or changed[1]  # method, data, measures
        return self.record.method, *changed, self.column.folder if own_data else ""


def _renew(group: list[Stale], today: Record, commit: str, root: Path) -> str:
    """Give every record of `group` today's key and digest if its first has `today`'s numbers."""
    first = group[0]
    where = f"{first.column.folder} {first.record.method}, replicate {first.record.replicate}"
    if first.record.ok and not today.ok:
        reason = today.error.splitlines()[-1]
        return f"{where}: cannot be computed now, {len(group)} records stay stale: {reason}"
    if today.numbers() != first.record.numbers():
        return f"{where}: differs today; {len(group)} records stay stale until run again"
    attested = {
        "commit": commit,
        "experiment": first.column.folder,
        "replicate": first.record.replicate,
    }
    for column in {id(stale.column): stale.column for stale in group}.values():
        own = {stale.record.replicate: stale for stale in group if stale.column is column}
        keys = current_keys(column.experiment, column.variant, column.of(first.record.method))
        records = [
            replace(
                record,
                key=keys[record.method, record.replicate],
                digest=own[record.replicate].digest,
                attested=attested,
            )
            if record.replicate in own
            else record
            for record in column.of(first.record.method)
        ]
        write_records(root / column.folder / f"{first.record.method}.jsonl", records)
    return f"{where}: identical today; {len(group)} records renewed"
