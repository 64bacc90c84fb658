"""Methods compared: what each alone would give, and how far it is behind the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suite.campaign.evaluate import THOUSAND, Evidence, best_arm
from suite.campaign.inference import Estimate, area, gain_of_best, joint, ranks

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MethodRow:
    """One line of the table of methods."""

    name: str
    gain: Estimate  # net earnings at the rule's share
    area: Estimate  # extra good outcomes per 1,000 customers, mean over all shares
    behind: Estimate  # area less that of the best; the intervals hold together
    level: bool  # not told apart from the best


def methods_table(evidence: Evidence, by_method: dict[str, Array], share: float) -> list[MethodRow]:
    """Every method alone, ranked by its area; differences to the best with joint intervals."""
    areas, gains = {}, {}
    for name, gain in by_method.items():
        predicted, net = best_arm(evidence, gain)
        place = ranks(predicted, evidence.folds, evidence.tie)
        best = evidence.terms.net(gain).argmax(axis=1)
        psi = evidence.psi[np.arange(len(best)), best]
        areas[name] = THOUSAND * area(psi, place)
        gains[name] = gain_of_best(net, place, share)
    if not areas:
        return []
    order = sorted(areas, key=lambda name: -areas[name].mean())
    best = areas[order[0]]
    behind = joint(
        np.column_stack([areas[name] - best for name in order]), evidence.groups, evidence.seed
    )
    return [
        MethodRow(
            name, evidence.estimate(gains[name]), evidence.estimate(areas[name]), d, d.high >= 0
        )
        for name, d in zip(order, behind, strict=True)
    ]
