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
from suite.campaign.units import Pool, run_units

# Cheapest first; those that are not there are passed over.
ORDER = (
    "r-lasso",
    "x-lasso",
    "twin-mu-exact",
    "s-learner",
    "t-learner",
    "dr-learner",
    "twin-boost",
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
    left_out: dict[str, float] = field(default_factory=dict)  # for time: seconds it would need
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


def run_methods(
    methods: Sequence[str],
    folds: int,
    rows: int,
    workers: Pool,
    store: Store,
    deadline: float,
    said: Callable[[str], None],
) -> tuple[dict[str, dict[tuple[int, ...], Result]], dict[str, bool], Progress]:
    """The fits of each method that fits into the time: results by left-out folds, `whole` flags.

    Whether a method was left out for time is a result like others: on resuming it stays so.
    """
    progress, found, whole = Progress(), {}, {}
    jobs = workers.jobs
    pilot_rows = min(rows, max(PILOT_ROWS, int(rows * PILOT_SHARE)))
    pilots = [Unit("pilot", {"method": m, "rows": pilot_rows}) for m in methods]
    for number, (method, unit) in enumerate(zip(methods, pilots, strict=True), start=1):
        verdict = store.get(f"left out {method}")
        if verdict is not None:
            progress.left_out[method] = verdict.values["needs"]
            continue
        # The pilots of the next methods keep the other workers busy.
        following = pilots[number - 1 : number - 1 + jobs]
        pilot = run_units(following, workers, store)[unit.key]
        if pilot.error:
            progress.failed[method] = pilot.error
            continue
        whole[method] = not pilot.values["tunes"]
        units = {
            out: Unit("fit", {"left_out": out, "method": method, "whole": whole[method]})
            for out in left_outs(folds)
        }
        waiting = sum(store.get(unit.key) is None for unit in units.values())
        needs = pilot.values["cpu_seconds"] * rows / pilot_rows * _share(folds) * len(units) / jobs
        late = needs * waiting / len(units) > deadline - time.monotonic()
        if waiting and late and number > 1:  # one method is always compared with none
            store.put(f"left out {method}", Result(values={"needs": math.ceil(needs)}))
            progress.left_out[method] = math.ceil(needs)
            said(f"[{number}/{len(methods)}] {method} needs {needs:.0f} s: left out for time")
            continue
        results = run_units(units.values(), workers, store)
        errors = [results[u.key].error for u in units.values() if results[u.key].error]
        progress.seconds[method] = sum(results[u.key].seconds for u in units.values())
        if errors:
            progress.failed[method] = errors[0]
            said(f"[{number}/{len(methods)}] {method} failed: {errors[0]}")
            continue
        found[method] = {out: results[u.key] for out, u in units.items()}
        said(f"[{number}/{len(methods)}] {method} {progress.seconds[method]:.0f} s")
    return found, whole, progress


def _share(folds: int) -> float:
    """Mean share of the rows that the fits of a method learn from."""
    outs = left_outs(folds)
    return sum(1 - len(out) / folds for out in outs) / len(outs)
