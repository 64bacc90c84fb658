"""The passes over all rows of `twin._ranking`, compiled.

A row falls into a bucket by its score, and into a cell, its bucket and kind: 4 bucket + 2 y + t.
Whole numbers are unsigned where they are used as an index, which spares a test for negative ones.
"""

import numpy as np
from numba import njit

_BLOCK = 512  # rows whose cells are found together, so that they stay in the nearest cache


@njit(cache=True, nogil=True)
def count(scores, y, t, low, scale, counts, cells):
    """Adds all rows to `counts` by cell, and notes the cell of each row in `cells`.

    The bucket, (score - low) scale within the range of buckets, never falls where scores rise:
    each operation rounds, but none of them changes the order of two results.
    """
    last = float(len(counts) // 4 - 1)
    for start in range(0, len(scores), _BLOCK):
        block, own = scores[start : start + _BLOCK], cells[start : start + _BLOCK]
        own_y, own_t = y[start : start + _BLOCK], t[start : start + _BLOCK]
        for i in range(len(block)):
            place = (block[i] - low) * scale
            place = place if place > 0.0 else 0.0
            place = place if place < last else last
            own[i] = np.uint16(4 * np.int32(place) + np.int32(2 * own_y[i] + own_t[i]))
        for i in range(len(block)):
            counts[np.uint64(own[i])] += 1


@njit(cache=True, nogil=True)
def keep(scores, cells, wanted, near, near_cells):
    """The scores and cells of the rows in wanted cells, mostly few, one behind the other."""
    kept = np.uint64(0)
    for i in range(len(scores)):
        if wanted[np.uint64(cells[i])]:
            near[kept] = scores[i]
            near_cells[kept] = cells[i]
            kept += np.uint64(1)


@njit(cache=True, nogil=True)
def group(scores, cells, places, out):
    """`scores` into `out`, those of a cell together from its place on."""
    for i in range(len(scores)):
        cell = np.uint64(cells[i])
        out[places[cell]] = scores[i]
        places[cell] += np.uint64(1)


@njit(cache=True, nogil=True)
def tally(scores, starts, stops, buckets, values, above, tied):
    """For each rank adds the rows of its bucket that lie above its score, or are tied with it.

    The rows of cell (bucket, kind) are `scores` from `starts` to `stops`; `above` and `tied` have
    one line per rank and one column per kind.
    """
    for rank in range(len(above)):
        value = values[rank]
        for kind in range(4):
            more = equal = 0
            cell = buckets[rank], kind
            for score in scores[starts[cell] : stops[cell]]:
                more += np.int64(score > value)
                equal += np.int64(score == value)
            above[rank, kind] += more
            tied[rank, kind] = equal
