"""Analysis B: the price of choosing by a noisy score."""

from collections import Counter

from suite.compare.choosing import COUNTS, SCORES, Choice, Unit, choices
from suite.compare.strata import LEAST_INTERVAL
from suite.plan.experiments import EXPERIMENTS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts
from suite.store.record import Record

TIDY = (
    *("score", "candidates", "draws", "regret", "standard_error", "against_q_adj"),
    *("against_q_adj_error", "p_two_sided", "optimism_q_adj", "optimism_error"),
)


def found_choices(published: Published) -> list[Choice]:
    """From the units that were run; none where some scenario has a single draw."""
    units = found_units(published)
    draws = Counter(unit.scenario for unit in units)
    enough = len(units) >= LEAST_INTERVAL and min(draws.values()) > 1
    return choices(units) if enough else []


def found_units(published: Published) -> list[Unit]:
    """The draws on which every candidate was run."""
    units = []
    for experiment in (e for e in EXPERIMENTS.values() if e.group == "choosing"):
        column = published.column(experiment.name)
        for replicate in sorted({record.replicate for record in column.records}):
            records = [r for r in column.records if r.ok and r.replicate == replicate]
            if len(records) == len(experiment.methods):
                units.append(_unit(experiment.source, records))
    return units


def _unit(scenario: str, records: list[Record]) -> Unit:
    readings = [reading for record in records for reading in record.readings.values()]
    validation = [name for name in SCORES if name != "true_q"]
    return Unit(
        scenario,
        records[0].replicate,
        records[0].truth.oracle_q,
        {
            **{name: [reading.facts[name] for reading in readings] for name in validation},
            "true_q": [reading.truth.q for reading in readings],
        },
        [reading.test.q_adj for reading in readings],
    )


def choosing_table(published: Published) -> Table | None:
    """Regret of the chosen by score and number of candidates; None where nothing was run."""
    found = found_choices(published)
    if not found:
        return None
    units = found_units(published)
    by = {(choice.score, choice.count): choice for choice in found}
    most = COUNTS[-1]
    rows = []
    for score, (_, label) in SCORES.items():
        fields = [f"{by[score, count].regret.mean:.2f}" for count in COUNTS]
        rows.append(texts((label, *fields, *_against(by[score, most]))))
    optimism = [by["q_adj", count].optimism for count in COUNTS]
    rows.append(texts(("Optimism of q_adj, chosen by it", *(f"{o.mean:+z.2f}" for o in optimism))))
    rows[-1] += texts(("", ""))
    replicates = notes.spans({unit.replicate for unit in units})
    return Table(
        name="choosing",
        title="The price of choosing by a noisy score",
        header=texts(
            (
                "chosen on validation rows by",
                *(f"regret, {count} candidate{'s' * (count > 1)}" for count in COUNTS),
                *(f"less than by q_adj, {most} candidates", "p"),
            )
        ),
        rows=tuple(rows),
        notes=(
            f"{len(units)} draws{_interim(len(units))}: replicates {replicates} of the four "
            "scenarios, printed formulas. "
            f"The same {most} candidates for every score: ridge regressions with interactions by "
            "20 penalties, boosted trees for each arm by 3 depths and 7 numbers of rounds. None "
            "is a model of the paper; what is compared is the choice.",
            "Regret on test rows, in per cent: the oracle's q minus that of the chosen, both "
            "without outcome noise; mean of the scenarios' means. Fewer candidates: random subsets "
            "of them, the same for every score.",
            "Difference: mean ± standard error over draws, scenarios being strata; p two-sided, "
            "paired. Optimism: q_adj of the chosen on validation rows minus on test rows.",
        ),
        tidy=tuple(_line(choice, len(units)) for choice in found),
        tidy_fields=TIDY,
    )


def _interim(draws: int) -> str:
    planned = sum(e.replicates for e in EXPERIMENTS.values() if e.group == "choosing")
    return f" of {planned} planned (interim)" if draws < planned else ""


def _against(choice: Choice) -> tuple[str | Text, str]:
    gain = choice.against_q_adj
    if gain is None:
        return "", ""
    return f"{-gain.mean:+z.2f} ± {gain.error:.2f}", f"{gain.p_two_sided():.3f}"


def _line(choice: Choice, draws: int) -> dict[str, object]:
    gain, optimism = choice.against_q_adj, choice.optimism
    values = (
        *(choice.score, choice.count, draws, choice.regret.mean, choice.regret.error),
        *(gain and gain.mean, gain and gain.error, gain and gain.p_two_sided()),
        *(optimism and optimism.mean, optimism and optimism.error),
    )
    return dict(zip(TIDY, values, strict=True))
