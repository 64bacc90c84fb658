"""What each step of TwinBoost is worth: its regret without the step, on the same draws."""

from collections.abc import Mapping, Sequence

from suite.compare.paired import Estimate
from suite.compare.strata import stratified
from suite.plan.experiments import EXPERIMENTS, SCENARIOS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, texts

TIDY = (
    *("change", "draws", *(f"regret_{scenario}" for scenario in SCENARIOS), "regret"),
    *("more_than_whole", "more_than_whole_error", "p_two_sided"),
)
Regrets = Mapping[str, Mapping[str, Sequence[float]]]  # by change and scenario, one for each draw


def found_regrets(published: Published) -> tuple[Regrets, set[int]]:
    """Of the replicates that every scenario has."""
    records = {
        e.source: {r.replicate: r for r in published.column(e.name).records if r.ok}
        for e in EXPERIMENTS.values()
        if e.group == "boost-parts"
    }
    common = set.intersection(*(set(by_replicate) for by_replicate in records.values()))
    regrets: dict[str, dict[str, list[float]]] = {}
    for scenario, by_replicate in records.items():
        for replicate in sorted(common):
            record = by_replicate[replicate]
            for change, reading in record.readings.items():
                lost = record.truth.oracle_q - reading.truth.q
                regrets.setdefault(change, {}).setdefault(scenario, []).append(lost)
    return regrets, common


def boost_parts_table(published: Published) -> Table | None:
    """One row for each change; None where there are not two draws of every scenario."""
    regrets, replicates = found_regrets(published)
    if len(replicates) < 2:
        return None
    (whole, *_) = regrets.values()
    rows, lines = [], []
    for change, by_scenario in regrets.items():
        means = [sum(values) / len(values) for values in by_scenario.values()]
        mean = sum(means) / len(means)
        more = None if by_scenario is whole else _more(by_scenario, whole)
        shown = ("", "") if more is None else (_difference(more), f"{more.p_two_sided():.3f}")
        rows.append(texts((change, *(f"{m:.3f}" for m in (*means, mean)), *shown)))
        numbers = (None,) * 3 if more is None else (more.mean, more.error, more.p_two_sided())
        values = (change, len(replicates), *means, mean, *numbers)
        lines.append(dict(zip(TIDY, values, strict=True)))
    planned = {e.replicates for e in EXPERIMENTS.values() if e.group == "boost-parts"}.pop()
    interim = f" of {planned} planned (interim)" if len(replicates) < planned else ""
    return Table(
        name="boost-parts",
        title="What each step of TwinBoost is worth",
        header=texts(
            ("TwinBoost", *(f"regret, {s}" for s in SCENARIOS), "mean", "more than as it is", "p")
        ),
        rows=tuple(rows),
        notes=(
            f"{len(replicates)} draws of each scenario{interim}: replicates "
            f"{notes.spans(replicates)}, printed formulas, every change on the same rows. The "
            "design was chosen on replicates 100 to 103.",
            "Regret on test rows, in per cent: the oracle's q minus the model's, both without "
            "outcome noise. Difference: mean of the scenarios' means ± standard error over draws, "
            "scenarios being strata; p two-sided, paired, not corrected for the number of rows.",
        ),
        tidy=tuple(lines),
        tidy_fields=TIDY,
    )


def _more(changed: Mapping[str, Sequence[float]], whole: Mapping[str, Sequence[float]]) -> Estimate:
    return stratified([[a - b for a, b in zip(changed[s], whole[s], strict=True)] for s in changed])


def _difference(more: Estimate) -> str:
    return f"{more.mean:+z.3f} ± {more.error:.3f}"
