"""Rules S7 and S8: one mean over several scenarios, which are fixed, each with its own draws."""

import math
from collections.abc import Sequence

import numpy as np

from suite.compare.paired import Estimate

LEAST_INTERVAL = 4  # draws below which no interval is given


def stratified(strata: Sequence[Sequence[float]]) -> Estimate:
    """The mean of the strata's means, with Satterthwaite's degrees of freedom.

    A statement about these strata: how other scenarios would behave it does not say.
    """
    if not strata or min(map(len, strata)) < 2:
        raise ValueError("every stratum needs at least 2 values")
    sizes = np.array([len(values) for values in strata])
    means = np.array([np.mean(values) for values in strata])
    variances = np.array([np.var(values, ddof=1) for values in strata]) / sizes
    total = float(variances.sum())
    df = total**2 / float((variances**2 / (sizes - 1)).sum()) if total > 0 else math.inf
    error = math.sqrt(total) / len(strata)
    return Estimate(float(means.mean()), error, df, int(sizes.min()))


def relative(differences: Sequence[Sequence[float]], scales: Sequence[float]) -> list[np.ndarray]:
    """Differences of each scenario as shares of what can be had there, its mean oracle q."""
    return [np.asarray(d, float) / s for d, s in zip(differences, scales, strict=True)]
