"""From typed columns to the numbers that methods take, learnt from training rows alone."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.plans import Array, Plan, days_before, plan_category, plan_number
from suite.campaign.types import Column


class Encoder:
    """`fit` learns levels, medians and rates of the rows given; `transform` makes the numbers.

    `groups` names the column of the file that each number comes from, for drivers and segments.
    Without `rates` no number depends on the outcome.
    """

    def __init__(self, *, rates: bool = True) -> None:
        self.rates = rates

    def fit(
        self,
        columns: Sequence[Column],
        frame: pd.DataFrame,
        outcome: NDArray[np.int8],
        arm: NDArray[np.int8],
    ) -> Self:
        """Learn from training rows: `columns` says which of `frame` to use, and how."""
        control = np.asarray(arm) == 0
        events = np.asarray(outcome, np.float64)
        self.plans: tuple[Plan, ...] = tuple(
            plan_category(c, frame[c.name], events, control, self.rates)
            if c.kind == "category"
            else plan_number(c, frame[c.name])
            for c in columns
            if c.used
        )
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers, in order."""
        return tuple(name for plan in self.plans for name in plan.outputs())

    @property
    def groups(self) -> tuple[str, ...]:
        """The column of the file behind each number."""
        return tuple(plan.name for plan in self.plans for _ in plan.outputs())

    def transform(self, frame: pd.DataFrame, as_of: str | None = None) -> Array:
        """One line of finite numbers for each row; `as_of` replaces the day of the campaign."""
        result = np.empty((len(frame), len(self.names)))
        at = 0
        for plan in self.plans:
            width = len(plan.outputs())
            result[:, at : at + width] = _numbers(plan, frame[plan.name], as_of)
            at += width
        return result

    def state(self) -> dict[str, Any]:
        """Everything that was learnt, as JSON."""
        return {"plans": [asdict(plan) for plan in self.plans]}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The encoder that `state` came from."""
        self = cls()
        known = {f.name for f in fields(Plan)}
        self.plans = tuple(
            Plan(**{k: tuple(v) if isinstance(v, list) else v for k, v in plan.items()})
            for plan in state["plans"]
            if set(plan) <= known
        )
        return self


def _numbers(plan: Plan, values: pd.Series, as_of: str | None) -> Array:
    if plan.kind != "category":
        if plan.kind == "date":
            numbers = days_before(values, as_of or plan.as_of)
        else:
            numbers = values.to_numpy(np.float64)
        missing = np.isnan(numbers)
        filled = np.where(missing, plan.median, numbers)
        return np.column_stack([filled, missing]) if plan.flag else filled[:, None]
    # One line for each level that occurs, the last for missing: rows only look it up.
    levels = values.cat.categories
    table = np.zeros((len(levels) + 1, len(plan.outputs())))
    own = levels.get_indexer(list(plan.levels))
    found = np.flatnonzero(own >= 0)
    table[own[found], found] = 1.0
    if plan.rates:
        at = pd.Index(plan.known).get_indexer(levels)
        table[:, len(plan.levels)] = np.append(np.append(plan.rates, plan.prior)[at], plan.prior)
    if plan.flag:
        table[-1, -1] = 1.0
    return table[values.cat.codes.to_numpy()]
