"""Numbers as the page prints them."""

from collections.abc import Callable
from functools import partial
from typing import Any


def money(value: float, size: float | None = None) -> str:
    """+0.34; three digits where it (or `size`) is small; no cents from a thousand up."""
    size = abs(value) if size is None else size
    if size >= 1000:
        return f"{value:+,.0f}"
    return f"{value:+,.2f}" if size >= 0.095 or size == 0 else f"{value:+.3f}"


def points(value: float) -> str:
    """An effect on a share, in points of a hundred."""
    return f"{100 * value:+.2f} points"


def percent(share: float) -> str:
    """41 %; with a digit where it is small."""
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.1f} %"


def unit_of(priced: bool, avoided: str = "") -> str:
    """What gains are counted in; `avoided`: the outcome of which fewer are better."""
    if priced:
        return "per customer"
    return f"of all customers (fewer {avoided})" if avoided else "of all customers"


def interval_of(estimate: dict[str, Any], say: Callable[[float], str]) -> str:
    """0.18 to 0.50."""
    say = _alike(estimate, say)
    low, high = say(estimate["low"]), say(estimate["high"])
    unit = " points" if high.endswith(" points") else ""
    low, high = low.removesuffix(unit), high.removesuffix(unit)
    plus = "+" if low.startswith("-") else ""  # signs only where they differ
    return f"{low.removeprefix('+')} to {plus * (not high.startswith('-'))}{high.lstrip('+')}{unit}"


def estimate_of(estimate: dict[str, Any], say: Callable[[float], str]) -> str:
    """+0.34 (0.18 to 0.50)."""
    unit = " points" if say(0.0).endswith(" points") else ""
    inside = interval_of(estimate, say).removesuffix(unit)
    mean = _alike(estimate, say)(estimate["mean"]).removesuffix(unit)
    return f"{mean} ({inside}){unit}"


def _alike(estimate: dict[str, Any], say: Callable[[float], str]) -> Callable[[float], str]:
    """Money of one interval has the same number of digits."""
    size = max(abs(estimate["low"]), abs(estimate["high"]))
    return partial(money, size=size) if say is money else say
