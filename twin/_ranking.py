"""The scores at given ranks, and how many rows of each kind lie above them or are tied with them.

A kind is an outcome in an arm, numbered 2 y + t. A curve needs these counts at its J + 1 edges
alone, not a sorted list. So of many rows only those near an edge are looked at closely: a sample
says between which two values (pivots) the score at an edge should lie, one pass counts the rows
in every bucket between two pivots, and only the few rows around the edges are put in order. All
results are counts and scores of rows, exact and the same whichever way they were found.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]
Labels = NDArray[np.int8]

MANY = 1 << 15  # rows from which on the detour by a sample is worth it
SAMPLE = 1 << 15  # about so many rows are in the sample
MOST_PIVOTS = 60  # every row is compared with every pivot; with more of them a sort is faster


class Ranked(NamedTuple):
    """Scores at ranks; for the first of them, the rows of each kind above and tied with them."""

    values: NDArray[np.floating]  # (ranks + others,)
    above: NDArray[np.intp]  # (4, ranks)
    tied: NDArray[np.intp]


def at_ranks(
    y: Labels, scores: NDArray[np.floating], t: Labels, ranks: Ranks, others: Ranks
) -> Ranked:
    """The scores at `ranks` (0 the least) with counts, and the scores at `others` without."""
    if len(scores) >= MANY:
        # float32 scores keep their order and their ties as float64.
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        low, high = _brackets(scores, ranks)
        if len(np.union1d(low, high)) <= MOST_PIVOTS:
            return _of_many(y, scores, t, ranks, others, low, high)
    return _of_few(y, scores, t, ranks, others)


def _of_few(
    y: Labels, scores: NDArray[np.floating], t: Labels, ranks: Ranks, others: Ranks
) -> Ranked:
    """Sorting scores is several times faster than sorting rows by score: a list for each kind."""
    treated, responded = t == 1, y == 1
    kinds = [
        scores.compress(arm & outcome)
        for outcome in (~responded, responded)
        for arm in (~treated, treated)
    ]
    for own in kinds:
        own.sort()
    # A stable sort merges runs that are sorted already.
    values = np.sort(np.concatenate(kinds), kind="stable")[np.append(ranks, others)]
    counted = values[: len(ranks)]
    above = np.array([len(own) - own.searchsorted(counted, "right") for own in kinds])
    tied = np.array([len(own) - own.searchsorted(counted) for own in kinds]) - above
    return Ranked(values, above, tied)


def _of_many(
    y: Labels, scores: Floats, t: Labels, ranks: Ranks, others: Ranks, low: Floats, high: Floats
) -> Ranked:
    """Only rows between `low` and `high` are put in order; of the others counts are enough."""
    from twin import _ranking_kernels as kernels  # imports numba: not for a few rows

    pivots = np.union1d(low, high)
    padded = np.append(pivots, np.full(-len(pivots) % kernels.GROUP, np.inf))
    # Bucket b has the scores from pivot b - 1 (included) up to pivot b (excluded).
    wanted = np.zeros(len(pivots) + 1, np.bool_)
    for start, end in zip(
        pivots.searchsorted(low, "right"), pivots.searchsorted(high, "right"), strict=True
    ):
        wanted[start : max(end, start + 1)] = True
    kept, cells = np.empty(len(scores)), np.empty(len(scores), np.uint8)
    every = np.append(ranks, others)
    while True:
        counts = np.zeros((len(wanted), 4), np.int64)
        size = kernels.count(scores, y, t, padded, wanted, counts.ravel(), kept, cells)
        ends = np.cumsum(counts.sum(axis=1))
        buckets = ends.searchsorted(every, "right")
        if wanted[buckets].all():
            break
        # The sample misled, as it may where rows come in some order; the counts do not.
        wanted = np.isin(np.arange(len(wanted)), buckets)
    stops = np.cumsum(counts * wanted[:, None]).reshape(-1, 4)
    starts = stops - counts * wanted[:, None]
    near = np.empty(size)
    kernels.group(kept[:size], cells[:size], starts.astype(np.uint64).ravel(), near)

    values = np.empty(len(every))
    above = counts.sum(axis=0) - np.cumsum(counts, axis=0)[buckets[: len(ranks)]]
    tied = np.zeros_like(above)
    for bucket in np.unique(buckets):
        kinds = [near[a:b] for a, b in zip(starts[bucket], stops[bucket], strict=True)]
        own = near[starts[bucket, 0] : stops[bucket, -1]]
        here = np.flatnonzero(buckets == bucket)
        values[here] = _order_statistics(own, every[here] - (ends[bucket] - len(own)))
        for rank in here[here < len(ranks)]:
            for kind, scores_of_kind in enumerate(kinds):
                more, tied[rank, kind] = kernels.tally(scores_of_kind, values[rank])
                above[rank, kind] += more
    return Ranked(values, above.T, tied.T)


def _brackets(scores: Floats, ranks: Ranks) -> tuple[Floats, Floats]:
    """Two values around the score at each rank, as a sample of the rows tells."""
    sample = np.sort(scores[:: max(1, len(scores) // SAMPLE)])
    m, share = len(sample), (ranks + 0.5) / len(scores)
    # Three standard errors of a random sample, and a little for the ends.
    slack = 3 * np.sqrt(m * share * (1 - share)) + 4
    low, high = (share * m - slack).astype(np.intp), (share * m + slack).astype(np.intp)
    return (
        np.where(low > 0, sample[np.maximum(low, 0)], -np.inf),
        np.where(high < m, sample[np.minimum(high, m - 1)], np.inf),
    )


def _order_statistics(scores: Floats, ranks: Ranks) -> Floats:
    """The scores at `ranks`, mostly one rank or two in a row."""
    high = int(ranks.max())
    parted = np.partition(scores, high)
    if high - ranks.min() > 1:
        return np.sort(parted[: high + 1])[ranks]
    below = parted[:high].max() if high else parted[0]
    return np.where(ranks == high, parted[high], below)
