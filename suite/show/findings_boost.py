"""The sentences of the front page about TwinBoost."""

import baselines
from suite.compare.frame import frame_of
from suite.compare.rivals import Rival, rivals
from suite.compare.runs import Frame
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings_numbers import called

OURS = "twin-boost"


def strongest_rival(source: Frame) -> tuple[Rival, int] | None:
    """The method of the paper that comes nearest to TwinBoost, or is furthest ahead of it.

    And among how many of the paper's methods.
    """
    known = baselines.methods()
    found = [
        rival
        for method, rival in rivals(source, OURS, lambda run: run.regret).items()
        if known[method].paper_row is not None
    ]
    if not found:
        return None
    return min(found, key=lambda rival: (rival.gain.mean, rival.method)), len(found)


def twin_boost(published: Published) -> str | None:
    """How far TwinBoost stays behind the true uplift, beside the best of the paper's methods."""
    parts = []
    for name in SCENARIOS:
        found = strongest_rival(frame_of(published.column(name, VARIANTS[0])))
        if found is not None:
            rival, among = found
            low, high = rival.gain.interval()
            parts.append(
                f"in scenario {name.removeprefix('scenario')} {rival.ours:.2f} against "
                f"{rival.theirs:.2f} of {called(rival.method)} (the nearest of {among}; "
                f"difference {rival.gain.mean:.2f}, {low:.2f} to {high:.2f}, "
                f"{rival.gain.n} data sets)"
            )
    if not parts:
        return None
    return (
        "TwinBoost, which is not in the paper, beside the nearest of the paper's methods that have "
        "run on the same data, by how far each stays behind the true uplift: "
        f"{'; '.join(parts)} ([TwinBoost](findings/twin-boost.md))."
    )
