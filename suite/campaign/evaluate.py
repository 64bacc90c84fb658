"""What a rule is worth on rows it has not seen, against nobody, everybody and chance."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suite.campaign.allocation import Terms, decide
from suite.campaign.inference import Estimate, area, gain_of_best, joint, ranks

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

SHARES = tuple(np.round(np.arange(1, 21) * 0.05, 2).tolist())
MARGIN = 0.1  # how far the budget is moved to see what one more unit of it is worth
THOUSAND = 1000


@dataclass(frozen=True)
class Evidence:
    """Rows with what was measured on them and what was predicted without them."""

    psi: Array  # (n, treatments), in good outcomes
    earned: Array  # (n, treatments), what a treatment earns before its cost: money or outcomes
    gain: Array  # (n, treatments), predicted, in good outcomes
    folds: Codes
    groups: Codes | None
    tie: Array
    terms: Terms
    seed: int

    @property
    def net(self) -> Array:
        """Measured earnings less cost."""
        return self.earned - self.terms.cost

    def decisions(self, terms: Terms | None = None) -> NDArray[np.int8]:
        """The rule in each outer fold, with a budget in proportion to the fold."""
        terms = terms or self.terms
        found = np.empty(len(self.folds), dtype=np.int8)
        for fold in np.unique(self.folds):
            rows = np.flatnonzero(self.folds == fold)
            found[rows] = decide(self.gain[rows], terms.take(rows), self.tie[rows])
        return found

    def estimate(self, influence: Array) -> Estimate:
        return Estimate.of(influence, self.groups)


@dataclass(frozen=True)
class Comparison:
    """The rule and its alternatives, per customer of the file."""

    decision: NDArray[np.int8]
    share: float
    shares: tuple[float, ...]  # by treatment
    nobody: Estimate  # rule less nobody
    everybody: Estimate  # rule less everybody with the best single treatment
    random: Estimate  # rule less the same number of each treatment at random
    all_treated: Estimate  # everybody less nobody
    everybody_arm: int  # 1, 2, ...
    better: str  # "everybody" or "nobody", whichever earns more
    over_better: Estimate  # rule less that


def compare(evidence: Evidence, terms: Terms | None = None) -> Comparison:
    """The rule against nobody, everybody and the same number at random."""
    terms = terms or evidence.terms
    evidence = replace(evidence, terms=terms)
    decision = evidence.decisions()
    net = evidence.net
    rule, binds = rule_influence(evidence, decision)
    arm = int(net.mean(axis=0).argmax()) + 1
    everybody = _everybody(net, evidence.folds)
    shares = [float((decision == a + 1).mean()) for a in range(net.shape[1])]
    chance = np.zeros(len(rule))
    for a, share in enumerate(shares):
        chance += share * net[:, a]
        if not binds:  # the number of treated is the rule's own, and as uncertain as the rows
            chance += net[:, a].mean() * ((decision == a + 1) - share)
    better = "everybody" if everybody.mean() > 0 else "nobody"
    over = rule - everybody if better == "everybody" else rule
    return Comparison(
        decision=decision,
        share=float((decision > 0).mean()),
        shares=tuple(shares),
        nobody=evidence.estimate(rule),
        everybody=evidence.estimate(rule - everybody),
        random=evidence.estimate(rule - chance),
        all_treated=evidence.estimate(everybody),
        everybody_arm=arm,
        better=better,
        over_better=evidence.estimate(over),
    )


def _everybody(net: Array, folds: Codes) -> Array:
    """Net of each row with the one treatment that was best on the rows of the other folds."""
    found = np.empty(len(net))
    for fold in np.unique(folds):
        inside = folds == fold
        found[inside] = net[inside, net[~inside].mean(axis=0).argmax()]
    return found


def rule_influence(evidence: Evidence, decision: NDArray[np.int8]) -> tuple[Array, bool]:
    """Influence of the rule's net earnings, and whether a budget binds.

    A threshold comes from other rows and adds nothing. A budget's cut-off comes from these rows:
    a row that uses more of it pushes others out, worth what a unit of budget earns at the margin.
    """
    net, terms = evidence.net, evidence.terms
    rows = np.arange(len(decision))
    picked = np.where(decision > 0, net[rows, np.maximum(decision, 1) - 1], 0.0)
    if terms.cap is None:
        return picked, False
    used = _used(terms, decision)
    if used.mean() < terms.cap * (1 - 1e-3):
        return picked, False
    less, more = (
        evidence.decisions(replace(terms, cap=terms.cap * factor))
        for factor in (1 - MARGIN, 1 + MARGIN)
    )
    extra = _used(terms, more).sum() - _used(terms, less).sum()
    earned = _net_of(net, more).sum() - _net_of(net, less).sum()
    margin = earned / extra if extra > 0 else 0.0
    return picked + margin * (used.mean() - used), True


def _used(terms: Terms, decision: NDArray[np.int8]) -> Array:
    return _net_of(terms.uses, decision)


def _net_of(values: Array, decision: NDArray[np.int8]) -> Array:
    rows = np.arange(len(decision))
    return np.where(decision > 0, values[rows, np.maximum(decision, 1) - 1], 0.0)


def best_arm(evidence: Evidence, gain: Array | None = None) -> tuple[Array, Array]:
    """For each row what its best treatment is predicted to net, and what it measured."""
    predicted = evidence.terms.net(evidence.gain if gain is None else gain)
    best = predicted.argmax(axis=1)
    rows = np.arange(len(best))
    return predicted[rows, best], evidence.net[rows, best]


def curve(evidence: Evidence) -> list[Estimate]:
    """Net earnings of treating the best 5 %, 10 %, ... 100 %, with a band for the whole curve."""
    predicted, net = best_arm(evidence)
    place = ranks(predicted, evidence.folds, evidence.tie)
    influence = np.column_stack([gain_of_best(net, place, share) for share in SHARES])
    return joint(influence, evidence.groups, evidence.seed)


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
