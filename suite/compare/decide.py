"""Analysis A: what a measure can decide on a data set, from the records of its methods."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from suite.compare.means import Mean
from suite.compare.power import detectable, replicates
from suite.compare.resplits import TEST_TO_TRAIN
from suite.compare.runs import Frame, Run, paired_spread
from suite.compare.units import LEAST_DRAWS

SHARE = 0.1  # of the oracle's q: a difference worth finding
MEASURES: dict[str, Callable[[Run], float | None]] = {
    "q_adj": lambda run: run.q_adj,
    "q": lambda run: run.q,
    "true q (regret)": lambda run: run.true_q,
}


@dataclass(frozen=True)
class Decision:
    """How well one measure tells the methods of a column apart."""

    measure: str
    methods: int
    n: int
    spread: float  # of a paired difference, the median over pairs
    worth: float | None  # a tenth of the oracle's q
    needed: int | None  # replicates that find it with 80 % power
    least: float  # difference that the n replicates find with 80 % power
    range: float  # from the lowest to the highest mean
    as_truth: float | None  # share of pairs in the order of regret
    gap: Mean | None  # highest method minus oracle; above 0 the measure is improper here
    highest: str


def decisions(source: Frame, simulated: bool) -> list[Decision]:
    """One line per measure; none with fewer than two methods or five common replicates."""
    if len(source.methods) < 2 or len(source.common) < LEAST_DRAWS:
        return []
    measures = MEASURES if simulated else {k: v for k, v in MEASURES.items() if "true" not in k}
    return [_decision(source, name, number, simulated) for name, number in measures.items()]


def _decision(
    source: Frame, name: str, number: Callable[[Run], float], simulated: bool
) -> Decision:
    values = {m: np.array([number(run) for run in source.shown(m)]) for m in source.methods}
    n, spread = len(source.common), paired_spread([source.shown(m) for m in source.methods], number)
    means = {m: float(own.mean()) for m, own in values.items()}
    highest = max(means, key=lambda m: means[m])
    oracle = source.shown("oracle")
    worth = SHARE * float(np.mean([run.oracle_q for run in oracle])) if oracle else None
    # Re-splits of one data set share their rows: no number of them takes the last part away.
    widened = spread if simulated else spread * float(np.sqrt(1 + n * TEST_TO_TRAIN))
    return Decision(
        measure=name,
        methods=len(values),
        n=n,
        spread=spread,
        worth=worth,
        needed=replicates(worth, spread) if worth else None,
        least=detectable(widened, n),
        range=max(means.values()) - min(means.values()),
        as_truth=_as_truth(source, means) if simulated else None,
        gap=Mean.of(values[highest] - [number(run) for run in oracle]) if oracle else None,
        highest=highest,
    )


def _as_truth(source: Frame, means: dict[str, float]) -> float:
    """The share of pairs whose means stand in the order of their mean true q."""
    truth = {m: float(np.mean([run.true_q for run in source.shown(m)])) for m in means}
    pairs = list(combinations(means, 2))
    same = sum((means[a] - means[b]) * (truth[a] - truth[b]) > 0 for a, b in pairs)
    return same / len(pairs)
