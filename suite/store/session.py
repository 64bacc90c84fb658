"""A run: award the cells of a plan to a pool, write every outcome to the store, show it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from suite.compute import environment
from suite.compute.cell import Outcome, Task, failure
from suite.plan.plan import Cell, Plan
from suite.records import Record
from suite.store.store import Writer


class Pool(Protocol):
    """Where cells are computed: this machine or a cluster."""

    place: str
    jobs: int

    def free(self) -> int: ...
    def running(self) -> dict[str, float]: ...
    def submit(self, task: Task) -> None: ...
    def finished(self) -> list[tuple[str, Outcome]]: ...


class Watcher(Protocol):
    """Who is told how the run goes."""

    def tick(self, progress: "Progress", running: list[tuple[Cell, float]]) -> None: ...
    def ended(self, progress: "Progress", record: Record) -> None: ...


@dataclass
class Progress:
    """The plan's cells by key: recorded already, or still to do."""

    plan: Plan
    records: dict[str, Record] = field(default_factory=dict)
    to_do: list[Cell] = field(default_factory=list)
    resumed: int = 0  # how many were recorded before this run

    @property
    def total(self) -> int:
        return len({cell.key for cell in self.plan.cells})

    def plan_records(self) -> list[Record]:
        """The records of the plan's own cells."""
        keys = {cell.key for cell in self.plan.cells}
        return [record for key, record in self.records.items() if key in keys]


def prepare(
    plan: Plan, recorded: Iterable[Record], *, retry_failed: bool = False, fresh: bool = False
) -> Progress:
    """What of the plan is recorded and what is to be computed."""
    progress = Progress(plan)
    known = {} if fresh else {record.key: record for record in recorded}
    for cell in plan.cells:
        record = known.get(cell.key)
        if record is not None and (record.ok or not retry_failed):
            progress.records[cell.key] = record
        else:
            progress.to_do.append(cell)
    progress.resumed = len(progress.records)
    return progress


def execute(progress: Progress, pool: Pool, writer: Writer, watcher: Watcher) -> None:
    """Compute what is to do; returns when every cell has its record."""
    commit, dirty = environment.git_state()
    waiting = list(progress.to_do)
    cells = {cell.key: cell for cell in waiting}

    def keep(cell: Cell, outcome: Outcome) -> None:
        record = _record(cell, outcome, commit, dirty)
        writer.append(cell.folder, record, outcome.predictions)
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
                pool.submit(cell.task(upstream and upstream_result(upstream)))
        running = pool.running()
        if running:
            for key, outcome in pool.finished():
                keep(cells[key], outcome)
        watcher.tick(progress, [(cells[key], since) for key, since in pool.running().items()])


def upstream_result(record: Record) -> dict[str, object]:
    """What a method learns from the fit that it starts from."""
    return {"n_active_nodes": record.m_hat, "settings": record.settings}


def _ready(waiting: Sequence[Cell], progress: Progress, count: int) -> list[Cell]:
    """The next cells in the plan's order whose upstream cell is recorded."""
    ready = []
    for cell in waiting:
        if len(ready) >= count:
            break
        if cell.upstream is None or cell.upstream.key in progress.records:
            ready.append(cell)
    return ready


def _record(cell: Cell, outcome: Outcome, commit: str | None, dirty: bool | None) -> Record:
    line = Record(
        key=cell.key,
        experiment=cell.experiment,
        method=cell.method,
        replicate=cell.replicate,
        source=cell.source,
        options=cell.options,
        quick=cell.quick,
        seed=cell.seed,
        digest=cell.digest,
        commit=commit,
        dirty=dirty,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        **outcome.fields,
    ).line()
    return Record.parse(line)  # what is shown is what a later run reads back
