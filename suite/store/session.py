"""A run: hand the cells of a plan to a pool, keep every outcome, tell who watches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from numpy.typing import NDArray

from suite.compute import environment
from suite.compute.cell import handed_on
from suite.compute.local import Pool
from suite.compute.outcome import Outcome, failure
from suite.plan.cell import Planned
from suite.plan.plan import Plan
from suite.store.record import Origin, Record


class Watcher(Protocol):
    """Who is told how the run goes."""

    def tick(self, progress: "Progress", running: list[tuple[Planned, float]]) -> None: ...
    def ended(self, progress: "Progress", record: Record) -> None: ...


@dataclass
class Progress:
    """The plan's cells by key: recorded already, or still to do."""

    plan: Plan
    records: dict[str, Record] = field(default_factory=dict)
    to_do: list[Planned] = field(default_factory=list)
    resumed: int = 0  # how many were recorded before this run

    @property
    def total(self) -> int:
        return len({cell.key for cell in self.plan.cells})

    def plan_records(self) -> list[Record]:
        """The records of the plan's own cells."""
        keys = {cell.key for cell in self.plan.cells}
        return [record for key, record in self.records.items() if key in keys]


def prepare(
    plan: Plan, recorded: Mapping[str, Record], *, retry_failed: bool = False, fresh: bool = False
) -> Progress:
    """What of the plan is recorded (by key) and what is to be computed."""
    progress = Progress(plan)
    for cell in plan.cells:
        record = None if fresh else recorded.get(cell.key)
        if record is not None and (record.ok or not retry_failed):
            progress.records[cell.key] = record
        else:
            progress.to_do.append(cell)
    progress.resumed = len(progress.records)
    return progress


class Keeper(Protocol):
    """Who keeps what was computed: a store's `Writer`, or a memory."""

    def append(self, record: Record, arrays: Mapping[str, NDArray]) -> None: ...


def execute(progress: Progress, pool: Pool, writer: Keeper, watcher: Watcher) -> None:
    """Compute what is to do; returns when every cell has its record."""
    commit, dirty = environment.git_state()
    waiting = list(progress.to_do)
    cells = {cell.key: cell for cell in waiting}

    def keep(cell: Planned, outcome: Outcome) -> None:
        record = record_of(cell, outcome, commit, dirty)
        writer.append(record, outcome.arrays)
        progress.records[cell.key] = record
        progress.to_do.remove(cell)
        watcher.ended(progress, record)

    while progress.to_do:
        for cell in _ready(waiting, progress, pool.free()):
            waiting.remove(cell)
            upstream = progress.records[cell.upstream.key] if cell.upstream else None
            if upstream is not None and not upstream.ok:
                keep(cell, failure(f"it starts from {upstream.method}, which failed", 0.0))
            else:
                pool.submit(cell, upstream and handed_on(upstream.result))
        if pool.running():
            for key, outcome in pool.finished():
                keep(cells[key], outcome)
        watcher.tick(progress, [(cells[key], since) for key, since in pool.running().items()])


def record_of(cell: Planned, outcome: Outcome, commit: str | None, dirty: bool | None) -> Record:
    """The record of an outcome, as a later run reads it back."""
    machine = outcome.machine
    origin = Origin(
        commit=commit,
        dirty=dirty,
        versions=machine.versions,
        cpu=machine.cpu,
        arithmetic=machine.arithmetic,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        warnings=outcome.warnings,
    )
    came = (outcome.result, outcome.error, outcome.cost)
    record = Record(cell.key, cell.cell, cell.basis, *came, origin, outcome.readings)
    return Record.parse(record.line())


def _ready(waiting: Sequence[Planned], progress: Progress, count: int) -> Iterable[Planned]:
    """The next cells in the plan's order whose upstream cell is recorded."""
    ready = []
    for cell in waiting:
        if len(ready) >= count:
            break
        if cell.upstream is None or cell.upstream.key in progress.records:
            ready.append(cell)
    return ready
