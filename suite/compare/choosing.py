"""Analysis B: what choosing by a noisy score costs, by score and number of candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suite.compare.paired import Estimate
from suite.compare.strata import stratified

# The scores by which a candidate can be chosen on validation rows: sign and what it is called.
SCORES = {
    "q_adj": (1, "q_adj (the paper's)"),
    "q": (1, "q"),
    "r_loss": (-1, "R-loss, one mean outcome for all"),
    "r_loss_own_mean": (-1, "R-loss with the candidate's own mean outcome"),
    "likelihood": (1, "likelihood of the outcomes"),
    "true_q": (1, "the truth (not to be had)"),
}
COUNTS = (1, 4, 12, 41)
SUBSETS = 200


@dataclass(frozen=True)
class Unit:
    """The candidates of one draw: scores on validation rows by name, and worth on test rows."""

    scenario: str
    replicate: int
    oracle_q: float
    scores: Mapping[str, Sequence[float]]  # by name of the score, one for each candidate
    test_q_adj: Sequence[float]


@dataclass(frozen=True)
class Choice:
    """What choosing by one score among so many candidates gives, over all draws."""

    score: str
    count: int
    regret: Estimate
    against_q_adj: Estimate | None  # the difference in regret; None for q_adj itself
    optimism: Estimate | None  # of q_adj: validation minus test, where it is chosen by


def choices(units: Sequence[Unit]) -> list[Choice]:
    """Every score and number of candidates; scenarios are strata, draws the unit."""
    found = []
    for count in COUNTS:
        by_score = {score: [_chosen(unit, score, count) for unit in units] for score in SCORES}
        for score, own in by_score.items():
            regrets = [regret for regret, _ in own]
            base = [regret for regret, _ in by_score["q_adj"]]
            same = score == "q_adj" or count == 1
            differences = [a - b for a, b in zip(regrets, base, strict=True)]
            found.append(
                Choice(
                    score,
                    count,
                    _over_draws(units, regrets),
                    None if same else _over_draws(units, differences),
                    _over_draws(units, [o for _, o in own]) if score == "q_adj" else None,
                )
            )
    return found


def _chosen(unit: Unit, score: str, count: int) -> tuple[float, float]:
    """Regret of the winner and optimism of its q_adj, over the same subsets for every score."""
    values = SCORES[score][0] * np.array(unit.scores[score])
    regret = unit.oracle_q - np.array(unit.scores["true_q"])
    optimism = np.array(unit.scores["q_adj"]) - np.array(unit.test_q_adj)
    rng = np.random.default_rng(count)
    subsets = np.argsort(rng.random((SUBSETS, len(values))), axis=1)[:, :count]
    winners = subsets[np.arange(SUBSETS), values[subsets].argmax(axis=1)]
    return float(regret[winners].mean()), float(optimism[winners].mean())


def _over_draws(units: Sequence[Unit], values: Sequence[float]) -> Estimate:
    strata: dict[str, list[float]] = {}
    for unit, value in zip(units, values, strict=True):
        strata.setdefault(unit.scenario, []).append(value)
    return stratified(list(strata.values()))
