"""The three definitions of the measure written out row by row, in exact fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.stats import kendalltau

Scores = tuple[float, float, float]  # q, rho, q_adj
Counts = tuple[Fraction, Fraction, Fraction, Fraction]  # treated, controls, y of each


def paper(y: Sequence[int], s: Sequence[float], t: Sequence[int], bins: int) -> Scores:
    """Ties spread: an edge takes the same share of every row of a tied group."""
    n = len(s)
    edges = [math.ceil(Fraction(k * n, bins)) for k in range(bins + 1)]
    taken = [[_share(s, i, edge) for i in range(n)] for edge in edges]
    phi = [Fraction(edge, n) for edge in edges]
    q = _area(phi, [_gain(_counts(y, t, weights), sum(t)) for weights in taken])
    inside = [[b - a for a, b in zip(*pair, strict=True)] for pair in pairwise(taken)]
    predicted = [
        sum(w * Fraction(score) for w, score in zip(weights, s, strict=True)) / sum(weights)
        for weights in inside
    ]
    observed = [_observed(_counts(y, t, weights)) for weights in inside]
    total = 0
    for i in range(bins):
        for j in range(i + 1, bins):
            if observed[i] is not None and observed[j] is not None:
                total += _sign(predicted[i] - predicted[j]) * _sign(observed[i] - observed[j])
    return _scores(q, 2 * total / (bins * (bins - 1)))


def tools4uplift(y: Sequence[int], s: Sequence[float], t: Sequence[int], bins: int) -> Scores:
    """Ranks in whole per cent, and group g the ranks in ((g-1)/J, g/J]; group 0 is in no bin."""
    group = [math.ceil(Fraction(_r_percent(rank) * bins, 100)) for rank in _last_ranks(s)]
    cumulative = [_counts(y, t, [g <= k for g in group]) for k in range(1, bins + 1)]
    within = [_counts(y, t, [g == k for g in group]) for k in range(1, bins + 1)]
    return _by_share_of_treated(cumulative, within, sum(t))


def twincausal(y: Sequence[int], s: Sequence[float], t: Sequence[int], bins: int) -> Scores:
    """Ranks rounded to 1/J; every rounded rank above 0 that occurs ends a bin."""
    rank = [int(np.rint(rank * bins)) for rank in _last_ranks(s)]
    ends = sorted({r for r in rank if r > 0})
    cumulative = [_counts(y, t, [r <= end for r in rank]) for end in ends]
    starts = [-1, *ends]
    within = [
        _counts(y, t, [start < r <= end for r in rank])
        for start, end in zip(starts, ends, strict=False)
    ]
    q, rho, _ = _by_share_of_treated(cumulative, within, sum(t))
    return _scores(q, round(rho, 2))


def _share(s: Sequence[float], row: int, edge: int) -> Fraction:
    above = sum(score > s[row] for score in s)
    tied = sum(score == s[row] for score in s)
    return min(Fraction(1), max(Fraction(0), Fraction(edge - above, tied)))


def _last_ranks(s: Sequence[float]) -> list[float]:
    return [sum(other >= score for other in s) / len(s) for score in s]


def _r_percent(rank: float) -> int:
    low, high = math.floor(100 * rank), math.ceil(100 * rank)
    to_low, to_high = rank - low / 100, high / 100 - rank
    if to_low == to_high:
        return low if low % 2 == 0 else high
    return low if to_low < to_high else high


def _counts(y: Sequence[int], t: Sequence[int], weights: Sequence[Fraction | bool]) -> Counts:
    rows = list(zip(y, t, weights, strict=True))
    return (
        Fraction(sum(w for _, arm, w in rows if arm == 1)),
        Fraction(sum(w for _, arm, w in rows if arm == 0)),
        Fraction(sum(w for label, arm, w in rows if arm == 1 and label == 1)),
        Fraction(sum(w for label, arm, w in rows if arm == 0 and label == 1)),
    )


def _gain(counts: Counts, all_treated: int) -> Fraction:
    treated, control, treated_y, control_y = counts
    lost = control_y * treated / control if control else 0
    return (treated_y - lost) / all_treated


def _observed(counts: Counts) -> Fraction | None:
    treated, control, treated_y, control_y = counts
    return treated_y / treated - control_y / control if treated and control else None


def _area(x: Sequence[Fraction], gain: Sequence[Fraction]) -> float:
    above = [g - a * gain[-1] for a, g in zip(x, gain, strict=True)]
    strips = [(x[k + 1] - x[k]) * (above[k + 1] + above[k]) / 2 for k in range(len(x) - 1)]
    return float(100 * sum(strips))


def _by_share_of_treated(cumulative: list[Counts], within: list[Counts], treated: int) -> Scores:
    x = [Fraction(0), *(counts[0] / treated for counts in cumulative)]
    q = _area(x, [Fraction(0), *(_gain(counts, treated) for counts in cumulative)])
    observed = [u for u in map(_observed, within) if u is not None]
    if len(set(observed)) < 2:
        return _scores(q, 0.0)  # nothing to correlate
    rho = kendalltau(range(len(observed), 0, -1), [float(u) for u in observed]).statistic
    return _scores(q, float(rho))


def _scores(q: float, rho: float) -> Scores:
    return q, rho, rho * max(0.0, q)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def at_ranks(
    y: np.ndarray, s: np.ndarray, t: np.ndarray, ranks: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores at ranks by sorting all of them; rows above and tied by comparing all of them."""
    values = np.sort(s)[np.append(ranks, others)]
    kinds = [s[(y == outcome) & (t == arm)] for outcome in (0, 1) for arm in (0, 1)]
    counted = values[: len(ranks)]
    above = np.array([[np.count_nonzero(own > v) for v in counted] for own in kinds])
    tied = np.array([[np.count_nonzero(own == v) for v in counted] for own in kinds])
    return values, above, tied
