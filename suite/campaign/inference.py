"""Means of scores with honest errors: influence functions, clusters, cut-offs, joint intervals.

Every figure of the page is a mean of one number for each row, its *influence*: the row's score,
plus what the row moves besides (a cut-off that is a quantile of the same rows). Errors come from
the spread of the influence, summed over the rows of one customer first.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Array = NDArray[np.float64]

LEVEL = 0.95
Z = float(norm.ppf(0.5 + LEVEL / 2))
DRAWS = 1000
WINDOW = 0.1  # rows on either side of a cut-off, as a share, that say what a row there is worth


@dataclass(frozen=True)
class Estimate:
    """A figure, its standard error and its 95 % interval."""

    mean: float
    se: float
    low: float
    high: float

    @classmethod
    def of(cls, influence: Array, groups: NDArray[np.integer] | None = None) -> Self:
        """The mean of `influence`, rows of one group counted as one draw."""
        mean, se = float(np.mean(influence)), float(np.sqrt(covariance(influence, groups)[0, 0]))
        return cls(mean, se, mean - Z * se, mean + Z * se)

    def times(self, factor: float) -> "Estimate":
        """The same in another unit."""
        low, high = sorted((self.low * factor, self.high * factor))
        return Estimate(self.mean * factor, self.se * abs(factor), low, high)


def covariance(influence: Array, groups: NDArray[np.integer] | None = None) -> Array:
    """Covariance matrix of the means of the columns of `influence`, clustered by `groups`."""
    values = np.asarray(influence, dtype=np.float64).reshape(len(influence), -1)
    centred = values - values.mean(axis=0)
    n = len(centred)
    if groups is not None:
        _, member = np.unique(groups, return_inverse=True)
        sums = np.zeros((member.max() + 1, centred.shape[1]))
        np.add.at(sums, member, centred)
        centred = sums
    clusters = len(centred)
    return centred.T @ centred / n**2 * (clusters / max(clusters - 1, 1))


def joint(influences: Array, groups: NDArray[np.integer] | None, seed: int) -> list[Estimate]:
    """Means of the columns with intervals that hold for all columns at once (max-t).

    Gaussian multipliers on the rows, given the rows, are a Gaussian vector with the covariance of
    the means: it is drawn directly, 1,000 times.
    """
    values = np.asarray(influences, dtype=np.float64)
    matrix = covariance(values, groups)
    se = np.sqrt(np.diag(matrix))
    critical = max(Z, critical_value(matrix, seed))
    means = values.mean(axis=0)
    return [
        Estimate(float(m), float(s), float(m - critical * s), float(m + critical * s))
        for m, s in zip(means, se, strict=True)
    ]


def critical_value(matrix: Array, seed: int) -> float:
    """The 95 % point of the largest absolute t over columns with this covariance."""
    se = np.sqrt(np.diag(matrix))
    moving = se > 1e-9 * max(float(se.max(initial=0.0)), 1e-300)
    if not moving.any():
        return Z
    correlation = matrix[np.ix_(moving, moving)] / np.outer(se[moving], se[moving])
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = np.random.default_rng([seed, 103]).normal(size=(DRAWS, len(values))) @ root.T
    return float(np.quantile(np.abs(draws).max(axis=1), LEVEL))


def ranks(score: Array, folds: NDArray[np.integer], tie: Array) -> Array:
    """Where each row stands in its fold, from the best (near 0) to the worst (near 1).

    Folds are ranked apart because each has scores of another model. `tie` orders equal scores.
    """
    place = np.empty(len(score))
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        order = rows[np.lexsort((tie[rows], -score[rows]))]
        place[order] = (np.arange(len(rows)) + 0.5) / len(rows)
    return place


def gain_of_best(gain: Array, place: Array, share: float) -> Array:
    """Influence of "treat the best `share`": each row's gain if treated, and the cut-off's part.

    The cut-off is a quantile of the same rows. One more row above it pushes another one out, worth
    what a row at the cut-off is worth: m (share - 1[treated]), with m the mean gain of rows nearby.
    """
    treated = place <= share
    near = np.abs(place - share) <= min(WINDOW, max(share, 0.02), max(1 - share, 0.02))
    worth = float(gain[near].mean()) if near.any() else 0.0
    return np.where(treated, gain, 0.0) + worth * (share - treated)


def area(gain: Array, place: Array) -> Array:
    """Influence of the area between the curve of gains and the straight line of random choice.

    The curve at share s is the mean of gain over rows with place <= s; its area above the line is
    the mean of gain (1/2 - place). A row also moves the places of the others: by the sum of the
    gains that stand below it.
    """
    order = np.argsort(place, kind="stable")
    n = len(gain)
    below = np.empty(n)
    tail = np.cumsum(gain[order][::-1])[::-1] / n  # mean gain of rows from here on, in this order
    below[order] = tail
    return gain * (0.5 - place) - (below - below.mean())
