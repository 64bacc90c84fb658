"""What the paper's comparison costs, by method."""

from collections.abc import Mapping

from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.runs import BOUNDS
from suite.plan.experiments import VARIANTS
from suite.publish.columns import Column, Published, columns
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts
from suite.words import duration

TIDY = ("method", "experiment", "replicates", "planned", "core_seconds", "planned_core_hours")


def cost(published: Published) -> Table:
    """Core time of one replicate by data set, and core-hours of all planned replicates."""
    sources = [c for c in paper_columns(published) if frame_of(c).every_run]
    seconds = {c.name: core_seconds(c) for c in sources}
    methods = sorted({m for own in seconds.values() for m in own})
    hours = {m: planned_hours(m, sources, seconds) for m in methods}
    ranked = sorted(methods, key=lambda m: (-hours[m], m))
    rows = [_row(m, [seconds[c.name].get(m) for c in sources], hours[m]) for m in ranked]
    total = [sum(seconds[c.name].values()) for c in sources]
    rows.append(_row("all", total, sum(hours.values())))
    return Table(
        name="cost",
        title="Cost: core time of one replicate, and core-hours of the planned comparison",
        header=texts(("method", *(c.name for c in sources), "core-hours planned")),
        rows=tuple(rows),
        notes=(
            "Core time: CPU seconds of one replicate, tuning included, mean over the replicates "
            "that ran; empty where none ran or the method takes no part. Core-hours: these means "
            "times the planned replicates, over the data of the paper that have run.",
            *notes.commits([run for c in sources for run in frame_of(c).every_run]),
        ),
        tidy=tuple(
            {
                "method": m,
                "experiment": c.name,
                "replicates": len(frame_of(c).runs[m]),
                "planned": frame_of(c).planned,
                "core_seconds": seconds[c.name][m],
                "planned_core_hours": seconds[c.name][m] * frame_of(c).planned / 3600,
            }
            for m in ranked
            for c in sources
            if m in seconds[c.name]
        ),
        tidy_fields=TIDY,
    )


def paper_columns(published: Published) -> list[Column]:
    """The columns of the paper, scenarios in the paper's own variant."""
    return [
        published.column(experiment.name, variant)
        for experiment, variant in columns()
        if experiment.in_paper and variant in (None, VARIANTS[0])
    ]


def core_seconds(column: Column) -> dict[str, float]:
    """Mean core-seconds of one replicate, by planned method."""
    runs, planned = frame_of(column).runs, column.experiment.default_methods()
    means = {
        m: mean_of(runs[m].values(), lambda run: run.cpu_seconds) for m in planned if m in runs
    }
    return {m: mean.value for m, mean in means.items() if mean and m not in BOUNDS}


def planned_hours(
    method: str, sources: list[Column], seconds: Mapping[str, Mapping[str, float]]
) -> float:
    """Core-hours of all planned replicates of a method."""
    known = [(frame_of(c).planned, seconds[c.name].get(method, 0.0)) for c in sources]
    return sum(planned * one for planned, one in known) / 3600


def _row(name: str, seconds: list[float | None], hours: float) -> tuple[Text, ...]:
    times = ["" if one is None else duration(one) for one in seconds]
    return texts((name, *times, f"{hours:.2f}"))
