"""Published cells computed again, into nothing: to verify is not to record."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from suite.compute.cell_slot import CellSlot
from suite.compute.local import LocalPool
from suite.compute.outcome import Limits, cores, default_memory_mb
from suite.plan.cell import Planned
from suite.plan.plan import Plan
from suite.publish.columns import Column
from suite.store.record import Record
from suite.store.session import Progress, execute, prepare

SECONDS = 4 * 3600.0  # of one cell

Predictions = dict[str, NDArray[Any]]  # of the test rows, by key of the record


class _Lines:
    """A line on stderr for each cell: a whole table takes an hour and more."""

    def tick(self, progress: Progress, running: list[tuple[Planned, float]]) -> None:
        """Nothing happens between the lines."""

    def ended(self, progress: Progress, record: Record) -> None:
        """One more is done."""
        done = progress.total - len(progress.to_do)
        what = f"{record.cell.column} {record.method}, replicate {record.replicate}"
        print(f"[{done}/{progress.total}] computed {what}", file=sys.stderr, flush=True)


class _Memory:
    """What a store would keep, for as long as the comparison takes."""

    def __init__(self) -> None:
        self.predictions: Predictions = {}

    def append(self, record: Record, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Predictions of the test rows; none of a cell that failed."""
        if "test" in arrays:
            self.predictions[record.key] = arrays["test"]


def recompute(
    column: Column, records: Sequence[Record], jobs: int | None = None
) -> tuple[list[Record], Predictions]:
    """The cells of `records` by today's code, with what they start from, and what they predict."""
    jobs, memory = jobs or cores(), _Memory()
    cells: dict[str, Planned] = {}
    for record in records:
        cell = column.today(record)
        chain = [cell]
        while chain[-1].upstream is not None:
            chain.append(chain[-1].upstream)
        cells |= {item.key: item for item in reversed(chain)}
    methods = {cell.method: cell.code for cell in cells.values()}
    plan = Plan(column.experiment, column.variant, False, methods, tuple(cells.values()))
    progress = prepare(plan, {})
    pool = LocalPool(jobs, CellSlot, Limits(SECONDS, default_memory_mb(jobs)))
    try:
        execute(progress, pool, memory, _Lines())
    finally:
        pool.close()
    return progress.plan_records(), memory.predictions
