"""Numbers as the page prints them."""

from collections.abc import Callable
from typing import Any


def money(value: float) -> str:
    """+0.34; three digits where it is small; no cents from a thousand up."""
    if abs(value) >= 1000:
        return f"{value:+,.0f}"
    return f"{value:+,.2f}" if abs(value) >= 0.095 or value == 0 else f"{value:+.3f}"


def points(value: float) -> str:
    """An effect on a share, in points of a hundred."""
    return f"{100 * value:+.2f} points"


def percent(share: float) -> str:
    """41 %; with a digit where it is small."""
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.1f} %"


def interval_of(estimate: dict[str, Any], say: Callable[[float], str]) -> str:
    """0.18 to 0.50."""
    low, high = say(estimate["low"]), say(estimate["high"])
    unit = " points" if high.endswith(" points") else ""
    low, high = low.removesuffix(unit), high.removesuffix(unit)
    plus = "+" if low.startswith("-") else ""  # signs only where they differ
    return f"{low.removeprefix('+')} to {plus * (not high.startswith('-'))}{high.lstrip('+')}{unit}"


def estimate_of(estimate: dict[str, Any], say: Callable[[float], str]) -> str:
    """+0.34 (0.18 to 0.50)."""
    unit = " points" if say(0.0).endswith(" points") else ""
    inside = interval_of(estimate, say).removesuffix(unit)
    return f"{say(estimate['mean']).removesuffix(unit)} ({inside}){unit}"
