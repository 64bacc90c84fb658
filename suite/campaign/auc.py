"""How well a score tells two kinds of rows apart."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def auc(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Area under the ROC curve and its standard error under "no difference"."""
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return 0.5, 0.5
    ranks = stats.rankdata(score)
    area = (ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
    return float(area), float(np.sqrt((n1 + n0 + 1) / (12 * n1 * n0)))


def auc_within(
    score: NDArray[np.float64], positive: NDArray[np.bool_], strata: NDArray[np.int64] | None
) -> tuple[float, float]:
    """The same of pairs within strata, each stratum with the weight of its information."""
    if strata is None:
        return auc(score, positive)
    parts = [auc(score[rows], positive[rows]) for rows in _rows_of(strata)]
    weight = np.array([1 / se**2 for _, se in parts])
    areas = np.array([area for area, _ in parts])
    return float(weight @ areas / weight.sum()), float(weight.sum() ** -0.5)


def _rows_of(strata: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    order = np.argsort(strata, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)
