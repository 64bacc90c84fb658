"""`python -m suite.publish`: merge finished cells of a run into `results/records/`.

Idempotent, at any time, also while the run goes on. Cells of a quick run, of uncommitted code or
of a user's own method stay out, and are counted.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import baselines
from suite import environment
from suite.names import UserError
from suite.published import PUBLISHED, Column, Published, columns, current_keys, one_a_cell
from suite.records import Record
from suite.rerun import rerun
from suite.store import DEFAULT, Store, StoreError, write_records


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite.publish", description=__doc__)
    parser.add_argument("--store", type=Path, default=DEFAULT, help="(default: runs)")
    parser.add_argument(
        "--reattest",
        action="store_true",
        help="rerun a replicate of each stale method; renew its digest if numbers are identical",
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
    """Renew the digests of stale methods whose first replicate gives identical numbers today."""
    commit, dirty = environment.git_state()
    if commit is None or dirty:
        raise UserError("--reattest needs a clean git checkout: the commit must hold today's code")
    stale = False
    for experiment, variant in columns():
        published = Published(root).column(experiment.name, variant)
        groups: dict[tuple[str, str], list[Record]] = {}
        for record in published.stale:
            groups.setdefault((record.method, record.digest), []).append(record)
        for (method, _), records in sorted(groups.items()):
            stale = True
            yield _reattest(published, method, records, commit, root)
    if not stale:
        yield "nothing is stale"


def _reattest(published: Column, method: str, stale: list[Record], commit: str, root: Path) -> str:
    """Rerun the first of `stale`, which one digest made; renew them all if it is identical."""
    where = f"{published.folder} {method}, replicate {stale[0].replicate}"
    if method not in baselines.methods():
        return f"{where}: no longer a method of the project; stays stale"
    today = rerun(published.experiment, published.variant, [method], [stale[0].replicate])[0]
    if today.numbers() != stale[0].numbers():
        return f"{where}: differs today; stays stale until it is run again and published"
    keys = current_keys(published.experiment, published.variant, stale)
    attested = {"commit": commit, "replicate": stale[0].replicate}
    renewed = {
        record.replicate: replace(
            record, key=keys[method, record.replicate], digest=today.digest, attested=attested
        )
        for record in stale
    }
    path = root / published.folder / f"{method}.jsonl"
    write_records(path, [renewed.get(record.replicate, record) for record in published.of(method)])
    return f"{where}: identical today; {len(renewed)} records renewed"


if __name__ == "__main__":
    sys.exit(main())
