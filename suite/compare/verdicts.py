"""Rule S1: the verdict of one cell, ours against the number that the paper prints."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from suite.compare.resplits import corrected, nadeau_bengio
from suite.compare.units import LEAST_DRAWS

AGREES, HIGHER, LOWER, UNDECIDED = "agrees", "higher", "lower", "undecided"
TOO_FEW, PRIVATE = "too few draws", "private data"
NOT_YET_RUN, FAILED = "not yet run", "failed"
DECIDED = (AGREES, HIGHER, LOWER, UNDECIDED)
INTERIM = " (interim)"  # behind a decided word, where fewer replicates ran than planned

PAPER_RUNS = 20  # a printed number is a mean of as many runs
WIDEST = 0.5  # a wider half-width cannot say "agrees"
WIDEST_REAL = 0.05  # the same on real data, where numbers are ten times smaller
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Verdict:
    """A word, and the half-width that a difference must exceed (None with too few draws)."""

    word: str
    half_width: float | None = None


def cell_verdict(values: Sequence[float], paper: float, paper_runs: int = PAPER_RUNS) -> Verdict:
    """Ours against a printed mean over simulated data sets.

    The paper's runs are taken for a second sample with our spread, so
    h = t(0.975, n - 1) s sqrt(1/n + 1/20): a true agreement is called otherwise in 5 % of cells.
    """
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    if n < LEAST_DRAWS:
        return Verdict(TOO_FEW)
    error = float(numbers.std(ddof=1)) * math.sqrt(1 / n + 1 / paper_runs)
    return judge(float(numbers.mean()) - paper, _quantile(n) * error, WIDEST)


def resplit_verdict(values: Sequence[float], paper: float, printed: float) -> Verdict:
    """Ours over re-splits of one data set against a number printed with its error (rule S9e).

    Both standard errors are Nadeau and Bengio's; the printed one has to be corrected for it.
    """
    splits = len(values)
    if splits < LEAST_DRAWS:
        return Verdict(TOO_FEW)
    error = math.hypot(nadeau_bengio(values), corrected(printed))
    return judge(float(np.mean(values)) - paper, _quantile(splits) * error, WIDEST_REAL)


def judge(difference: float, half_width: float, widest: float) -> Verdict:
    """The word for a difference with its half-width."""
    if difference > half_width:
        return Verdict(HIGHER, half_width)
    if difference < -half_width:
        return Verdict(LOWER, half_width)
    return Verdict(AGREES if half_width <= widest else UNDECIDED, half_width)


def _quantile(n: int) -> float:
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
