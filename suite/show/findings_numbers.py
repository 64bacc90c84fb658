"""Sentences of the front page about measures, selection, rounding, calibration and cost."""

import math

from suite.compare import rounding
from suite.compare.decide import decisions
from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.rounding import FILE, summarise
from suite.plan.experiments import EXPERIMENTS, SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.tables.cost import core_seconds, paper_columns, planned_hours
from suite.show.tables.decide import is_network, simulated_data
from suite.show.tables.details import optimism
from suite.show.tables.entries import entries
from suite.show.tables.seeds import splits

PRINTED = VARIANTS[0]


def measures(published: Published) -> str | None:
    """How much better regret tells methods apart than q_adj."""
    column = published.column("scenario4", PRINTED)
    found = {d.measure: d for d in decisions(frame_of(column), simulated_data(column))}
    if not found:
        return None
    noisy, truth = found["q_adj"], found["true q (regret)"]
    gaps = [
        (d, c.name)
        for name in SCENARIOS
        for variant in VARIANTS
        for c in [published.column(name, variant)]
        for d in decisions(frame_of(c), simulated=True)
        if d.measure == "q_adj" and d.gap is not None and d.gap.value > 2 * d.gap.error
    ]
    worst = max(gaps, key=lambda pair: pair[0].gap.value, default=None)
    improper = ""
    if worst is not None:
        gap, where = worst[0].gap, worst[1]
        improper = (
            f"; on {where} {worst[0].highest} even scores {gap.value:.2f} ± {gap.error:.2f} higher "
            "than the true uplift itself"
        )
    times = (noisy.spread / truth.spread) ** 2
    return (
        f"In scenario 4 a paired difference of two methods spreads by {noisy.spread:.2f} between "
        f"data sets in q_adj and by {truth.spread:.2f} in regret: one replicate of regret says as "
        f"much as {times:.0f} of q_adj ([what a measure can decide](findings/decide.md)){improper}."
    )


def selection(published: Published) -> str | None:
    """How much choosing among many settings flatters the validation score."""
    column = published.column("scenario4", PRINTED)
    source = frame_of(column)
    found = entries(column, {m: m for m in source.methods}, {})
    flattered = []
    for entry in found.values():
        candidates, gain = mean_of(entry.runs, lambda run: run.candidates), optimism(entry, source)
        if candidates is not None and gain is not None and gain.error is not None:
            flattered.append((candidates.value, gain, entry.row))
    if len(flattered) < 2:
        return None
    none = min(flattered, key=lambda item: (item[0], item[2]))
    most = max(flattered, key=lambda item: item[1].value)
    return (
        f"The choice on validation rows flatters: {most[2]}, chosen from {most[0]:,.0f} settings, "
        f"loses {most[1].value:.2f} ± {most[1].error:.2f} of its validation q_adj on test rows, "
        f"{none[2]}, chosen from {none[0]:,.0f}, {none[1].value:.2f} ± {none[1].error:.2f} "
        "([T2](paper/T2.md), [T3](paper/T3.md))."
    )


def rounding_luck(published: Published) -> str | None:
    """What a single run of a network is worth."""
    twice = rounding.read(published.root.parent / FILE)
    found = summarise(cell for cell in twice if is_network(cell.method))
    if found is None:
        return None
    return (
        f"With other instructions of the same processor {found.differ} of {found.cells} cells of "
        f"networks end with another q_adj, by {found.median:.2f} in the median and up to "
        f"{found.largest:.2f}: rounding alone gives one run a standard deviation of "
        f"{found.sd_q_adj:.2f} ([rounding](findings/rounding.md)), where the paper prints standard "
        "errors of 0.05 to 0.15 for means of 20 runs."
    )


def training_luck(published: Published) -> str | None:
    """What another seed of training does, in the scenario and network with most to say."""
    found = [
        (method, scenario, one)
        for scenario, method, one in splits(published)
        if is_network(method) and one.total is not None
    ]
    if not found:
        return None
    # The paper's best model where it was repeated, and its main scenario.
    method, scenario, one = max(found, key=lambda f: (f[0] == "twin-512-structured", f[1]))
    noise = "" if one.noise is None else f", outcome noise {math.sqrt(one.noise):.2f}"
    return (
        f"The same network on the same data ends elsewhere with another seed: {method} in "
        f"{scenario} has a standard deviation of {math.sqrt(one.training):.2f} in q_adj from the "
        f"luck of training alone, {one.training / one.total:.0%} of the variance of one run "
        f"(standard deviation {math.sqrt(one.total):.2f}{noise}); so a mean of 20 runs has a "
        f"standard error of {math.sqrt(one.total / 20):.2f} ([seeds](findings/seeds.md))."
    )


def calibration(published: Published) -> str | None:
    """The range of slopes in scenario 4."""
    source = frame_of(published.column("scenario4", PRINTED))
    means = {m: mean_of(source.shown(m), lambda run: run.slope) for m in source.methods}
    slopes = sorted((mean.value, m) for m, mean in means.items() if mean is not None)
    if len(slopes) < 2:
        return None
    (low, flat), (high, steep) = slopes[0], slopes[-1]
    return (
        "Predicted uplifts cannot be taken at their word: in scenario 4 the slope of observed on "
        f"predicted uplift goes from {low:.2f} ({flat}) to {high:.2f} ({steep}), where 1 is right "
        "([calibration](findings/calibration.md))."
    )


def real_data(published: Published) -> str | None:
    """Whether anything beats a ranking that never saw the treatment, on the largest real data."""
    for name in ("criteo-200k", "criteo-100k", "criteo-sample"):
        if name not in EXPERIMENTS:
            continue
        column = published.column(name)
        rows = ("twin-512-structured", "causal-forest-honest", "outcome-ranking")
        found = entries(column, {row: row for row in rows}, {}, lambda run: run.q)
        ran = {row: e.ours for row, e in found.items() if e.ours and e.ours.error is not None}
        if "twin-512-structured" in ran and len(ran) > 1:
            parts = [f"{row} {mean.value:.2f} ± {mean.error:.2f}" for row, mean in ran.items()]
            n = len(frame_of(column).common)
            return (
                f"On real data, {column.name}, q over {n} re-splits is "
                f"{', '.join(parts)}: their standard errors count that re-splits share their rows, "
                "and printed ones of 20 re-splits are four times too small ([T4](paper/T4.md))."
            )
    return None


def cost_of_all(published: Published) -> str | None:
    """Core-hours of the whole paper."""
    sources = [c for c in paper_columns(published) if frame_of(c).every_run]
    seconds = {c.name: core_seconds(c) for c in sources}
    hours = {
        m: planned_hours(m, sources, seconds) for m in {m for own in seconds.values() for m in own}
    }
    if not hours:
        return None
    most = max(sorted(hours), key=lambda m: hours[m])
    total = sum(hours.values())
    return (
        f"The whole comparison takes {total:.0f} core-hours, {hours[most]:.1f} of them for {most} "
        "([cost](findings/cost.md))."
    )
