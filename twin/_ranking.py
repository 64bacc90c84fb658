"""The scores at given ranks, and how many rows of each kind lie above them or are tied with them.

A kind is an outcome in an arm, numbered 2 y + t. A curve needs these counts at its J + 1 edges
alone, not a sorted list. So many rows are dealt into buckets of neighbouring scores, in one pass
that counts them; the counts tell in which bucket an edge lies, and only the few rows of such
buckets are put in order. All results are counts and scores of rows, exact and the same whichever
way they were found.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]
Labels = NDArray[np.int8]

MANY = 1 << 15  # rows from which on buckets are worth it
BUCKETS = 1024  # their counts stay in the nearest cache
SAMPLE = 1 << 12  # about so many rows tell where scores lie


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
        low, scale = _ruler(scores)
        if 0 < scale < np.inf:
            return _of_many(y, scores, t, ranks, others, low, scale)
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
    y: Labels, scores: Floats, t: Labels, ranks: Ranks, others: Ranks, low: float, scale: float
) -> Ranked:
    """Only rows of the buckets that hold a rank are put in order; of the others counts do."""
    from twin import _ranking_kernels as kernels  # imports numba: not for a few rows

    counts, cells = np.zeros((BUCKETS, 4), np.int64), np.empty(len(scores), np.uint16)
    kernels.count(scores, y, t, low, scale, counts.ravel(), cells)
    ends = np.cumsum(counts.sum(axis=1))
    every = np.append(ranks, others)
    buckets = ends.searchsorted(every, "right")
    wanted = np.zeros((BUCKETS, 4), np.bool_)
    wanted[buckets] = True
    stops = np.cumsum(counts * wanted).reshape(-1, 4)
    starts = stops - counts * wanted
    size = stops[-1, -1]
    kept, kept_cells = np.empty(size), np.empty(size, np.uint16)
    kernels.keep(scores, cells, wanted.ravel(), kept, kept_cells)
    near = np.empty(size)
    kernels.group(kept, kept_cells, starts.astype(np.uint64).ravel(), near)

    values = np.empty(len(every))
    for bucket in np.unique(buckets):
        own = near[starts[bucket, 0] : stops[bucket, -1]]
        here = np.flatnonzero(buckets == bucket)
        values[here] = _order_statistics(own, every[here] - (ends[bucket] - len(own)))
    above = counts.sum(axis=0) - np.cumsum(counts, axis=0)[buckets[: len(ranks)]]
    tied = np.empty_like(above)
    kernels.tally(near, starts, stops, buckets, values, above, tied)
    return Ranked(values, above.T, tied.T)


def _ruler(scores: Floats) -> tuple[float, float]:
    """Where buckets start and how many there are per unit of score, as a sample of rows tells.

    A few scores may lie far out: the lowest 0.25 % share the first bucket, the highest the last.
    The sample decides how many rows fall into a bucket, never a result.
    """
    sample = np.sort(scores[:: max(1, len(scores) // SAMPLE)])
    low, high = sample[len(sample) // 400], sample[-1 - len(sample) // 400]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return low, (BUCKETS - 1) / (high - low)


def _order_statistics(scores: Floats, ranks: Ranks) -> Floats:
    """The scores at `ranks`, mostly one rank or two adjacent ones."""
    high = int(ranks.max())
    parted = np.partition(scores, high)
    if high - ranks.min() > 1:
        return np.sort(parted[: high + 1])[ranks]
    below = parted[:high].max() if high else parted[0]
    return np.where(ranks == high, parted[high], below)
