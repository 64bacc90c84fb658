"""Analyses of what the comparison itself can show: measures, rounding, cost."""

from suite.compare import rounding
from suite.compare.decide import SHARE, Decision, decisions
from suite.compare.frame import frame_of
from suite.compare.rounding import FILE, Rounding, summarise
from suite.publish.columns import Column, Published, columns
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts

DECIDE_HEADS = (
    *("data", "measure", "methods", "n", "spread of a paired difference", "worth finding"),
    *("replicates for it", "least found with n", "lowest to highest", "pairs as by regret"),
    "highest minus oracle",
)
DECIDE_TIDY = (
    *("experiment", "variant", "measure", "methods", "replicates", "paired_sd", "worth_finding"),
    *("replicates_needed", "least_detectable", "range", "pairs_as_by_regret", "gap_to_oracle"),
    *("gap_error", "highest"),
)
ROUNDING_TIDY = (
    *("group", "cells", "differ", "other_setting", "median_q_adj", "largest_q_adj"),
    *("sd_q_adj", "sd_true_q"),
)


def decide(published: Published) -> Table:
    """What can this measure decide on this data set?"""
    rows, tidy, used = [], [], []
    for experiment, variant in columns():
        if not experiment.compares_methods:
            continue
        column = published.column(experiment.name, variant)
        for found in decisions(frame_of(column), simulated_data(column)):
            rows.append(texts(_decide_row(column, found)))
            tidy.append(_decide_line(column, found))
            used.append(column)
    runs = [run for column in used for run in frame_of(column).every_run]
    return Table(
        name="decide",
        title="What can this measure decide on this data set?",
        header=texts(DECIDE_HEADS),
        rows=tuple(rows),
        notes=(
            f"Worth finding: {SHARE:.0%} of the oracle's q; replicates for it: with a one-sided "
            "paired t test at 5 % and 80 % power; least found with n: the true difference that the "
            "n common replicates find with 80 % power (on real data with Nadeau and Bengio's "
            "error, because re-splits share their rows, and careful for a difference).",
            "Spread: the median over all pairs of methods, in per cent of q. Pairs as by regret: "
            "the share of pairs whose means stand in the order of their mean regret.",
            "Highest minus oracle: the highest method's mean score minus that of the true uplift "
            "itself, ± standard error; above 0 the measure rewards something else than uplift.",
            "Only rows with at least five common replicates take part.",
            *notes.commits(runs),
        ),
        left=2,
        tidy=tuple(tidy),
        tidy_fields=DECIDE_TIDY,
    )


def simulated_data(column: Column) -> bool:
    """Whether the true uplift is known."""
    return all(run.true_q is not None for run in frame_of(column).every_run)


def _decide_row(column: Column, found: Decision) -> tuple[str, ...]:
    gap = found.gap
    return (
        *(column.name, found.measure, str(found.methods), str(found.n), f"{found.spread:.2f}"),
        "" if found.worth is None else f"{found.worth:.2f}",
        "" if found.needed is None else str(found.needed),
        *(f"{found.least:.2f}", f"{found.range:.2f}"),
        "" if found.as_truth is None else f"{100 * found.as_truth:.0f} %",
        "" if gap is None else f"{gap.value:+.2f} ± {gap.error:.2f} ({found.highest})",
    )


def _decide_line(column: Column, found: Decision) -> dict[str, object]:
    values = (
        *(column.experiment.name, column.variant, found.measure, found.methods, found.n),
        *(found.spread, found.worth, found.needed, found.least, found.range, found.as_truth),
        *(found.gap and found.gap.value, found.gap and found.gap.error, found.highest),
    )
    return dict(zip(DECIDE_TIDY, values, strict=True))


def rounding_table(published: Published) -> Table | None:
    """What rounding alone does; None where the cells were not computed twice."""
    cells = rounding.read(published.root.parent / FILE)
    if not cells:
        return None
    networks = [cell for cell in cells if is_network(cell.method)]
    groups = {
        "networks": networks,
        "all other methods": [cell for cell in cells if not is_network(cell.method)],
        **{m: [c for c in networks if c.method == m] for m in sorted({c.method for c in networks})},
    }
    found = {name: result for name, own in groups.items() if (result := summarise(own))}
    heads = (
        *("cells of", "n", "another q_adj", "another setting", "median difference", "largest"),
        *("sd of one run, q_adj", "sd of one run, true q"),
    )
    replicates = notes.spans({cell.replicate for cell in cells})
    folders = ", ".join(sorted({cell.experiment for cell in cells}))
    return Table(
        name="rounding",
        title="What rounding alone does: the same cells with other instructions of the processor",
        header=texts(heads),
        rows=tuple(texts((name, *_rounding_fields(one))) for name, one in found.items()),
        notes=(
            f"Replicates {replicates} of {folders}, same code, data and seeds on the same machine, "
            "once with AVX-512 and once held to AVX2. Differences are of test q_adj, in per cent.",
            "A sum in another order changes the last digit; hundreds of epochs and a choice among "
            "settings enlarge it. The standard deviation of one run is the root mean square of the "
            "differences over the square root of 2: the luck of training and selection that a "
            "single run of a network holds, on top of the luck of its data.",
        ),
        tidy=tuple(
            dict(zip(ROUNDING_TIDY, (name, *vars(one).values()), strict=True))
            for name, one in found.items()
        ),
        tidy_fields=ROUNDING_TIDY,
    )


def is_network(method: str) -> bool:
    """Twin models with hidden layers; `twin-mu` and its kin have none."""
    return method.startswith("twin-") and not method.startswith("twin-mu")


def _rounding_fields(one: Rounding) -> tuple[str | Text, ...]:
    return (
        *(str(one.cells), str(one.differ), str(one.other_setting), f"{one.median:.2f}"),
        *(f"{one.largest:.2f}", f"{one.sd_q_adj:.2f}", f"{one.sd_true_q:.2f}"),
    )
