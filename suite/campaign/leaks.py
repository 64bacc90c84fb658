"""Columns that are known only after the treatment or the outcome, found by what they tell.

Known after the treatment: a group of rows (a level, missing, above 0) that occurs in one arm alone,
or a missing share that differs between arms, or a name such as clicked where the column tells the
arms apart. A column that tells the arms apart without these may have decided who was treated: it
stays, and the test is not called fair. Known after the outcome: a group of rows that has (nearly)
only positive, or only negative, outcomes.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from suite.campaign import names
from suite.campaign.auc import auc_within
from suite.campaign.types import Suspect

AUC, Z, GAP = 0.6, 6.0, 0.05
GROUP_ROWS, NEARLY_ALL, NEARLY_NONE, SURE = 30, 0.99, 0.001, 1e-9
BINS, FOLDS = 20, 5
MOST_VALUES = 50  # different numbers that are looked at one by one


class Groups(NamedTuple):
    """A column cut into groups: the code of each row, and what each group is in words."""

    codes: NDArray[np.int64]
    said: list[str]


def suspects(
    frame: pd.DataFrame,
    outcome: NDArray[np.int8],
    arm: NDArray[np.int8],
    arms: tuple[str, ...],
    outcome_said: str,
    *,
    strata: NDArray[np.int64] | None = None,
    of_strata: tuple[str, ...] = (),
    seed: int = 0,
) -> list[Suspect]:
    """Every column of `frame` that seems to be known too late, with the reason in words."""
    fold = np.random.default_rng(seed).permutation(np.arange(len(arm)) % FOLDS)
    found = []
    for name in frame:
        said = None
        if name not in of_strata:
            said = _tells_arm(frame[name], arm, arms, strata, fold)
        after = "treatment"
        if said is None:
            said, after = _pure(frame[name], outcome, outcome_said), "outcome"
        if said is not None:
            by_name = "; by its name too" if names.is_afterwards(name) else ""
            found.append(Suspect(name, after, said + by_name))
    return found


def _tells_arm(
    values: pd.Series,
    arm: NDArray[np.int8],
    arms: tuple[str, ...],
    strata: NDArray[np.int64] | None,
    fold: NDArray[np.int64],
) -> str | None:
    missing = values.isna().to_numpy()
    codes = _binned(values)
    for k in range(1, len(arms)):
        rows = (arm == 0) | (arm == k)
        treated = arm[rows] == k
        gap = _missing_gap(missing[rows], treated)
        if gap is not None and strata is None:
            p1, p0 = gap
            if max(p1, p0) == 1:
                return f"missing in every {arms[0] if p0 == 1 else arms[k]} row"
            return f"missing in {p1:.1%} of {arms[k]} and {p0:.1%} of {arms[0]}".replace("%", " %")
        only = _only_in_one(values[rows], treated)
        if only is not None:
            said, is_treated = only
            return (
                f"{said} in {arms[k] if is_treated else arms[0]} alone; "
                f"if it decided who got what, say --strata {values.name}"
            )
        if names.is_afterwards(str(values.name)):
            score = _out_of_fold(codes[rows], treated, fold[rows])
            area, se = auc_within(score, treated, None if strata is None else strata[rows])
            if area > AUC and (area - 0.5) / se > Z:
                return f"it tells {arms[k]} from {arms[0]} (AUC {area:.3f})"
    return None


def _only_in_one(values: pd.Series, treated: NDArray[np.bool_]) -> tuple[str, bool] | None:
    """A group of rows that occurs in one arm alone, and whether that is the treated one."""
    codes, said = _groups(values)
    n = np.bincount(codes, minlength=len(said))
    n1 = np.bincount(codes, weights=treated, minlength=len(said))
    share = n1 / np.maximum(n, 1)
    chance = np.minimum(
        stats.binom.sf(n1 - 1, n, treated.mean()), stats.binom.cdf(n1, n, treated.mean())
    )
    alone = (n >= GROUP_ROWS) & ((share >= NEARLY_ALL) | (share <= 1 - NEARLY_ALL))
    alone &= chance < SURE
    if not alone.any():
        return None
    j = int(np.argmax(np.where(alone, n, 0)))
    return f"{n[j]:,} rows {said[j]}", bool(share[j] > 0.5)


def _missing_gap(
    missing: NDArray[np.bool_], treated: NDArray[np.bool_]
) -> tuple[float, float] | None:
    """Missing shares of treated and control rows, where they are far apart."""
    p1, p0, p = missing[treated].mean(), missing[~treated].mean(), missing.mean()
    se = np.sqrt(p * (1 - p) * (1 / treated.sum() + 1 / (~treated).sum()))
    return (float(p1), float(p0)) if abs(p1 - p0) > max(GAP, Z * se) else None


def _binned(values: pd.Series) -> NDArray[np.int64]:
    """Levels, or twenty bins of equal numbers; missing is a bin of its own."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy().astype(np.int64) + 1
    numbers = _numbers(values)
    present = ~np.isnan(numbers)
    edges = np.unique(np.quantile(numbers[present], np.arange(1, BINS) / BINS, method="lower"))
    return np.where(present, 1 + np.searchsorted(edges, numbers, side="right"), 0)


