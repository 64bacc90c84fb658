"""Published numbers compared with the same cells computed again.

Where the same libraries, kernels and instructions were in force every number must be identical.
Elsewhere other instructions round otherwise, and a search may choose another setting: the ranking
of the test rows then has to agree (Spearman at least 0.99) where predictions were kept, and the
printed q_adj where none were.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suite.compute.environment import CANONICAL_INSTRUCTIONS, instructions
from suite.compute.measures import rank_correlation
from suite.store.record import Record

LEAST_SPEARMAN = 0.99
PRINTED = 0.005  # less cannot be seen in a table
IDENTICAL = "identical"


@dataclass(frozen=True)
class Verdict:
    """What came of one comparison."""

    holds: bool
    said: str


def judge(
    old: Record,
    new: Record,
    predictions: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> Verdict:
    """Compare a published record with one of today; `predictions` are theirs, where kept."""
    if not (old.ok and new.ok):
        return Verdict(False, f"NOT REPRODUCED: {_failed(old, new)}")
    if old.numbers() == new.numbers():
        return Verdict(True, IDENTICAL)
    difference = f"q_adj differs by {new.result.test.q_adj - old.result.test.q_adj:+.2g}"
    if same_arithmetic(old, new) and _same_libraries(old, new):
        return Verdict(False, f"NOT REPRODUCED: {difference}")
    why = "other instructions" if _same_libraries(old, new) else "other libraries"
    if predictions is None:
        said = f"{why}, {difference}, no predictions were kept"
        same = abs(new.result.test.q_adj - old.result.test.q_adj) < PRINTED
        return Verdict(same, said if same else f"{said}: NOT COMPARED")
    spearman = rank_correlation(*predictions)
    largest = float(np.abs(predictions[0] - predictions[1]).max())
    said = f"{why}: Spearman {spearman:.4f}, largest difference {largest:.2g}"
    return Verdict(spearman >= LEAST_SPEARMAN, said)


def same_arithmetic(old: Record, new: Record) -> bool:
    """Whether both numbers were rounded by the same rules.

    Records of the first format did not note theirs; those that were computed again are what the
    canonical instructions give, to the last bit.
    """
    if old.origin.arithmetic is None:
        return instructions() == CANONICAL_INSTRUCTIONS
    return old.origin.arithmetic == new.origin.arithmetic


def _same_libraries(old: Record, new: Record) -> bool:
    shared = set(old.basis.libraries) & set(new.basis.libraries)
    return all(old.basis.libraries[name] == new.basis.libraries[name] for name in shared)


def _failed(old: Record, new: Record) -> str:
    return f"it fails now: {new.error.splitlines()[-1]}" if old.ok else "it failed when published"
