"""What each arm did, before any model: raw, and weighted by the chances with which rows got it."""

import numpy as np
from numpy.typing import NDArray

from suite.campaign.inference import Estimate
from suite.campaign.scores import aipw
from suite.campaign.types import ArmEffect, Campaign

Codes = NDArray[np.integer]
Array = NDArray[np.float64]


def raw(outcome: Codes, arm: Codes, arms: tuple[str, ...]) -> tuple[ArmEffect, ...]:
    """Outcome rate of each arm and its difference to control, unadjusted."""
    rates = [float(outcome[arm == k].mean()) for k in range(len(arms))]
    sizes = [int((arm == k).sum()) for k in range(len(arms))]
    variance = [r * (1 - r) / n for r, n in zip(rates, sizes, strict=True)]
    found = []
    for k, name in enumerate(arms):
        se = float(np.sqrt(variance[k] + variance[0])) if k else 0.0
        events = int(outcome[arm == k].sum())
        found.append(ArmEffect(name, sizes[k], events, rates[k], rates[k] - rates[0], se))
    return tuple(found)


def raw_of_any(outcome: Codes, arm: Codes, arms: tuple[str, ...]) -> ArmEffect:
    """All treatments together against control, unadjusted."""
    return raw(outcome, (arm > 0).astype(np.int8), (arms[0], "any treatment"))[1]


def weighted(campaign: Campaign) -> list[Estimate]:
    """The effect of each treatment, weighted by the chances of the design or by e(x).

    Rows that were almost certain to be treated, or not, are left out as they are later.
    """
    fair = campaign.fairness
    keep = np.ones(campaign.n, bool) if fair.outside is None else ~fair.outside
    strata, groups = (None if x is None else x[keep] for x in (campaign.strata, campaign.groups))
    psi = scores(campaign.outcome[keep], campaign.arm[keep], fair.design[keep], strata)
    return [Estimate.of(column, groups) for column in psi.T]


def scores(y: Codes, arm: Codes, e: Array, strata: Codes | None = None) -> Array:
    """AIPW scores (rows, treatments) whose outcome means are those of the stratum, or of all.

    Their mean is the difference of weighted rates; with the shares of strata as chances it is that
    of rates within strata, and its error is free of what differs between strata.
    """
    part = np.zeros(len(y), np.int64) if strata is None else strata
    mu = np.empty_like(e)
    for a in range(e.shape[1]):
        weight = np.where(arm == a, 1 / e[:, a], 0.0)
        total, events = np.bincount(part, weight), np.bincount(part, weight * y)
        mean = np.full(len(total), events.sum() / total.sum())  # for a stratum without this arm
        mu[:, a] = np.divide(events, total, out=mean, where=total > 0)[part]
    return aipw(y.astype(np.float64), arm, mu, e)
