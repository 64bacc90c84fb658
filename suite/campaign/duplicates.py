"""Columns that say the same as another one."""

import numpy as np
import pandas as pd


def duplicates(frame: pd.DataFrame) -> dict[str, str]:
    """Columns that say the same as an earlier one: {later: earlier}."""
    seen: dict[int, list[str]] = {}  # by the rows that have equal values
    found = {}
    for name in frame:
        codes, _ = pd.factorize(frame[name])
        alike = seen.setdefault(hash(codes.tobytes()), [])
        first = next((other for other in alike if _say_the_same(frame[name], frame[other])), None)
        if first is None:
            alike.append(name)
        else:
            found[name] = first
    return found


def _say_the_same(one: pd.Series, other: pd.Series) -> bool:
    """Numbers and dates: the same values. Levels may have other names, but the same rows each."""
    if one.dtype.kind in "fM" and other.dtype.kind in "fM":
        return one.equals(other)
    return np.array_equal(pd.factorize(one)[0], pd.factorize(other)[0])
