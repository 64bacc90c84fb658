"""Rule S11: whether predicted uplifts have the right level and spread, from the bins."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from suite.compare.paired import LEVEL, Estimate

Floats = NDArray[np.float64]

SLOPES = (0.8, 1.25)
BIAS = 0.01
LEAST_RANGE = 0.001  # bins whose predictions differ by less have no slope


@dataclass(frozen=True)
class Calibration:
    """Observed against predicted uplift of the bins of one test set."""

    # 1: a predicted difference of uplift is as large as it turns out to be. None: there is none.
    slope: float | None
    slope_error: float | None
    bias: float  # mean predicted minus mean observed uplift
    error: float  # root mean squared miscalibration net of noise; negative if below the noise
    p: float  # chi-squared test that the bins are as predicted


def calibration(
    predicted: ArrayLike,
    treated: ArrayLike,
    control: ArrayLike,
    treated_responses: ArrayLike,
    control_responses: ArrayLike,
) -> Calibration | None:
    """From the bins' counts; None if a bin's outcomes have no spread to weigh it by."""
    p, n1, n0, r1, r0 = (
        np.asarray(values, dtype=float)
        for values in (predicted, treated, control, treated_responses, control_responses)
    )
    if min(n1.min(), n0.min()) <= 1:
        return None
    rate1, rate0 = r1 / n1, r0 / n0
    observed = rate1 - rate0
    variance = rate1 * (1 - rate1) / (n1 - 1) + rate0 * (1 - rate0) / (n0 - 1)
    if variance.min() <= 0:
        return None
    rows, weight = n1 + n0, 1 / variance
    slope, spread = _slope(p, weight, observed)
    excess = float(np.average((p - observed) ** 2 - variance, weights=rows))
    chi2 = float(((p - observed) ** 2 / variance).sum())
    return Calibration(
        slope=slope,
        slope_error=None if slope is None else 1 / math.sqrt(spread),
        bias=float(np.average(p - observed, weights=rows)),
        error=math.copysign(math.sqrt(abs(excess)), excess),
        p=float(stats.chi2.sf(chi2, len(p))),
    )


def slope_and_bias(
    predicted: ArrayLike, rows: ArrayLike, observed: ArrayLike
) -> tuple[float | None, float]:
    """Slope and bias weighted by rows, for bins whose responses were not kept."""
    p, w, o = (np.asarray(values, dtype=float) for values in (predicted, rows, observed))
    return _slope(p, w, o)[0], float(np.average(p - o, weights=w))


def _slope(p: Floats, weight: Floats, observed: Floats) -> tuple[float | None, float]:
    """The slope of the weighted regression on p, None without spread; and the spread of p."""
    centred = p - np.average(p, weights=weight)
    spread = float((weight * centred**2).sum())
    if np.ptp(p) < LEAST_RANGE:
        return None, spread
    return float((weight * centred * observed).sum()) / spread, spread


def calibrated(slopes: Sequence[float], biases: Sequence[float]) -> str:
    """yes: both are shown to be near their ideal over replicates (two one-sided tests each).

    no: one of them is shown to be outside; open: neither is shown.
    """
    limits = ((Estimate.of(slopes), SLOPES), (Estimate.of(biases), (-BIAS, BIAS)))
    if all(e.lower(LEVEL) > low and e.upper(LEVEL) < high for e, (low, high) in limits):
        return "yes"
    outside = any(e.upper(LEVEL) < low or e.lower(LEVEL) > high for e, (low, high) in limits)
    return "no" if outside else "open"
