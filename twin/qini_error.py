"""The standard error of q within one test set, from the counts of its bins.

q is a smooth function of the numbers of treated and control rows and of their responses in each
bin, so to first order it is a sum over rows. With N1, N0, R1, R0 the counts of the best k bins,
m1 = R1 / N1, m0 = R0 / N0 and pi = N1 / N1(all), a row of bin b with outcome y adds to g(phi_k)

    treated:  [b <= k] (y - m1) / N1(all) + (m1 - m0) ([b <= k] - pi) / N1(all)
    control: -[b <= k] pi (y - m0) / N0

and to q what the trapezoid rule makes of psi_k - phi_k psi_J. Edges count as fixed, phi is the
share of all rows (the paper's convention). The sum of the squares is the variance of q; that of
the differences of two models' terms is the variance of the difference of their q.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin import checks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class QiniDifference:
    """q of one ranking minus q of another on the same rows, in per cent."""

    difference: float
    standard_error: float


def influence(
    treated: ArrayLike,
    control: ArrayLike,
    treated_responses: ArrayLike,
    control_responses: ArrayLike,
) -> Floats:
    """What one row adds to q, in per cent, by [bin, arm, outcome]; bins are best first."""
    n1, n0, r1, r0 = (
        np.asarray(counts, dtype=np.float64)
        for counts in (treated, control, treated_responses, control_responses)
    )
    bins = len(n1)
    sums1, sums0 = n1.cumsum(), n0.cumsum()
    mean1, mean0 = _ratio(r1.cumsum(), sums1), _ratio(r0.cumsum(), sums0)
    all_treated = sums1[-1]
    share = sums1 / all_treated
    inside = np.tri(bins)  # [k, b]: bin b is among the best k
    terms = np.empty((bins, bins, 2, 2))
    for y in (0, 1):
        terms[:, :, 0, y] = -inside * (share * _ratio(y - mean0, sums0))[:, None]
        terms[:, :, 1, y] = inside * (y - mean1)[:, None] / all_treated
        terms[:, :, 1, y] += (mean1 - mean0)[:, None] * (inside - share[:, None]) / all_treated
    phi = np.concatenate(([0.0], (n1 + n0).cumsum())) / (n1 + n0).sum()
    step = np.diff(phi)
    weight = (step + np.append(step[1:], 0.0)) / 2
    # The line of chance falls with g(1), which the last terms are.
    return 100 * (np.tensordot(weight, terms, axes=1) - (weight * phi[1:]).sum() * terms[-1])


def standard_error(
    treated: ArrayLike,
    control: ArrayLike,
    treated_responses: ArrayLike,
    control_responses: ArrayLike,
) -> float:
    """The standard error of q from the counts of the bins, best first."""
    psi = influence(treated, control, treated_responses, control_responses)
    n1, n0, r1, r0 = (
        np.asarray(counts, dtype=np.float64)
        for counts in (treated, control, treated_responses, control_responses)
    )
    rows = np.stack([np.stack([n0 - r0, r0], axis=-1), np.stack([n1 - r1, r1], axis=-1)], axis=1)
    return math.sqrt(float((rows * psi**2).sum()))


def row_influence(y: Any, uplift: Any, treatment: Any, *, bins: int = 10) -> Floats:
    """What each row adds to q, in per cent: they sum to 0 over the rows."""
    y, uplift, treatment = _checked(y, uplift, treatment, bins)
    member = _membership(uplift, bins)
    arms = [member[treatment == arm].sum(axis=0) for arm in (1, 0)]
    responses = [member[(treatment == arm) & (y == 1)].sum(axis=0) for arm in (1, 0)]
    psi = influence(*arms, *responses)
    return np.einsum("nb,bn->n", member, psi[:, treatment, y])


def qini_difference(
    y: Any, uplift_a: Any, uplift_b: Any, treatment: Any, *, bins: int = 10
) -> QiniDifference:
    """q of ranking a minus q of ranking b on the same rows, with its paired standard error."""
    from twin.qini import qini_score

    psi = [row_influence(y, uplift, treatment, bins=bins) for uplift in (uplift_a, uplift_b)]
    q = [qini_score(y, uplift, treatment, bins=bins) for uplift in (uplift_a, uplift_b)]
    return QiniDifference(q[0] - q[1], math.sqrt(float(((psi[0] - psi[1]) ** 2).sum())))


def _checked(
    y: Any, uplift: Any, treatment: Any, bins: int
) -> tuple[NDArray[np.int8], Floats, NDArray[np.int8]]:
    y = checks.binary_labels(y, "y")
    uplift = checks.finite_scores(uplift, "uplift")
    treatment = checks.binary_labels(treatment, "treatment")
    n = checks.same_length(y=y, uplift=uplift, treatment=treatment)
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or not 2 <= bins <= n:
        raise ValueError(f"bins is {bins!r}; it must be a whole number from 2 to the {n} rows")
    checks.both_arms(treatment)
    return y, uplift, treatment


def _membership(uplift: Floats, bins: int) -> Floats:
    """The share of each row in each bin: 0 or 1, or its part of tied rows across an edge."""
    n = len(uplift)
    edges = -(-np.arange(bins + 1) * n // bins)
    _, group, sizes = np.unique(-uplift, return_inverse=True, return_counts=True)
    end = sizes.cumsum()
    start = end - sizes
    overlap = np.minimum(end[:, None], edges[1:]) - np.maximum(start[:, None], edges[:-1])
    return (overlap.clip(min=0) / sizes[:, None])[group]


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """top / bottom, 0 where there are no rows: the curve has no such term there."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
