"""Rule S16: what selection on validation rows flatters, and what a random ranking scores."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

Scores = Mapping[int, tuple[float, float]]  # (validation, test) by replicate


@dataclass(frozen=True)
class Null:
    """q_adj of the random ranking: it is not 0 on average, because a negative q counts as 0."""

    n: int
    mean: float
    high: float  # 95 % quantile


def optimism(method: Scores, oracle: Scores) -> list[float]:
    """(validation - test) minus the oracle's on the same replicate, which no choice flatters."""
    return [
        (method[r][0] - method[r][1]) - (oracle[r][0] - oracle[r][1])
        for r in sorted(method.keys() & oracle.keys())
    ]


def null_scores(scores: list[float]) -> Null | None:
    """Mean and 95 % quantile of a random ranking's scores; None without any."""
    if not scores:
        return None
    return Null(len(scores), float(np.mean(scores)), float(np.quantile(scores, 0.95)))
