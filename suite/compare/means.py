"""A mean over replicates with its standard error."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from suite.compare.runs import Run


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


def mean_of(runs: Iterable[Run], number: Callable[[Run], float | None]) -> Mean | None:
    """The mean of one number over the runs; None where one of them lacks it."""
    values = [number(run) for run in runs]
    return None if None in values else Mean.of(values)
