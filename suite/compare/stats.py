"""Paired statistics over replicates: Wilcoxon signed-rank, Holm, win/tie/loss, bootstrap."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import mannwhitneyu, wilcoxon

BOOTSTRAP_DRAWS = 10_000
BOOTSTRAP_SEED = 20210531
LEVEL = 0.95


@dataclass(frozen=True)
class Pair:
    """The differences a - b of two methods on the same replicates."""

    n: int
    mean: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    p: float  # two-sided Wilcoxon signed-rank


def compare_pair(a: Sequence[float], b: Sequence[float]) -> Pair | None:
    """The paired comparison of two series; None without common replicates."""
    differences = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if len(differences) == 0:
        return None
    low, high = bootstrap_interval(differences)
    return Pair(
        n=len(differences),
        mean=float(differences.mean()),
        low=low,
        high=high,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        p=signed_rank(differences),
    )


def signed_rank(differences: np.ndarray, alternative: str = "two-sided") -> float:
    """p of the Wilcoxon signed-rank test; 1 where nothing differs."""
    differences = differences[differences != 0]
    if len(differences) == 0:
        return 1.0
    return float(wilcoxon(differences, alternative=alternative).pvalue)


def rank_sum(a: Sequence[float], b: Sequence[float], alternative: str = "two-sided") -> float:
    """p of the Mann-Whitney test, for series that are not paired."""
    return float(mannwhitneyu(a, b, alternative=alternative).pvalue)


def bootstrap_interval(differences: np.ndarray) -> tuple[float, float]:
    """The percentile interval of the mean, from a seed of its own."""
    if len(differences) < 2:
        return math.nan, math.nan
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    draws = rng.integers(0, len(differences), (BOOTSTRAP_DRAWS, len(differences)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(differences[draws].mean(axis=1), (tail, 1 - tail))
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given."""
    m = len(p_values)
    adjusted = [1.0] * m
    running = 0.0
    for rank, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (m - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
