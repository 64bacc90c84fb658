"""Every number that comes from predictions: the paper's measures and noise-free ones."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.qini import qini_curve
from twin.rows import Rows

CONVENTIONS = ("paper", "tools4uplift", "twincausal")
BINS = (5, 10, 20)
MAIN = ("paper", 10)  # what the tables show

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """The three measures of one set of rows, in per cent (rho: -1 to 1)."""

    q: float
    rho: float
    q_adj: float


@dataclass(frozen=True)
class Truth:
    """Measures without outcome noise, on test rows of simulated data."""

    q: float  # from the true uplift, rows in predicted order
    oracle_q: float  # the same, rows in the order of the true uplift
    spearman: float  # rank correlation of predicted and true uplift
    pehe: float  # root mean squared error of the uplift


@dataclass(frozen=True)
class Bin:
    """One of the J = 10 bins of the test rows; counts are fractional where ties are cut."""

    rows: float
    treated: float
    control: float
    predicted: float | None  # mean predicted uplift
    observed: float | None  # treated minus control rate, null where an arm is missing
    treated_responses: float | None = None
    control_responses: float | None = None


@dataclass(frozen=True)
class Curve:
    """The Qini curve g(phi)."""

    phi: tuple[float, ...]
    gain: tuple[float, ...]


def score(rows: Rows, uplift: Floats, convention: str = MAIN[0], bins: int = MAIN[1]) -> Score:
    """q, rho and q_adj of predicted `uplift` on `rows`."""
    found = qini_curve(rows.y, uplift, rows.treatment, bins=bins, convention=convention).scores
    return Score(*map(float, found))


def sensitivity(rows: Rows, uplift: Floats) -> Mapping[str, Mapping[str, Score]]:
    """The measures in every convention and number of bins J."""
    return {
        convention: {str(bins): score(rows, uplift, convention, bins) for bins in BINS}
        for convention in CONVENTIONS
    }


def bin_table(rows: Rows, uplift: Floats) -> tuple[tuple[Bin, ...], Curve]:
    """The J = 10 bins, best first, and the Qini curve."""
    curve = qini_curve(rows.y, uplift, rows.treatment, bins=MAIN[1], convention=MAIN[0])
    names = Bin.__dataclass_fields__
    columns = [getattr(curve, name).tolist() for name in names]
    bins = tuple(Bin(*map(_number, line)) for line in zip(*columns, strict=True))
    return bins, Curve(tuple(curve.phi.tolist()), tuple(curve.gain.tolist()))


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
    inside tied rows takes its share of the group, that is the group's mean u* for each row.
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
