"""TwinBoost against the others, data set by data set: the scenarios' variants and real data."""

from collections.abc import Iterator, Mapping

from suite.compare.frame import frame_of
from suite.compare.paired import Estimate
from suite.compare.rivals import rivals, standing
from suite.compare.runs import BOUNDS
from suite.compare.verdicts import INTERIM
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published
from suite.show.findings_boost import OURS
from suite.show.findings_numbers import called
from suite.show.tables.entries import entries
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.real import T4_ROWS
from suite.show.tables.row_pairs import Differences

NAMED = ("logistic", "x-xgboost", "s-learner", "outcome-ranking")
TIDY = (
    *("experiment", "variant", "measure", "against", "replicates", "twin_boost", "gain"),
    *("standard_error", "lower_95", "upper_95", "standing"),
)


def boost_table(published: Published) -> Table:
    """One line per data set: TwinBoost's number, and its paired gain over others."""
    body: list[tuple[Text, ...]] = []
    tidy: list[dict[str, object]] = []
    for heading, measure, lines in (
        ("Simulated: regret", "regret", _simulated(published)),
        ("Real data: q", "q", _real(published)),
    ):
        block = list(lines)
        if block:
            body.append((Text(heading),))
        for column, ours, gains in block:
            words = standing({called(method): gain for method, gain in gains.items()})
            if min(gain.n for gain in gains.values()) < frame_of(column).planned:
                words += INTERIM
            shown = (_text(gains.get(method)) for method in NAMED)
            body.append(texts((column.name, f"{ours:.2f}", *shown, _nearest(gains), words)))
            tidy += [_line(column, measure, ours, m, gain, words) for m, gain in gains.items()]
    return Table(
        name="twin-boost",
        title="TwinBoost against the others, on every data set it has run on",
        header=texts(("data", "TwinBoost", *map(called, NAMED), "nearest of all", "it is")),
        rows=tuple(body),
        notes=(
            "Every difference is a gain: above 0 TwinBoost is ahead. Paired on the replicates "
            "that both have, five at least, with its 95 % interval and their number.",
            "Simulated data: by how much its regret, the distance to the ranking by the true "
            "uplift, is less than the other's (t interval). Real data: by how much its q is "
            "higher; the error is summed over the rows, which re-splits share, or Nadeau and "
            "Bengio's where no sums are published. Intervals have as many degrees of freedom as "
            "re-splits less one: wide with few, since row sums leave out the luck of training.",
            "Nearest of all: the method, of the paper or beyond it, over which it gains least. It "
            "is behind or ahead where a one-sided test says so after Holm's correction over all "
            "the methods on that data set, else level; interim where some method has fewer "
            "replicates than planned.",
        ),
        tidy=tuple(tidy),
        tidy_fields=TIDY,
    )


Line = tuple[Column, float, Mapping[str, Estimate]]


def _simulated(published: Published) -> Iterator[Line]:
    for variant in VARIANTS:
        for name in SCENARIOS:
            column = published.column(name, variant)
            found = rivals(frame_of(column), OURS, lambda run: run.regret)
            if found:
                own = frame_of(column).runs[OURS].values()
                ours = sum(run.regret for run in own) / len(own)
                yield column, ours, {m: rival.gain for m, rival in found.items()}


def _real(published: Published) -> Iterator[Line]:
    for name in T4_ROWS:
        column = published.column(name)
        methods = {m: m for m in frame_of(column).methods if m not in BOUNDS}
        if OURS not in methods:
            continue
        found = entries(column, methods, {}, lambda run: run.q)
        paired = Differences(published, column, found[OURS])
        # Their q minus ours, turned round.
        less = {m: e[0] for m, entry in found.items() if (e := paired.estimate(entry))}
        gains = {m: Estimate(-e.mean, e.error, e.df, e.n) for m, e in less.items()}
        if gains:
            yield column, found[OURS].ours.value, gains


def _text(gain: Estimate | None) -> str:
    if gain is None:
        return ""
    low, high = gain.interval()
    return f"{gain.mean:+z.2f} ({low:+z.2f} to {high:+z.2f}), {gain.n}"


def _nearest(gains: Mapping[str, Estimate]) -> str:
    method = min(gains, key=lambda name: (gains[name].mean, name))
    return f"{called(method)}: {_text(gains[method])}"


def _line(
    column: Column, measure: str, ours: float, method: str, gain: Estimate, words: str
) -> dict[str, object]:
    low, high = gain.interval()
    return {
        "experiment": column.experiment.name,
        "variant": column.variant,
        "measure": measure,
        "against": method,
        "replicates": gain.n,
        "twin_boost": ours,
        "gain": gain.mean,
        "standard_error": gain.error,
        "lower_95": low,
        "upper_95": high,
        "standing": words,
    }
