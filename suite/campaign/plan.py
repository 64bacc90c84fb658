"""Which methods are compared, within the time that was given."""

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import baselines
from suite.campaign.errors import UserError
from suite.campaign.slot import Unit
from suite.campaign.store import Result, Store
from suite.campaign.units import run_units
from suite.compute.local import Pool

# What finds most in a second first; those that are not there are passed over.
ORDER = (
    "r-lasso",
    "twin-boost",
    "x-lasso",
    "twin-mu-exact",
    "s-learner",
    "t-learner",
    "dr-learner",
    "causal-forest-honest",
    "uplift-forest-kl",
    "x-xgboost",
)
QUICK = ("r-lasso", "x-lasso", "twin-mu-exact")
PILOT_SHARE = 0.1
PILOT_ROWS = 2000  # at least
FOLDS = 5
QUICK_FOLDS = 3  # the fewest with which two can be left out and one remains


@dataclass
class Progress:
    """What happened to each method, for the page and the terminal."""

    seconds: dict[str, float] = field(default_factory=dict)  # CPU seconds of all its fits
    # For time: seconds it would need; None where none were left to find that out.
    left_out: dict[str, float | None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def names(chosen: Sequence[str] | None, quick: bool) -> tuple[str, ...]:
    """The methods to compare, in order; a UserError for a name that is not known."""
    if chosen:
        for name in chosen:
            try:
                baselines.method(name)
            except ValueError as error:
                raise UserError(str(error)) from None
        return tuple(dict.fromkeys(chosen))
    there = baselines.methods()
    return tuple(
        name for name in (QUICK if quick else ORDER) if name in there and not there[name].missing()
    )


def seconds_of(text: str | float) -> float:
    """Seconds of "90", "90s", "10m" or "2h"."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)?\s*", str(text))
    if not found or not float(found.group(1)) > 0:
        raise UserError(f"--time is {text!r}; say 90s, 10m or 2h")
    unit = {None: 1, "s": 1, "m": 60, "min": 60, "h": 3600}[found.group(2)]
    return float(found.group(1)) * unit


def left_outs(folds: int) -> list[tuple[int, ...]]:
    """Every fold, and every pair of folds: what the fits of a method leave out.

    A fit without folds j and k gives the inner scores of j for outer fold k and of k for outer
    fold j, so that nesting costs 15 fits with 5 folds instead of 25.
    """
    return [(k,) for k in range(folds)] + list(combinations(range(folds), 2))


Fits = dict[tuple[int, ...], Result]  # by the folds that were left out


@dataclass
class Race:
    """Methods one after the other, each only if it fits into the time that is left.

    Whether a method was left out for time is a result like others: on resuming with as much time it
    stays so, with more or less it is found out anew.
    """

    folds: int
    rows: int
    workers: Pool
    store: Store
    deadline: float  # on the monotonic clock
    said: Callable[[str], None]
    seconds: float = 0.0  # that were given in all
    progress: Progress = field(default_factory=Progress)
    found: dict[str, Fits] = field(default_factory=dict)

    def run(self, methods: Sequence[str]) -> None:
        """Fill `found` and `progress`."""
        rows = min(self.rows, max(PILOT_ROWS, int(self.rows * PILOT_SHARE)))
        pilots = [Unit("pilot", {"method": m, "rows": rows}) for m in methods]
        for i, method in enumerate(methods):
            # The pilots of the next methods keep the other workers busy.
            what = self._run(method, pilots[i : i + self.workers.jobs], first=i == 0)
            self.said(f"[{i + 1}/{len(methods)}] {method} {what}")

    def _run(self, method: str, pilots: list[Unit], first: bool) -> str:
        """What to say about a method after it was fitted or not."""
        verdict = self.store.get(self._left_out(method))
        if verdict is not None:
            needs = self.progress.left_out[method] = verdict.values["needs"]
            return _too_late(needs)
        # One method is always compared with none.
        if not first and self.store.get(pilots[0].key) is None and self._late(method, None):
            return _too_late(None)
        pilot = run_units(pilots, self.workers, self.store)[pilots[0].key]
        if pilot.error:
            self.progress.failed[method] = pilot.error
            return f"failed: {pilot.error}"
        units = {
            out: Unit("fit", {"left_out": out, "method": method}) for out in left_outs(self.folds)
        }
        waiting = [unit for unit in units.values() if self.store.get(unit.key) is None]
        scale = _share(self.folds) * len(waiting) / self.workers.jobs
        rows = pilots[0].arguments["rows"]
        needs = pilot.values["cpu_seconds"] * self.rows / rows * scale
        if waiting and not first and self._late(method, needs):
            return _too_late(needs)
        # Few rows may mislead: the first real fits say better how long all of them take.
        began, some = time.monotonic(), waiting[-self.workers.jobs :]
        until = math.inf if first else self.deadline
        run_units(some, self.workers, self.store, until)
        needs = (time.monotonic() - began) / (1 - 2 / self.folds) * scale
        if len(waiting) > len(some) and not first and self._late(method, needs):
            return _too_late(needs)
        results = run_units(units.values(), self.workers, self.store, until)
        if lacking := len(units) - len(results):  # they took longer than the first ones promised
            needs = (time.monotonic() - began) * len(waiting) / max(1, len(waiting) - lacking)
            self._late(method, needs)
            return _too_late(needs)
        errors = [results[u.key].error for u in units.values() if results[u.key].error]
        seconds = self.progress.seconds[method] = sum(r.seconds for r in results.values())
        if errors:
            self.progress.failed[method] = errors[0]
            return f"failed: {errors[0]}"
        self.found[method] = {out: results[u.key] for out, u in units.items()}
        return f"{seconds:.0f} s"

    def _late(self, method: str, needs: float | None) -> bool:
        """Whether `needs` seconds are not left; then the method stays out."""
        if (needs or 0.0) <= self.deadline - time.monotonic():
            return False
        needs = None if needs is None else math.ceil(needs)
        self.store.put(self._left_out(method), Result(values={"needs": needs}))
        self.progress.left_out[method] = needs
        return True

    def _left_out(self, method: str) -> str:
        """The key under which it is kept that `method` is left out of so much time."""
        return f"left out {method} of {self.seconds:g} s"


def _too_late(needs: float | None) -> str:
    if needs is None:
        return "was not tried: time is over"
    return f"needs {needs:.0f} s: left out for time"


def _share(folds: int) -> float:
    """Mean share of the rows that the fits of a method learn from."""
    outs = left_outs(folds)
    return sum(1 - len(out) / folds for out in outs) / len(outs)
