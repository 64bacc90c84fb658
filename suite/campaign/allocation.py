"""Whom to treat, and with what: by price, or the best within a budget."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.types import Campaign

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Terms:
    """What an outcome is worth and a treatment costs, by row, and how much may be used in all.

    Without prices gains are counted in outcomes: value 1, cost 0. `cap` is per customer of the
    file, in treatments or (`cap_money`) in money.
    """

    value: Array  # (n,)
    cost: Array  # (n, treatments)
    cap: float | None = None
    cap_money: bool = False

    @classmethod
    def of(cls, campaign: Campaign, value: Array | None = None) -> Self:
        """The terms of a campaign; `value` (n,) replaces what one outcome is worth."""
        n, treatments = campaign.n, len(campaign.arms) - 1
        worth = np.ones(n) if campaign.value is None else campaign.value
        cost = np.zeros((n, treatments)) if campaign.cost is None else campaign.cost[:, 1:]
        budget, cap = campaign.budget, None
        if budget is not None:
            total = budget.money if budget.money is not None else budget.customers
            cap = budget.share if budget.share is not None else total / n
        money = budget is not None and budget.money is not None
        return cls(worth if value is None else value, cost, cap, money)

    def net(self, gain: Array) -> Array:
        """value x gain - cost of every treatment, (n, treatments)."""
        return self.value[:, None] * gain - self.cost

    def take(self, rows: NDArray[Any]) -> Self:
        """The terms of some rows."""
        return replace(self, value=self.value[rows], cost=self.cost[rows])

    @property
    def uses(self) -> Array:
        """What every treatment takes of the budget."""
        return self.cost if self.cap_money else np.ones_like(self.cost)


def hashed(ids: pd.Series | None, n: int, seed: int) -> Array:
    """A number in [0, 1) for each row that decides ties: from its id, else from its place."""
    keys = np.arange(n).astype(str) if ids is None else ids.astype(str).to_numpy()
    salt = str(seed).encode()
    digests = (hashlib.blake2b(str(k).encode(), digest_size=8, salt=salt).digest() for k in keys)
    return np.array([int.from_bytes(d, "big") for d in digests], dtype=np.float64) / 2.0**64


def decide(gain: Array, terms: Terms, tie: Array) -> NDArray[np.int8]:
    """0 (do not treat) or the number of the treatment, for each row; `gain` in good outcomes."""
    net = terms.net(gain)
    if terms.cap is None:
        best = net.argmax(axis=1)
        return np.where(net[np.arange(len(net)), best] > 0, best + 1, 0).astype(np.int8)
    return allocate(net, terms.uses, terms.cap * len(gain), tie)


def allocate(net: Array, cost: Array, budget: float, tie: Array) -> NDArray[np.int8]:
    """The treatments with the largest sum of `net` whose `cost` stays within `budget`.

    Greedy on the hull: a row goes from nothing to its treatment of best net per cost, then to
    dearer ones as long as each step gains; steps of all rows are taken from the steepest down
    (Sverdrup, Wu, Athey and Wager, 2025, Qini curves for multi-armed treatment rules).
    """
    rows, steps, to, price, slope = hull(net, cost)
    order = np.lexsort((steps, tie[rows], -slope))
    # Rounding of a sum of many costs must not lose the last customer.
    within = np.cumsum(price[order]) <= budget * (1 + 1e-12)
    taken = order[within]
    decision = np.zeros(len(net), dtype=np.int8)
    np.maximum.at(last := np.full(len(net), -1), rows[taken], steps[taken])
    final = taken[steps[taken] == last[rows[taken]]]
    decision[rows[final]] = to[final] + 1
    return decision


def hull(net: Array, cost: Array) -> tuple[NDArray[Any], ...]:
    """All steps (row, number, treatment, extra cost, extra net per extra cost) of all rows."""
    n, k = net.shape
    at_cost, at_net, every = np.zeros(n), np.zeros(n), np.arange(n)
    parts = []
    for step in range(k):
        extra_cost, extra_net = cost - at_cost[:, None], net - at_net[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(extra_cost > 0, extra_net / extra_cost, np.inf)
        slope = np.where((extra_net > 0) & (extra_cost >= 0), slope, -np.inf)
        # Among equally steep steps the longest, so that none is left inside the hull.
        best = np.where(slope == slope.max(axis=1)[:, None], extra_net, -np.inf).argmax(axis=1)
        go = slope[every, best] > -np.inf
        if not go.any():
            break
        at = every[go], best[go]
        parts.append((at[0], np.full(go.sum(), step), at[1], extra_cost[at], slope[at]))
        at_cost, at_net = at_cost.copy(), at_net.copy()
        at_cost[go], at_net[go] = cost[at], net[at]
    if not parts:
        return tuple(np.zeros(0, dtype=t) for t in (int, int, int, float, float))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
