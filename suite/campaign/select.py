"""The best steps within a budget, of more rows than memory holds.

Steps (slope, tie, price) lie in a file. The cut is found exactly in eight passes over it, sixteen
bits of the slope and then of the tie at a time: what lies before the cut fits into the budget.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 20  # steps looked at at a time
Array = NDArray[np.float64]
_BITS = 16
_SHIFTS = (48, 32, 16, 0)


class Cut(NamedTuple):
    """Steps are taken that are steeper than `slope`, or as steep with a tie below `tie`."""

    slope: float
    tie: float

    def takes(self, slope: Array, tie: Array) -> NDArray[np.bool_]:
        """Which steps lie before the cut."""
        return (slope > self.slope) | ((slope == self.slope) & (tie < self.tie))


ALL = Cut(-np.inf, np.inf)


def cut(path: Path, budget: float) -> Cut:
    """Where the steps of the file, the steepest first, use up `budget`."""
    if path.stat().st_size == 0:
        return ALL
    steps = np.memmap(path, np.float64, "r").reshape(-1, 3)
    left = budget * (1 + 1e-12)  # rounding of a sum must not lose the last customer
    slope, left = _select(steps, 0, left, None)
    if slope is None:
        return ALL
    tie, _ = _select(steps, 1, left, slope)
    return Cut(slope, np.inf if tie is None else tie)


def _select(
    steps: NDArray[np.float64], column: int, left: float, slope: float | None
) -> tuple[float | None, float]:
    """The value at which the prices pass `left`, and what is left before it; None: never.

    Slopes fall, ties (of one slope) rise. Numbers from 0 up are ordered as their bits are.
    """
    found = np.uint64(0)
    for shift in _SHIFTS:
        prices = np.zeros(1 << _BITS)
        for start in range(0, len(steps), CHUNK):
            part = np.asarray(steps[start : start + CHUNK])
            keep = np.ones(len(part), bool) if slope is None else part[:, 0] == slope
            bits = np.ascontiguousarray(part[keep, column]).view(np.uint64)
            if shift < 48:
                same = (bits >> np.uint64(shift + _BITS)) == found
                bits, keep = bits[same], np.flatnonzero(keep)[same]
            digit = ((bits >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.int64)
            prices += np.bincount(digit, weights=part[keep, 2], minlength=1 << _BITS)
        order = np.arange(1 << _BITS)[:: -1 if slope is None else 1]
        total = np.cumsum(prices[order])
        over = np.flatnonzero(total > left)
        if len(over) == 0:
            return None, left
        j = int(over[0])
        left -= total[j - 1] if j else 0.0
        found = (found << np.uint64(_BITS)) | np.uint64(order[j])
    return float(np.array(found, np.uint64).view(np.float64)), left
