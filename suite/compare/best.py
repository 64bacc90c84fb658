"""Rule S13: the rows that may be called best, and what the best of equals gains by luck."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats
from scipy.integrate import quad

from suite.compare.paired import LEVEL, Estimate, holm


def best_set(rows: Mapping[str, Sequence[float]]) -> set[str]:
    """The rows not shown to be worse than the highest, on common replicates.

    One-sided paired t tests, Holm, 5 %. Empty where that is every row: then nothing is best.
    """
    if len(rows) < 2 or min(map(len, rows.values())) < 2:
        return set()
    values = {name: np.asarray(own, dtype=float) for name, own in rows.items()}
    top = max(values, key=lambda name: values[name].mean())
    others = [name for name in values if name != top]
    p = holm([Estimate.of(values[top] - values[name]).p_above() for name in others])
    best = {top} | {name for name, own in zip(others, p, strict=True) if own >= LEVEL}
    return best if len(best) < len(rows) else set()


def luck_of_the_best(rows: int, sd: float, n: int) -> float:
    """How much the best of `rows` equal methods exceeds its truth on average.

    `sd` is the spread of a paired difference over the n replicates: sqrt(2) times that of one
    method's own part, the part that it does not share with the others.
    """
    if rows < 2:
        return 0.0

    def density(x: float) -> float:
        return float(x * rows * stats.norm.pdf(x) * stats.norm.cdf(x) ** (rows - 1))

    expected, _ = quad(density, -10, 10)
    return expected * sd / float(np.sqrt(2 * n))
