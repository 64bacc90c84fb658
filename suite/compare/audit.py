"""Rule S3: which variant of the data generator can have produced the printed numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from suite.compare.paired import LEVEL, holm
from suite.compare.verdicts import PAPER_RUNS

LEAST_AUDIT = 20  # replicates below which a variant is not tested


@dataclass(frozen=True)
class Fit:
    """How well one variant explains the paper's numbers."""

    replicates: int
    t2: float
    p: float
    log_density: float  # of the paper's numbers, as the variant predicts them


@dataclass(frozen=True)
class Judged:
    """All variants of a scenario: adjusted p and weight of each, and the sentence."""

    p_holm: Mapping[str, float]
    weights: Mapping[str, float]
    compatible: tuple[str, ...]
    finding: str


def hotelling(matrix: ArrayLike, paper: ArrayLike, paper_runs: int = PAPER_RUNS) -> Fit:
    """Hotelling's test of our rows against the paper's, a second sample with our covariance.

    `matrix` has one row per method and one column per replicate. The density is that of a
    multivariate t around our means: what the variant predicts for 20 new runs.
    """
    ours = np.asarray(matrix, dtype=float).T
    theirs = np.asarray(paper, dtype=float)
    n, k = ours.shape
    if n <= k:
        raise ValueError(f"{n} replicates of {k} rows: Hotelling's test needs more than {k}")
    gap = ours.mean(axis=0) - theirs
    scale = np.atleast_2d(np.cov(ours.T)) * (1 / n + 1 / paper_runs)
    t2 = float(gap @ np.linalg.solve(scale, gap))
    p = float(stats.f.sf(t2 * (n - k) / (k * (n - 1)), k, n - k))
    predicted = stats.multivariate_t(ours.mean(axis=0), scale * (n - 1) / (n - k), df=n - k)
    return Fit(n, t2, p, float(predicted.logpdf(theirs)))


def judge(fits: Mapping[str, Fit | None]) -> Judged:
    """The sentence on the distinct variants of one scenario (equal data count once).

    None stands for a variant with too few replicates: the others are tested, and the question
    stays open.
    """
    tested = {name: fit for name, fit in fits.items() if fit is not None}
    if not tested:
        return Judged({}, {}, (), "not tested yet")
    adjusted = dict(zip(tested, holm([fit.p for fit in tested.values()]), strict=True))
    left = tuple(name for name in tested if adjusted[name] >= LEVEL)
    if len(tested) < len(fits):
        waiting = ", ".join(name for name in fits if name not in tested)
        so_far = ", ".join(f"{n} {'not ' * (n in left)}rejected" for n in tested)
        return Judged(adjusted, {}, left, f"open until {waiting} can be tested; so far {so_far}")
    logs = np.array([fit.log_density for fit in tested.values()])
    share = np.exp(logs - logs.max())
    weights = dict(zip(tested, (share / share.sum()).tolist(), strict=True))
    ranked = sorted(left, key=lambda name: -weights[name])
    if len(left) == 1:
        finding = f"only {left[0]} is compatible"
    elif left:
        listing = ", ".join(f"{name} {weights[name]:.2f}" for name in ranked)
        finding = f"undecided between {' and '.join(left)} (weights {listing})"
    else:
        finding = f"none; least bad {max(tested, key=lambda name: weights[name])}"
    return Judged(adjusted, weights, left, finding)
