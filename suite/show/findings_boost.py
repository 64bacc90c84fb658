"""The sentence of the front page about TwinBoost and the paper's methods."""

from dataclasses import dataclass, replace

import baselines
from suite.compare.frame import frame_of
from suite.compare.paired import Estimate
from suite.compare.runs import Frame
from suite.compare.units import LEAST_DRAWS
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings_numbers import called

OURS = "twin-boost"


@dataclass(frozen=True)
class Rival:
    """A method of the paper on the replicates that TwinBoost has too."""

    method: str
    regret: float
    ours: float
    less: Estimate  # its regret minus ours, paired
    among: int = 1  # how many could be compared


def strongest_rival(source: Frame) -> Rival | None:
    """The method of the paper that comes nearest to TwinBoost, or is furthest ahead of it."""
    known, own = baselines.methods(), source.runs.get(OURS, {})
    rivals = []
    for method, runs in source.runs.items():
        shared = sorted(own.keys() & runs.keys())
        if known[method].paper_row is None or len(shared) < LEAST_DRAWS:
            continue
        theirs, ours = ([each[r].regret for r in shared] for each in (runs, own))
        less = Estimate.of([a - b for a, b in zip(theirs, ours, strict=True)])
        rivals.append(Rival(method, sum(theirs) / len(shared), sum(ours) / len(shared), less))
    nearest = min(rivals, key=lambda rival: (rival.less.mean, rival.method), default=None)
    return nearest and replace(nearest, among=len(rivals))


def twin_boost(published: Published) -> str | None:
    """How far TwinBoost stays behind the true uplift, beside the best of the paper's methods."""
    parts = []
    for name in SCENARIOS:
        found = strongest_rival(frame_of(published.column(name, VARIANTS[0])))
        if found is not None:
            low, high = found.less.interval()
            parts.append(
                f"in scenario {name.removeprefix('scenario')} {found.ours:.2f} against "
                f"{found.regret:.2f} of {called(found.method)} (the nearest of {found.among}; "
                f"difference {found.less.mean:.2f}, {low:.2f} to {high:.2f}, "
                f"{found.less.n} data sets)"
            )
    if not parts:
        return None
    return (
        "TwinBoost, which is not in the paper, beside the nearest of the paper's methods that have "
        "run on the same data, by how far each stays behind the true uplift: "
        f"{'; '.join(parts)} ([beyond the paper](findings/beyond.md))."
    )
