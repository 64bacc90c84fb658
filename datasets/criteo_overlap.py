"""Four samples of CRITEO-UPLIFT v2.1 as one: their formats undone, their common rows kept once.

The samples were drawn from the same file independently, so some rows are in two of them. The file
has true duplicates, so that equal rows prove nothing. How many of the equal rows are one row twice
is estimated from how often rows of the same kind occur once and twice inside the samples, and as
many are dropped. Which ones is unknown: a few thousand rows remain twice, as many are gone.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from datasets.criteo_csv import FEATURES

if TYPE_CHECKING:
    import pandas as pd

Keys = NDArray[np.uint64]

LABELS = ("treatment", "visit", "conversion")
ROWS = 13_979_592  # of the complete file
NOT_GIVEN = -1  # the exposure of samples that leave it out
LOGGED = ("f1", "f3", "f4", "f5", "f7", "f8", "f9", "f10", "f11")
_SNAP = 1e-9  # values undone are at most 2e-14 away from the value they come from


def undo_logarithm(frame: "pd.DataFrame", reference: "pd.DataFrame") -> "pd.DataFrame":
    """The covariates that one sample holds as log(1 + x + shift), as they were.

    The shift is the one that maps the most frequent value to that of `reference`. A value that the
    reference has too is then taken from there, so that samples can be compared bit by bit.
    """
    frame = frame.copy()
    for name in LOGGED:
        x = np.expm1(frame[name].to_numpy())
        shift = _most_frequent(x) - _most_frequent(reference[name].to_numpy())
        if abs(shift) > _SNAP:
            x = x - shift
        known = np.unique(reference[name].to_numpy())
        above = np.clip(np.searchsorted(known, x), 1, len(known) - 1)
        below = above - 1
        nearest = known[np.where(known[above] - x < x - known[below], above, below)]
        frame[name] = np.where(np.abs(nearest - x) < _SNAP, nearest, x)
    return frame


def unite(samples: Sequence["pd.DataFrame"]) -> "pd.DataFrame":
    """All rows of the first sample, and of each further one those that are not held already.

    The covariates become float32; `source` is the number of the sample, `exposure` is -1 where a
    sample does not have it.
    """
    import pandas as pd

    rng = np.random.default_rng(0)
    modes = np.array([_most_frequent(samples[0][name].to_numpy()) for name in FEATURES], np.float32)
    kept: list[pd.DataFrame] = []
    held = np.empty(0, np.uint64)
    held_zones = np.empty(0, np.int64)
    for number, sample in enumerate(samples):
        rows = sample[[*FEATURES, *LABELS]].astype(dict.fromkeys(FEATURES, "float32"))
        rows["exposure"] = sample.get("exposure", NOT_GIVEN)
        rows["source"] = number
        keys, zones = _keys(rows), _zones(rows, modes)
        keep = np.ones(len(rows), bool)
        if kept:
            keep = ~repeated(held, held_zones, keys, zones, rng)
        kept.append(rows[keep])
        held = np.concatenate([held, keys[keep]])
        held_zones = np.concatenate([held_zones, zones[keep]])
    union = pd.concat(kept, ignore_index=True)
    return union.astype(dict.fromkeys((*LABELS, "exposure", "source"), "int8"))


def repeated(
    held: Keys,
    held_zones: NDArray[np.int64],
    new: Keys,
    new_zones: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Which new rows to drop, as many as are probably rows that are held already.

    Let the rows held be the fraction f of the file, the new ones the fraction g. Of the rows that
    are held u times, (u + 1) n[u + 1] g / f meet an equal row by chance, n[u] being the number of
    rows that are held u times and are not among the new ones. The other meetings are repetitions.
    Zones are told apart: where rows are crowded most meetings are chance, elsewhere none is.
    """
    ratio = len(new) / len(held)  # g / f
    distinct, first, inverse, copies = np.unique(
        new, return_index=True, return_inverse=True, return_counts=True
    )
    held_distinct, held_first, held_copies = np.unique(held, return_index=True, return_counts=True)
    seen = _count_in(held_distinct, distinct, copies)
    # Pairs (zone, u) as one number each.
    base = int(held_copies.max()) + 2
    pairs = held_zones[held_first] * base + held_copies
    size = (int(max(held_zones.max(), new_zones.max())) + 1) * base + 1
    never = np.bincount(pairs[seen == 0], minlength=size)
    once = np.bincount(pairs[seen == 1], minlength=size)

    u = _count_in(distinct, held_distinct, held_copies)
    pair = new_zones[first] * base + u
    chance = (u + 1) * never[pair + 1] * ratio / np.maximum(once[pair], 1)
    probability = np.where(u > 0, np.clip(1 - chance, 0, 1), 0)
    drops = np.zeros(len(distinct), np.int64)
    # In order of appearance, which the random numbers depend on.
    for k in np.argsort(first)[u[np.argsort(first)] > 0]:
        drops[k] = rng.binomial(min(copies[k], u[k]), probability[k])

    # Of equal rows, the first ones of a random order go.
    order = rng.permutation(len(new))
    by_key = order[np.argsort(inverse[order], kind="stable")]
    place = np.arange(len(new)) - np.repeat(np.cumsum(copies) - copies, copies)
    drop = np.empty(len(new), bool)
    drop[by_key] = place < np.repeat(drops, copies)
    return drop


def _count_in(keys: Keys, others: Keys, counts: NDArray[np.integer]) -> NDArray[np.integer]:
    """How often each of `keys` is among `others`, which are sorted and have these counts."""
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return np.where(others[at] == keys, counts[at], 0)


def _keys(rows: "pd.DataFrame") -> Keys:
    """A 64-bit hash of the covariates, treatment and outcomes of every row."""
    X = np.ascontiguousarray(rows[list(FEATURES)].to_numpy(np.float32))
    bits = X.view(np.uint32).astype(np.uint64)
    code = (rows["treatment"] * 4 + rows["visit"] * 2 + rows["conversion"]).to_numpy(np.uint64)
    key = np.full(len(rows), 1469598103934665603, np.uint64)  # FNV-1a's basis and prime
    for column in (*bits.T, code):
        key = (key ^ column) * np.uint64(1099511628211)
        key ^= key >> np.uint64(29)
    return key


def _zones(rows: "pd.DataFrame", modes: NDArray[np.float32]) -> NDArray[np.int64]:
    """How crowded a row's surroundings are: its covariates at their most frequent value, and f2."""
    at_mode = rows[list(FEATURES)].to_numpy(np.float32) == modes
    return at_mode.sum(axis=1) * 2 + at_mode[:, 2]


def _most_frequent(values: NDArray[np.floating]) -> np.floating:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argmax(counts)]
