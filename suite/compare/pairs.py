"""Rule S15: every pair of methods; pairs that cannot be tested do not count in the correction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from suite.compare.paired import Estimate, holm, signed_rank
from suite.compare.resplits import paired
from suite.compare.units import LEAST_DRAWS


@dataclass(frozen=True)
class Pair:
    """The differences a - b of two methods on their common replicates."""

    n: int
    mean: float
    low: float | None  # 95 % t interval; None where the pair is not tested
    high: float | None
    wins: int
    ties: int
    losses: int
    p: float | None  # two-sided paired t
    p_wilcoxon: float | None
    p_holm: float | None = None


def compare_pair(
    a: Mapping[int, float], b: Mapping[int, float], resplits: bool = False
) -> Pair | None:
    """The paired comparison of two series by replicate; None without a common replicate.

    `resplits`: the replicates split one data set again and again, and share its rows.
    """
    common = sorted(a.keys() & b.keys())
    if not common:
        return None
    differences = np.array([a[r] - b[r] for r in common])
    counts = [int((s * differences > 0).sum()) for s in (1, -1)]
    tested = len(common) >= LEAST_DRAWS
    estimator = paired if resplits else Estimate.of
    estimate = estimator(differences) if tested else None
    low, high = estimate.interval() if estimate else (None, None)
    return Pair(
        n=len(common),
        mean=float(differences.mean()),
        low=low,
        high=high,
        wins=counts[0],
        ties=len(common) - sum(counts),
        losses=counts[1],
        p=estimate.p_two_sided() if estimate else None,
        # Wilcoxon's test takes the replicates for independent.
        p_wilcoxon=signed_rank(differences) if tested and not resplits else None,
    )


def all_pairs(
    series: Mapping[str, Mapping[int, float]], resplits: bool = False
) -> dict[tuple[str, str], Pair]:
    """Every pair in the order given, with Holm over those that are tested."""
    found = {
        (a, b): pair
        for a, b in combinations(series, 2)
        if (pair := compare_pair(series[a], series[b], resplits)) is not None
    }
    tested = [names for names, pair in found.items() if pair.p is not None]
    for names, p in zip(tested, holm([found[names].p for names in tested]), strict=True):
        found[names] = replace(found[names], p_holm=p)
    return found
