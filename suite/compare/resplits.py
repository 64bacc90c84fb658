"""Rule S9: real data, one data set split again and again; the splits share their rows."""

import math

import numpy as np
from numpy.typing import ArrayLike

from suite.compare.paired import Estimate

TEST_TO_TRAIN = 0.3 / 0.4  # rows of the suite's parts
PAPER_SPLITS = 20


def nadeau_bengio(values: ArrayLike, ratio: float = TEST_TO_TRAIN) -> float:
    """Standard error of a method's mean over re-splits: sqrt((1/J + n_test/n_train) s^2)."""
    numbers = np.asarray(values, dtype=float)
    return math.sqrt((1 / len(numbers) + ratio) * numbers.var(ddof=1))


def corrected(printed: float, splits: int = PAPER_SPLITS, ratio: float = TEST_TO_TRAIN) -> float:
    """A printed s/sqrt(J) as Nadeau and Bengio would have it: times 4 for 20 splits."""
    return printed * math.sqrt(1 + splits * ratio)


def pooled_rows(influences: ArrayLike) -> float:
    """Standard error of the mean q over splits, or of a difference, from the rows themselves.

    `influences` has one line per split and one column per row of the data set: what the row adds
    to q, 0 where it was in another part. It leaves out what the training rows add, which is
    small for a difference of two methods and not for one method's level.
    """
    return math.sqrt(float((np.asarray(influences, dtype=float).mean(axis=0) ** 2).sum()))


def paired(differences: ArrayLike, error: float | None = None) -> Estimate:
    """The paired difference of two methods over re-splits, by Nadeau and Bengio's error.

    On the careful side: about twice too wide, where pooled rows would be right. Their error is
    `error`, where it is known.
    """
    values = np.asarray(differences, dtype=float)
    n = len(values)
    error = nadeau_bengio(values) if error is None else error
    return Estimate(float(values.mean()), error, n - 1, n)


def between_sets(a: ArrayLike, b: ArrayLike) -> Estimate:
    """Mean of `a` minus mean of `b`, re-splits of two data sets or of two sizes of one.

    Nested sizes are positively correlated, so the error is on the careful side.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    error = math.hypot(nadeau_bengio(a), nadeau_bengio(b))
    fewest = min(len(a), len(b))
    return Estimate(float(a.mean() - b.mean()), error, fewest - 1, fewest)
