"""One method against every other on the replicates that both have, and where that leaves it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from suite.compare.paired import LEVEL, Estimate, holm
from suite.compare.runs import BOUNDS, Frame, Run
from suite.compare.units import LEAST_DRAWS


@dataclass(frozen=True)
class Rival:
    """Another method on the replicates that ours has too; `gain` is above 0 where ours is ahead."""

    method: str
    theirs: float
    ours: float
    gain: Estimate


def rivals(source: Frame, ours: str, regret: Callable[[Run], float]) -> dict[str, Rival]:
    """Every other method with enough common replicates, bounds left aside; less regret is ahead."""
    own = source.runs.get(ours, {})
    found = {}
    for method, runs in source.runs.items():
        shared = sorted(own.keys() & runs.keys())
        if method in (ours, *BOUNDS) or len(shared) < LEAST_DRAWS:
            continue
        theirs, mine = ([regret(each[r]) for r in shared] for each in (runs, own))
        gain = Estimate.of([a - b for a, b in zip(theirs, mine, strict=True)])
        found[method] = Rival(method, sum(theirs) / len(shared), sum(mine) / len(shared), gain)
    return found


def standing(gains: Mapping[str, Estimate]) -> str:
    """Behind whom a method is, else with whom it is level, else that it is ahead of all.

    One-sided t tests, each side corrected (Holm) over the others.
    """
    if not gains:
        return "too few draws"
    worse = holm([gain.p_below() for gain in gains.values()])
    behind = [name for name, p in zip(gains, worse, strict=True) if p < LEVEL]
    if behind:
        return f"behind {_listed(behind)}"
    better = holm([gain.p_above() for gain in gains.values()])
    level = [name for name, p in zip(gains, better, strict=True) if p >= LEVEL]
    return f"level with {_listed(level)}" if level else f"ahead of all {len(gains)}"


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
