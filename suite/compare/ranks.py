"""Rule S2: whether a column orders its rows as the paper does."""

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from suite.compare.paired import LEVEL
from suite.compare.verdicts import PAPER_RUNS

MOST_EXACT = 7  # rows whose permutations are all listed
PERMUTATIONS = 10_000
SIMULATIONS = 2000
SEED = 20210531
_TIE = 1e-12

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankLine:
    """Spearman's r of the paper's and our means, and what it is worth."""

    rows: int
    r: float
    p: float  # one-sided: chance of such an r among rows in random order
    least_p: float  # what a perfect agreement could reach


@dataclass(frozen=True)
class SelfAgreement:
    """What r would be if the paper had drawn from our own distribution."""

    median: float
    low: float  # its 5 % quantile


def rank_line(ours: ArrayLike, paper: ArrayLike) -> RankLine:
    """r with its permutation p: exact up to seven rows, from seeded permutations above."""
    ours, paper = np.asarray(ours, dtype=float), np.asarray(paper, dtype=float)
    rows = len(ours)
    if rows < 2:
        raise ValueError(f"{rows} rows have no order; give at least 2")
    r = float(_spearman(ours[None], paper)[0])
    if rows <= MOST_EXACT:
        orders = np.array(list(permutations(range(rows))))
        p, least = float(np.mean(_spearman(paper[orders], ours) >= r - _TIE)), 1 / len(orders)
    else:
        rng = np.random.default_rng(SEED)
        orders = rng.permuted(np.tile(np.arange(rows), (PERMUTATIONS, 1)), axis=1)
        hits = int(np.sum(_spearman(paper[orders], ours) >= r - _TIE))
        p, least = (1 + hits) / (1 + PERMUTATIONS), 1 / (1 + PERMUTATIONS)
    return RankLine(rows, r, p, least)


def self_agreement(matrix: ArrayLike, paper_runs: int = PAPER_RUNS) -> SelfAgreement:
    """r between our means m and m + e, e ~ N(0, S (1/n + 1/20)); rows are methods.

    Our means stand for the truth, which makes the quantile slightly strict.
    """
    values = np.asarray(matrix, dtype=float)
    n = values.shape[1]
    means = values.mean(axis=1)
    rng = np.random.default_rng(SEED)
    # Random combinations of the centred replicates have covariance S for any number of rows.
    noise = (values - means[:, None]) @ rng.normal(size=(n, SIMULATIONS)) / math.sqrt(n - 1)
    drawn = means[:, None] + noise * math.sqrt(1 / n + 1 / paper_runs)
    r = _spearman(drawn.T, means)
    return SelfAgreement(float(np.median(r)), float(np.quantile(r, 0.05)))


def sentence(line: RankLine, own: SelfAgreement | None) -> str:
    """What the two say about a column, for the note under a table."""
    start = f"Spearman's r with the paper's order of {line.rows} rows is {line.r:z.2f}"
    if line.least_p > LEVEL:
        return f"{start}: too few rows to say more (the least possible p is {line.least_p:.2f})."
    text = f"{start} (permutation p {line.p:.3f}, the least possible {line.least_p:.1g})"
    if own is None:
        return f"{text}."
    expected = f"drawn again from our own distribution it would be {own.median:z.2f}"
    text = f"{text}; {expected} in the median and at least {own.low:z.2f} in 95 %"
    differs = line.r < own.low - _TIE
    return f"{text}: " + (
        "the order differs beyond sampling error." if differs else "no difference of order shown."
    )


def _spearman(many: Floats, one: Floats) -> Floats:
    """Spearman's r of each line of `many` with `one`."""
    a, b = rankdata(many, axis=1), rankdata(one)
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean()
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum())
    return np.divide(a @ b, scale, out=np.zeros(len(a)), where=scale > 0)
