"""What a rule is worth on rows it has not seen, against nobody, everybody and chance."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from suite.campaign.allocation import Terms, decide
from suite.campaign.inference import Estimate, gain_of_best, joint, ranks

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
    affordable: bool  # whether the budget allows everybody
    better: Literal["everybody", "nobody"]  # whichever earns more
    rival: Literal["everybody", "nobody", "random"]  # the best that needs no prediction
    over_rival: Estimate  # rule less that


def compare(evidence: Evidence, terms: Terms | None = None, *, tells: bool = True) -> Comparison:
    """The rule against nobody, everybody and the same number at random.

    Where customers cannot be told apart (`tells`) and no budget says how many may be treated, the
    rule is everybody or nobody, whatever single folds would have chosen.
    """
    terms = terms or evidence.terms
    evidence = replace(evidence, terms=terms)
    net = evidence.net
    arm = int(net.mean(axis=0).argmax()) + 1
    everybody = _everybody(net, evidence.folds)
    better = "everybody" if everybody.mean() > 0 else "nobody"
    if tells or terms.cap is not None:
        decision = evidence.decisions()
        rule, binds = rule_influence(evidence, decision)
        chance = _chance(net, decision, binds)
    else:
        decision = np.full(len(net), arm if better == "everybody" else 0, np.int8)
        rule = chance = everybody if better == "everybody" else np.zeros(len(net))
    affordable = terms.cap is None or terms.uses[:, arm - 1].mean() <= terms.cap * (1 + 1e-12)
    blind = everybody if affordable else chance
    rival = ("everybody" if affordable else "random") if blind.mean() > 0 else "nobody"
    return Comparison(
        decision=decision,
        share=float((decision > 0).mean()),
        shares=tuple(float((decision == a + 1).mean()) for a in range(net.shape[1])),
        nobody=evidence.estimate(rule),
        everybody=evidence.estimate(rule - everybody),
        random=evidence.estimate(rule - chance),
        all_treated=evidence.estimate(everybody),
        everybody_arm=arm,
        affordable=affordable,
        better=better,
        rival=rival,
        over_rival=evidence.estimate(rule if rival == "nobody" else rule - blind),
    )


def _chance(net: Array, decision: NDArray[np.int8], binds: bool) -> Array:
    """Influence of the same number of each treatment at random; `binds`: a budget sets it."""
    found = np.zeros(len(net))
    for a in range(net.shape[1]):
        share = float((decision == a + 1).mean())
        found += share * net[:, a]
        if not binds:  # the number of treated is the rule's own, and as uncertain as the rows
            found += net[:, a].mean() * ((decision == a + 1) - share)
    return found


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
