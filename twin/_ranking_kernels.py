"""The passes over all rows of `twin._ranking`, compiled: comparisons and counts, no arithmetic.

A row falls into a bucket, the number of pivots that are not above its score, and into a cell, its
bucket and kind: 4 bucket + 2 y + t. Whole numbers are unsigned where they are used as an index,
which spares a test for negative ones.
"""

import numpy as np
from numba import njit

_BLOCK = 512  # rows whose buckets are found together, so that they stay in the nearest cache
GROUP = 4  # pivots that a pass over a block compares with at once


@njit(cache=True, nogil=True)
def count(scores, y, t, pivots, wanted, counts, near, cells):
    """Adds all rows to `counts` by cell; the scores and cells of wanted buckets are kept.

    `pivots` come in whole groups. Returns how many rows were kept: each is written behind those
    kept so far, and stays only if it is wanted, without a branch that a processor could not
    foresee.
    """
    below = np.empty(_BLOCK, np.int64)
    kept = np.uint64(0)
    for start in range(0, len(scores), _BLOCK):
        block = scores[start : start + _BLOCK]
        own_y, own_t = y[start : start + _BLOCK], t[start : start + _BLOCK]
        below[:] = 0
        for k in range(0, len(pivots), GROUP):
            p0, p1, p2, p3 = pivots[k], pivots[k + 1], pivots[k + 2], pivots[k + 3]
            for i in range(len(block)):
                score = block[i]
                below[i] += (
                    np.int64(score >= p0)
                    + np.int64(score >= p1)
                    + np.int64(score >= p2)
                    + np.int64(score >= p3)
                )
        for i in range(len(block)):
            bucket = np.uint64(below[i])
            cell = np.uint64(4) * bucket + np.uint64(2 * own_y[i] + own_t[i])
            counts[cell] += 1
            near[kept] = block[i]
            cells[kept] = cell
            kept += np.uint64(wanted[bucket])
    return kept


@njit(cache=True, nogil=True)
def group(scores, cells, places, out):
    """`scores` into `out`, those of a cell together from its place on."""
    for i in range(len(scores)):
        cell = np.uint64(cells[i])
        out[places[cell]] = scores[i]
        places[cell] += np.uint64(1)


@njit(cache=True, nogil=True)
def tally(scores, value):
    """How many scores are above `value`, and how many equal it."""
    above = tied = 0
    for score in scores:
        above += np.int64(score > value)
        tied += np.int64(score == value)
    return above, tied
