"""Attest: compute one stale cell of each method again, and note where nothing changed.

Records of one method that the same change of code made stale stand and fall together: the
cheapest of those with the most rows is run again. All scenarios are one state of code; a real data
set has its own. Records of older states that were attested before follow without a run of their
own.
"""

from collections.abc import Iterator
from pathlib import Path

from suite.compute import environment
from suite.names import UserError
from suite.publish import attested
from suite.publish.attested import Attestation
from suite.publish.columns import PUBLISHED, Column, Published, every_column
from suite.publish.recompute import recompute
from suite.store.record import Record


def attest(root: Path = PUBLISHED, file: Path = attested.FILE) -> Iterator[str]:
    """Run one cell of every stale group; a line for each as it ends."""
    commit, dirty = environment.git_state()
    if commit is None or dirty:
        raise UserError("attesting needs a clean git checkout: the commit must hold today's code")
    known = attested.Attested(attested.read(file))
    published = Published(root, known)
    found = [published.column(experiment.name, variant) for experiment, variant in every_column()]
    groups: dict[tuple, list[tuple[Column, Record]]] = {}
    for column in found:
        for record in column.stale:
            today = column.today(record)
            if today is None:
                where = f"{column.name} {record.method}, replicate {record.replicate}"
                yield f"{where}: no longer a method of the project; stays stale"
            elif record.ok:
                key = (record.method, record.basis.code, today.basis.code)
                groups.setdefault(key, []).append((column, record))
    # First the states that older ones are known to equal.
    order = sorted(groups, key=lambda key: -sum(known.equal(m, o, key[1]) for m, o, _ in groups))
    for method, old, new in order:
        group = groups[method, old, new]
        if known.equal(method, old, new):
            yield f"{method}: {len(group)} older records follow"
            continue
        column, record = min(group, key=lambda item: _effort(item[1]))
        rerun = {r.method: r for r in recompute(column, [record], jobs=1)[0]}[method]
        where = f"{column.name} {method}, replicate {record.replicate}"
        if not rerun.ok:
            reason = rerun.error.splitlines()[-1]
            yield f"{where}: cannot be computed now, {len(group)} records stay stale: {reason}"
        elif rerun.numbers() != record.numbers():
            yield f"{where}: differs today; {len(group)} records stay stale until run again"
        else:
            place = (column.name, record.replicate, record.key)
            arithmetic = rerun.origin.arithmetic
            equal = Attestation(method, old, new, *place, commit, arithmetic)
            attested.add(equal, file)
            known.add(equal)
            yield f"{where}: identical today; {len(group)} records attested"
    if not groups:
        yield "nothing is stale"


def _effort(record: Record) -> tuple[int, float]:
    """Most rows first, then the least time."""
    return -sum(record.result.rows.values()), record.cost.total_seconds
