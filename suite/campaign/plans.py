"""What is learnt about each column from training rows: medians, levels, rates, reference shares."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign import names
from suite.campaign.types import Column

FEW_MISSING = 50  # training rows from which missing has a column of its own
LEVEL_ROWS, LEVEL_SHARE = 50, 0.002  # what a level needs to have a column of its own
MOST_LEVELS = 30
SMOOTHING = 20.0  # controls of the average rate that every level starts with
BINS = 10  # of the reference distribution for drift

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """What was learnt about one column. `rates` is empty unless it has too many levels."""

    name: str
    kind: str  # number, date or category
    median: float = 0.0  # of a date: days before as-of
    flag: bool = False  # missing has a column of its own
    as_of: str | None = None
    date_format: str | None = None
    missing_codes: tuple[float, ...] = ()
    missing_words: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()  # with a column each
    known: tuple[str, ...] = ()  # all levels of the training rows
    rates: tuple[float, ...] = ()  # smoothed outcome rate of controls, by `known`
    prior: float = 0.0
    edges: tuple[float, ...] = ()  # of the bins of the reference distribution, or none
    shares: tuple[float, ...] = ()  # of the bins (or of `known`), missing last
    low: float = 0.0
    high: float = 0.0

    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers that this column becomes."""
        if self.kind == "category":
            found = [f"{self.name} = {level}" for level in self.levels]
            found += [f"{self.name}: rate of controls"] if self.rates else []
        else:
            found = [self.name if self.kind == "number" else f"{self.name}: days before"]
        return (*found, *([f"{self.name} missing"] if self.flag else []))


def days_before(values: pd.Series, as_of: str) -> Array:
    """Days from each date to `as_of`; NaN where missing."""
    days = values.to_numpy().astype("datetime64[D]")
    before = (np.datetime64(as_of, "D") - days).astype(np.float64)
    return np.where(np.isnat(days), np.nan, before)


def plan_number(column: Column, values: pd.Series) -> Plan:
    if column.kind == "date":
        numbers = days_before(values, column.as_of)
    else:
        numbers = values.to_numpy(np.float64)
    missing = np.isnan(numbers)
    present = numbers[~missing]
    edges = np.unique(np.quantile(present, np.arange(1, BINS) / BINS)) if len(present) else ()
    return Plan(
        column.name,
        column.kind,
        median=float(np.median(present)) if len(present) else 0.0,
        flag=bool(missing.sum() >= FEW_MISSING),
        as_of=column.as_of,
        date_format=column.date_format,
        missing_codes=column.missing_codes,
        missing_words=column.missing_words,
        edges=tuple(map(float, edges)),
        shares=shares(np.searchsorted(edges, present), len(edges) + 1, int(missing.sum())),
        low=float(present.min()) if len(present) else 0.0,
        high=float(present.max()) if len(present) else 0.0,
    )


def plan_category(
    column: Column, values: pd.Series, events: Array, control: NDArray[np.bool_], rates: bool
) -> Plan:
    codes, levels = values.cat.codes.to_numpy(), list(values.cat.categories)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    missing = int((codes < 0).sum())
    order = sorted(np.flatnonzero(counts), key=lambda j: (-counts[j], levels[j]))
    needed = max(LEVEL_ROWS, LEVEL_SHARE * len(values))
    kept = [levels[j] for j in order if counts[j] >= needed][:MOST_LEVELS]
    flag = missing >= FEW_MISSING
    if len(kept) == len(order) and (flag or not missing) and kept:
        # Nothing is left over, so one level says nothing that the others do not.
        negative = [level for level in kept if names.is_negative(level)]
        kept.remove(negative[0] if len(kept) == 2 and negative else kept[0])
    prior, rate = 0.0, ()
    if rates and len(order) > MOST_LEVELS:
        prior = float(events[control].mean()) if control.any() else 0.0
        inside = control & (codes >= 0)
        n = np.bincount(codes[inside], minlength=len(levels))
        sums = np.bincount(codes[inside], weights=events[inside], minlength=len(levels))
        rate = tuple(float(r) for r in ((sums + SMOOTHING * prior) / (n + SMOOTHING))[order])
    place = np.zeros(len(levels), np.int64)
    place[order] = np.arange(len(order))
    return Plan(
        column.name,
        "category",
        flag=flag,
        levels=tuple(kept),
        known=tuple(levels[j] for j in order),
        rates=rate,
        prior=prior,
        shares=shares(place[codes[codes >= 0]], len(order), missing),
    )


def shares(bins: NDArray[np.int64], n_bins: int, missing: int) -> tuple[float, ...]:
    """The share of rows in each bin, and of missing ones at the end."""
    counts = np.append(np.bincount(bins, minlength=n_bins), missing)
    return tuple(map(float, counts / max(1, counts.sum())))
