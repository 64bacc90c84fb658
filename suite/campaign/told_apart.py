"""Do predictions agree with what is measured: ten groups, and the slope of one on the other."""

from dataclasses import dataclass

import numpy as np

from suite.campaign.evaluate import Evidence
from suite.campaign.inference import Estimate, Z, covariance, ranks


@dataclass(frozen=True)
class Group:
    """Customers with similar predictions."""

    predicted: float
    observed: Estimate
    share: float


def ten_groups(evidence: Evidence, treatment: int) -> list[Group]:
    """Predicted and measured uplift of ten groups by prediction, the best first."""
    gain, psi = evidence.gain[:, treatment - 1], evidence.psi[:, treatment - 1]
    place = ranks(gain, evidence.folds, evidence.tie)
    number = np.minimum((place * 10).astype(int), 9)
    found = []
    for g in range(10):
        rows = number == g
        own = None if evidence.groups is None else evidence.groups[rows]
        found.append(Group(float(gain[rows].mean()), Estimate.of(psi[rows], own), rows.mean()))
    return found


def outer_slope(evidence: Evidence, treatment: int) -> Estimate | None:
    """Slope of measured on predicted uplift out of fold: 1 where predictions are right."""
    gain, psi = evidence.gain[:, treatment - 1].copy(), evidence.psi[:, treatment - 1].copy()
    gain -= gain.mean()
    psi -= psi.mean()
    sxx = float(gain @ gain)
    if sxx <= 1e-18 * len(gain):
        return None
    b = float(gain @ psi) / sxx
    influence = gain * (psi - b * gain) * len(gain) / sxx
    se = float(np.sqrt(covariance(influence, evidence.groups)[0, 0]))
    return Estimate(b, se, b - Z * se, b + Z * se)
