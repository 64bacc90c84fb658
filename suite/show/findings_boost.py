"""The sentences of the front page about TwinBoost."""

from collections.abc import Sequence

import baselines
from suite.compare.frame import frame_of
from suite.compare.rivals import Rival, rivals, standing
from suite.compare.runs import Frame
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings_numbers import called

OURS = "twin-boost"


def strongest_rival(source: Frame) -> tuple[Rival, str] | None:
    """The method of the paper that comes nearest to TwinBoost, or is furthest ahead of it.

    And how TwinBoost stands among all of the paper's methods.
    """
    found = _of_paper(source)
    if not found:
        return None
    nearest = min(found.values(), key=lambda rival: (rival.gain.mean, rival.method))
    return nearest, standing({called(method): rival.gain for method, rival in found.items()})


def least_regret(sources: Sequence[Frame]) -> list[Rival] | None:
    """The method of the paper with the least mean regret over all of `sources`, in each of them."""
    found = [_of_paper(source) for source in sources]
    everywhere = set.intersection(*map(set, found))
    if not everywhere:
        return None
    best = min(sorted(everywhere), key=lambda method: sum(own[method].theirs for own in found))
    return [own[best] for own in found]


def _of_paper(source: Frame) -> dict[str, Rival]:
    known = baselines.methods()
    return {
        method: rival
        for method, rival in rivals(source, OURS, lambda run: run.regret).items()
        if known[method].paper_row is not None
    }


def twin_boost(published: Published) -> str | None:
    """How far TwinBoost stays behind the true uplift, beside the best of the paper's methods."""
    sources = {name: frame_of(published.column(name, VARIANTS[0])) for name in SCENARIOS}
    parts = []
    for name, source in sources.items():
        found = strongest_rival(source)
        if found is not None:
            rival, words = found
            low, high = rival.gain.interval()
            parts.append(
                f"in scenario {name.removeprefix('scenario')} {rival.ours:.2f} against "
                f"{rival.theirs:.2f} of {called(rival.method)} (difference "
                f"{rival.gain.mean:.2f}, {low:.2f} to {high:.2f}, {rival.gain.n} data sets; "
                f"{words})"
            )
    if not parts:
        return None
    together = ""
    if best := least_regret(list(sources.values())):
        ours = sum(rival.ours for rival in best) / len(best)
        theirs = sum(rival.theirs for rival in best) / len(best)
        together = (
            f" In the mean of the four it loses {ours:.2f}, and {called(best[0].method)}, of the "
            f"paper's methods the one that loses least, {theirs:.2f} on the same data."
        )
    return (
        "TwinBoost, which is not in the paper, beside the nearest of the paper's methods that have "
        "run on the same data, by how far each stays behind the true uplift: "
        f"{'; '.join(parts)} ([TwinBoost](findings/twin-boost.md)).{together}"
    )
