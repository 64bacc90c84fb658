"""Analysis C: the variance of one run's q_adj, split into training, outcome noise and data.

Total: over the replicates of a column, one run each. Training: over seeds on the same data, pooled
over the draws that were repeated. Outcome noise: what a new lottery of the test rows' outcomes
would give the same predictions, from the counts of the bins. Data is the rest: other training
rows, other test covariates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suite.compare.runs import Bins, Run
from suite.compare.units import LEAST_DRAWS

LOTTERIES = 1000
ROUNDING = 1e-12  # observed uplifts that differ by less are tied


@dataclass(frozen=True)
class Split:
    """Variances of one run of a method; those that the records do not give are None."""

    draws: int  # that were repeated
    seeds: int
    replicates: int  # behind the total
    training: float
    training_true_q: float
    total: float | None
    total_true_q: float | None
    noise: float | None

    @property
    def data(self) -> float | None:
        """The rest; it can come out below 0, being a difference of estimates."""
        if self.total is None or self.noise is None:
            return None
        return self.total - self.training - self.noise


def split(repeated: Mapping[int, Sequence[Run]], runs: Sequence[Run]) -> Split | None:
    """`repeated`: runs with different seeds by draw; `runs`: one for each replicate."""
    groups = [list(own) for own in repeated.values() if len(own) > 1]
    if not groups:
        return None
    many = len(runs) >= LEAST_DRAWS
    # Earlier records did not keep the responses; the repeated runs did.
    noises = [outcome_noise(run.bins) for run in (*runs, *(run for own in groups for run in own))]
    known = [noise for noise in noises if noise is not None]
    return Split(
        draws=len(groups),
        seeds=min(map(len, groups)),
        replicates=len(runs),
        training=_within([[run.q_adj for run in own] for own in groups]),
        training_true_q=_within([[run.true_q for run in own] for own in groups]),
        total=_variance([run.q_adj for run in runs]) if many else None,
        total_true_q=_variance([run.true_q for run in runs]) if many else None,
        noise=float(np.mean(known)) if known else None,
    )


def outcome_noise(bins: Bins | None, lotteries: int = LOTTERIES) -> float | None:
    """The variance of q_adj if the outcomes of the bins' rows were drawn again.

    None where the responses were not kept. Always the same draws, so that a table is stable.
    """
    if bins is None or bins.treated_responses is None or bins.control_responses is None:
        return None
    rng = np.random.default_rng(0)
    n1, n0 = np.asarray(bins.treated), np.asarray(bins.control)
    rates = np.asarray(bins.treated_responses) / n1, np.asarray(bins.control_responses) / n0
    whole = (np.rint(n).astype(int) for n in (n1, n0))  # ties share rows between bins
    drawn = [
        rng.binomial(n, rate.clip(0, 1), (lotteries, len(n))) / n
        for n, rate in zip(whole, rates, strict=True)
    ]
    return _variance(scores(n1, n0, *drawn, bins.predicted))


def scores(
    n1: NDArray, n0: NDArray, rate1: NDArray, rate0: NDArray, predicted: Sequence[float]
) -> NDArray[np.float64]:
    """q_adj from rows and response rates of the bins, best first; the last axis is bins."""
    treated, control = n1.cumsum(), n0.cumsum()
    best1, best0 = (n1 * rate1).cumsum(axis=-1), (n0 * rate0).cumsum(axis=-1)
    gain = (best1 - best0 * treated / control) / treated[-1]
    phi = np.concatenate(([0.0], (n1 + n0).cumsum() / (n1 + n0).sum()))
    excess = np.insert(gain, 0, 0.0, axis=-1) - phi * gain[..., -1:]
    q = 100 * np.trapezoid(excess, phi, axis=-1)
    observed, order = rate1 - rate0, np.asarray(predicted)
    gap = observed[..., :, None] - observed[..., None, :]
    above = np.triu(order[:, None] > order[None, :], 1)
    signs = np.where(abs(gap) > ROUNDING, np.sign(gap), 0.0) * above
    rho = 2 * signs.sum(axis=(-2, -1)) / (len(order) * (len(order) - 1))
    return rho * q.clip(min=0.0)


def _variance(values: Sequence[float] | NDArray) -> float:
    return float(np.var(values, ddof=1))


def _within(groups: Sequence[Sequence[float]]) -> float:
    """The variance within groups, pooled over their degrees of freedom."""
    squares = sum(_variance(own) * (len(own) - 1) for own in groups)
    return squares / sum(len(own) - 1 for own in groups)
