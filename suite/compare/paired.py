"""A paired difference with its one-sided t tests and bounds, and Holm's correction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

LEVEL = 0.05


@dataclass(frozen=True)
class Estimate:
    """A difference with its standard error and degrees of freedom."""

    mean: float
    error: float
    df: float
    n: int  # the fewest replicates behind it

    @classmethod
    def of(cls, differences: ArrayLike) -> Self:
        """The mean of paired differences."""
        values = np.asarray(differences, dtype=float)
        n = len(values)
        if n < 2:
            raise ValueError(f"{n} differences have no spread; give at least 2")
        return cls(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n - 1, n)

    def p_above(self, limit: float = 0.0) -> float:
        """One-sided p that the difference exceeds `limit`."""
        if self.error == 0:
            return 0.0 if self.mean > limit else 1.0
        return float(stats.t.sf((self.mean - limit) / self.error, self.df))

    def p_below(self, limit: float = 0.0) -> float:
        """One-sided p that the difference is less than `limit`."""
        return Estimate(-self.mean, self.error, self.df, self.n).p_above(-limit)

    def p_two_sided(self) -> float:
        """p that the difference is not 0."""
        return min(1.0, 2 * min(self.p_above(), self.p_below()))

    def upper(self, alpha: float = LEVEL) -> float:
        """The one-sided upper bound."""
        return self.mean + float(stats.t.ppf(1 - alpha, self.df)) * self.error

    def lower(self, alpha: float = LEVEL) -> float:
        """The one-sided lower bound."""
        return self.mean - float(stats.t.ppf(1 - alpha, self.df)) * self.error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval."""
        tail = (1 - level) / 2
        return self.lower(tail), self.upper(tail)


def signed_rank(differences: ArrayLike) -> float:
    """Two-sided p of Wilcoxon's signed-rank test, which the paper names; 1 if nothing differs."""
    values = np.asarray(differences, dtype=float)
    values = values[values != 0]
    return float(stats.wilcoxon(values).pvalue) if len(values) else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = (len(p) - np.arange(len(p))) * p[order]
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, steps))
    return adjusted.tolist()