def _numbers(values: pd.Series) -> NDArray[np.float64]:
    if values.dtype.kind == "M":
        days = values.to_numpy().astype("datetime64[D]")
        return np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(float))
    return values.to_numpy(np.float64)


def _out_of_fold(
    codes: NDArray[np.int64], treated: NDArray[np.bool_], fold: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The treated share of a row's group in the other folds, drawn to the average by 10 rows."""
    size, share = codes.max() + 1, treated.mean()
    n = np.zeros((FOLDS, size))
    n1 = np.zeros((FOLDS, size))
    np.add.at(n, (fold, codes), 1)
    np.add.at(n1, (fold, codes), treated)
    rate = (n1.sum(0) - n1 + 10 * share) / (n.sum(0) - n + 10)
    return rate[fold, codes]


def _groups(values: pd.Series) -> Groups:
    """Levels; of numbers: missing or not, above 0 or not, and each value if there are few."""
    missing = values.isna().to_numpy()
    if isinstance(values.dtype, pd.CategoricalDtype):
        levels = [f"with value {level}" for level in values.cat.categories]
        return Groups(values.cat.codes.to_numpy().astype(np.int64) + 1, ["missing", *levels])
    numbers = _numbers(values)
    if values.dtype.kind == "M":
        return Groups((~missing).astype(np.int64), ["missing", "with a date"])
    different = np.unique(numbers[~missing])
    if len(different) <= MOST_VALUES:
        codes = np.where(missing, 0, 1 + np.searchsorted(different, numbers))
        return Groups(codes, ["missing", *(f"with value {v:g}" for v in different)])
    codes = np.where(missing, 0, np.where(numbers > 0, 1, 2))
    return Groups(codes, ["missing", "above 0", "not above 0"])


def _pure(values: pd.Series, outcome: NDArray[np.int8], outcome_said: str) -> str | None:
    """A group of rows that all have the outcome, or all have it not."""
    codes, said = _groups(values)
    n = np.bincount(codes, minlength=len(said))
    events = np.bincount(codes, weights=outcome, minlength=len(said))
    base = outcome.mean()
    rate = events / np.maximum(n, 1)
    full = (n >= GROUP_ROWS) & (rate >= NEARLY_ALL) & (stats.binom.sf(events - 1, n, base) < 1e-6)
    empty = (n >= GROUP_ROWS) & (rate <= min(NEARLY_NONE, base / 10))
    empty &= stats.binom.cdf(events, n, base) < SURE
    for pure, verb in ((full, "are"), (empty, "are not")):
        if pure.any():
            j = int(np.argmax(np.where(pure, n, 0)))
            clean = rate[j] in (0, 1)
            how_many = f"all {n[j]:,}" if clean else f"{max(rate[j], 1 - rate[j]):.1%} of {n[j]:,}"
            how_many = how_many.replace("%", " %")
            return f"{how_many} rows {said[j]} {verb} {outcome_said}"
    return None
