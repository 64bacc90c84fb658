"""Sentences of the front page about measures, selection, rounding, calibration and cost."""

import baselines
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
from suite.show.tables.outcome_alone import outcome_alone

PRINTED = VARIANTS[0]


def called(method: str) -> str:
    """A method by its name in the paper, where it has one."""
    known = baselines.methods()
    row = known[method].paper_row if method in known else None
    return method if row is None or "=" in row else row  # "structured=Yes, R=0" is no name


def outcome_ranking(published: Published) -> str | None:
    """What a ranking is worth that never saw the treatment."""
    found = outcome_alone(published)
    return None if found is None else f"{found.removesuffix('.')} ([T4](paper/T4.md))."


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
            f". Worse, on {where} {called(worst[0].highest)} scores {gap.value:.2f} ± "
            f"{gap.error:.2f} higher than the true uplift itself"
        )
    times = (noisy.spread / truth.spread) ** 2
    return (
        f"The paper's measure is blunt: in scenario 4 one data set says as much about two methods "
        f"by regret as {times:.0f} data sets by q_adj, whose differences spread by "
        f"{noisy.spread:.2f} instead of {truth.spread:.2f} "
        f"([what a measure can decide](findings/decide.md)){improper}."
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
    choice = f"which chooses among {none[0]:,.0f}" if none[0] else "which has nothing to choose"
    return (
        f"Scores on the rows that a model was chosen on flatter it: {called(most[2])}, the best of "
        f"{most[0]:,.0f} settings, loses {most[1].value:.2f} ± {most[1].error:.2f} of its q_adj on "
        f"new rows; {called(none[2])}, {choice}, {none[1].value:.2f} ± {none[1].error:.2f} "
        "([T1](paper/T1.md), [T2](paper/T2.md))."
    )


def rounding_luck(published: Published) -> str | None:
    """What a single run of a network is worth."""
    twice = rounding.read(published.root.parent / FILE)
    found = summarise(cell for cell in twice if is_network(cell.method))
    if found is None:
        return None
    return (
        "A single network's score is largely luck: trained twice on the same data with the same "
        f"seed, but with other instructions of the same processor, {found.differ} of {found.cells} "
        f"networks end with another q_adj, by {found.median:.2f} in the median and up to "
        f"{found.largest:.2f}. Rounding alone gives one run a standard deviation of "
        f"{found.sd_q_adj:.2f} ([rounding](findings/rounding.md))."
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
        "Predicted uplifts cannot be taken at their word: in scenario 4 a predicted difference of "
        f"1 point is {low:.2f} observed points for {called(flat)} and {high:.2f} for "
        f"{called(steep)} ([calibration](findings/calibration.md))."
    )


def real_data(published: Published) -> str | None:
    """The paper's two models on the largest real data."""
    for name in ("criteo-200k", "criteo-100k", "criteo-sample"):
        if name not in EXPERIMENTS:
            continue
        column = published.column(name)
        rows = ("twin-512-structured", "causal-forest-honest")
        found = entries(column, {row: row for row in rows}, {}, lambda run: run.q)
        ran = {row: e.ours for row, e in found.items() if e.ours and e.ours.error is not None}
        if "twin-512-structured" in ran and len(ran) > 1:
            parts = [
                f"{mean.value:.2f} ± {mean.error:.2f} for {called(row)}"
                for row, mean in ran.items()
            ]
            size = frame_of(column).size
            return (
                f"On real data ({column.name}, {size} re-splits) q is {', '.join(parts)}. "
                "Re-splits share their rows, which these errors count; printed ones, of 20 "
                "re-splits, are four times too small ([T4](paper/T4.md))."
            )
    return None


def cost_of_all(published: Published) -> str | None:
    """Core-hours of what has run of the paper's data."""
    every = paper_columns(published)
    sources = [c for c in every if frame_of(c).every_run]
    waiting = [c.name for c in every if c not in sources]
    seconds = {c.name: core_seconds(c) for c in sources}
    hours = {
        m: planned_hours(m, sources, seconds) for m in {m for own in seconds.values() for m in own}
    }
    if not hours:
        return None
    most = max(sorted(hours), key=lambda m: hours[m])
    total = sum(hours.values())
    rest = f" {', '.join(waiting)} have not run." if waiting else ""
    return (
        f"With all planned replicates, what has run of the comparison takes {total:.0f} hours of "
        f"one processor core, {hours[most]:.1f} of them for {called(most)} "
        f"([cost](findings/cost.md)).{rest}"
    )
