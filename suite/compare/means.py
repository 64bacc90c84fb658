"""Ours against the paper's: mean and standard error over replicates, difference, verdict."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from suite.plan.paper import Printed
from suite.records import Record

AGREES, SAME_RANKING, DIFFERS = "agrees", "same ranking", "differs"
PRIVATE, NOT_YET_RUN, FAILED = "private data", "not yet run", "failed"
TOO_FEW = "needs 2 replicates"


@dataclass(frozen=True)
class Mean:
    """A mean over replicates and its standard error (None with one replicate)."""

    value: float
    error: float | None
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Mean | None":
        values = np.asarray(list(values), dtype=float)
        if len(values) == 0:
            return None
        error = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None
        return cls(float(values.mean()), error, len(values))


def mean_of(records: Iterable[Record], number: Callable[[Record], float | None]) -> Mean | None:
    """The mean of one number over the records that succeeded and have it."""
    values = (number(record) for record in records if record.ok)
    return Mean.of(value for value in values if value is not None)


def by_method(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records grouped by method, each group by replicate."""
    groups: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda item: (item.method, item.replicate)):
        groups.setdefault(record.method, []).append(record)
    return groups


def q_adj(record: Record) -> float:
    return record.test.q_adj


def q(record: Record) -> float:
    return record.test.q


def regret(record: Record) -> float | None:
    """The oracle's q minus the method's, both without outcome noise."""
    return None if record.truth is None else record.truth.oracle_q - record.truth.q


def verdicts(ours: Mapping[str, Mean | None], papers: Mapping[str, Printed]) -> dict[str, str]:
    """The verdict of every row of one column that the paper prints.

    agrees: |ours - paper| <= 2 sqrt(se^2 + b^2); same ranking: the rank among the rows that have
    run moves by at most 2; differs: otherwise.
    """
    run = [row for row in papers if ours.get(row) is not None]
    our_rank = _ranks({row: ours[row].value for row in run})
    paper_rank = _ranks({row: papers[row].value for row in run})
    found = {}
    for row, paper in papers.items():
        mean = ours.get(row)
        if mean is None:
            found[row] = NOT_YET_RUN
        elif mean.error is None:
            found[row] = TOO_FEW
        elif abs(mean.value - paper.value) <= 2 * math.hypot(mean.error, paper.standard_error):
            found[row] = AGREES
        elif abs(our_rank[row] - paper_rank[row]) <= 2:
            found[row] = SAME_RANKING
        else:
            found[row] = DIFFERS
    return found


def _ranks(values: Mapping[str, float]) -> dict[str, float]:
    """1 is the best; tied rows share their mean rank."""
    numbers = list(values.values())
    return {
        row: sum(other > value for other in numbers)
        + (sum(other == value for other in numbers) + 1) / 2
        for row, value in values.items()
    }
