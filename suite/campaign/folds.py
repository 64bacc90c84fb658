"""Which rows go together: outer folds, and the inner rows that tuning looks at."""

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.integer]


def deal(strata: Codes, groups: Codes | None, k: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """A number from 0 to k - 1 for each row, the same for a whole group, even in each stratum.

    A group belongs to the largest stratum code among its rows: with codes that rise with the
    outcome, customers with an event are spread evenly, which is what is scarce.
    """
    if groups is None:
        return _deal(strata, k, rng)
    _, member = np.unique(groups, return_inverse=True)
    highest = np.zeros(member.max() + 1, dtype=np.int64)
    np.maximum.at(highest, member, strata)
    return _deal(highest, k, rng)[member]


def _deal(strata: Codes, k: int, rng: np.random.Generator) -> NDArray[np.int8]:
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    numbers = np.empty(len(strata), dtype=np.int8)
    # Dealing goes on across strata, so that the remainders of all of them do not pile up in fold 0.
    numbers[order] = np.arange(len(strata)) % k
    return numbers


def outer_folds(
    arm: Codes, outcome: Codes, groups: Codes | None, k: int, seed: int
) -> NDArray[np.int8]:
    """The outer folds: stratified by arm x outcome, a customer's rows together."""
    rng = np.random.default_rng([seed, 101])
    folds = deal(arm_outcome(arm, outcome), groups, k, rng)
    return rng.permutation(k).astype(np.int8)[folds]


def arm_outcome(arm: Codes, outcome: Codes) -> NDArray[np.int64]:
    """One code for each arm with and without an event; codes with an event are the larger."""
    return outcome.astype(np.int64) * (int(arm.max()) + 1) + arm


def tuning_rows(arm: Codes, outcome: Codes, groups: Codes | None, seed: int) -> NDArray[np.bool_]:
    """The 3 of 10 rows that tuning looks at, stratified and grouped as the folds."""
    tenths = deal(arm_outcome(arm, outcome), groups, 10, np.random.default_rng([seed, 102]))
    return tenths < 3
