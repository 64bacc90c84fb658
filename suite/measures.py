"""Every number that comes from predictions: the paper's measures and noise-free ones."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suite.records import Score, Truth
from twin.qini import qini_curve
from twin.rows import Rows

CONVENTIONS = ("paper", "tools4uplift", "twincausal")
BINS = (5, 10, 20)
MAIN = ("paper", 10)  # what the tables show

Floats = NDArray[np.float64]


def score(rows: Rows, uplift: Floats, convention: str = MAIN[0], bins: int = MAIN[1]) -> Score:
    """q, rho and q_adj of predicted `uplift` on `rows`."""
    found = qini_curve(rows.y, uplift, rows.treatment, bins=bins, convention=convention).scores
    return Score(*map(float, found))


def sensitivity(rows: Rows, uplift: Floats) -> dict[str, dict[str, Score]]:
    """The measures in every convention and number of bins J."""
    return {
        convention: {str(bins): score(rows, uplift, convention, bins) for bins in BINS}
        for convention in CONVENTIONS
    }


def bin_table(rows: Rows, uplift: Floats) -> tuple[list[dict[str, Any]], dict[str, list[float]]]:
    """The J = 10 bins, best first (null where an arm is missing), and the Qini curve."""
    curve = qini_curve(rows.y, uplift, rows.treatment, bins=MAIN[1], convention=MAIN[0])
    names = ("rows", "treated", "control", "predicted", "observed")
    columns = [getattr(curve, name).tolist() for name in names]
    bins = [
        {name: _number(value) for name, value in zip(names, line, strict=True)}
        for line in zip(*columns, strict=True)
    ]
    return bins, {"phi": curve.phi.tolist(), "gain": curve.gain.tolist()}


def truth(rows: Rows, uplift: Floats) -> Truth | None:
    """Measures against the true uplift u*; None where it is not known."""
    if rows.true_uplift is None:
        return None
    return Truth(
        q=true_qini(uplift, rows.true_uplift),
        oracle_q=true_qini(rows.true_uplift, rows.true_uplift),
        spearman=rank_correlation(uplift, rows.true_uplift),
        pehe=float(np.sqrt(np.mean((uplift - rows.true_uplift) ** 2))),
    )


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's correlation; 0 where one of the two is constant."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(_mean_ranks(a), _mean_ranks(b))[0, 1])


def _mean_ranks(values: Floats) -> Floats:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[group]


def true_qini(uplift: Floats, true_uplift: Floats, bins: int = MAIN[1]) -> float:
    """q with g(phi) = (1/n) sum of u* over the best fraction phi by `uplift`, in per cent.

    Grid points and ties as in the paper's convention: phi_k = ceil(k n / J) / n, and an edge
    inside tied rows takes its share of the group, that is the group's mean u* a row.
    """
    n = len(uplift)
    _, group = np.unique(-uplift, return_inverse=True)
    group_mean = np.bincount(group, weights=true_uplift) / np.bincount(group)
    best_first = np.sort(group)
    gain = np.concatenate(([0.0], np.cumsum(group_mean[best_first]))) / n
    edges = -(-np.arange(bins + 1) * n // bins)
    phi = edges / n
    return float(100 * np.trapezoid(gain[edges] - phi * gain[-1], phi))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
