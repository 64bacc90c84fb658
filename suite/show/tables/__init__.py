"""Everything under `results/tables/`, rendered from the published records."""

from collections.abc import Iterator

from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published, columns
from suite.show import plots
from suite.show.tables import real, simulated
from suite.show.tables.analysis import analyses
from suite.show.tables.beyond import beyond
from suite.show.tables.entries import compares
from suite.show.tables.index import index
from suite.show.tables.model import Table, check_widths
from suite.show.tables.scale import scale


def tables(published: Published) -> Iterator[Table]:
    """Every table; those of other variants than the paper's where they have records."""
    for variant in VARIANTS:
        if variant == VARIANTS[0] or compares(published.column("scenario4", variant)):
            yield simulated.t1(published, variant)
            yield simulated.t2(published, variant)
            yield simulated.t3(published, variant)
    yield real.t4(published)
    yield real.t5(published)
    yield simulated.t6()
    for variant in VARIANTS:
        yield simulated.t7(published, variant)
    for variant in VARIANTS:
        if variant == VARIANTS[0] or any(compares(published.column(s, variant)) for s in SCENARIOS):
            yield beyond(published, variant)
    yield scale(published)
    yield from analyses(published, _with_methods(published))


def pictures(published: Published) -> Iterator[plots.Picture]:
    """Every figure that has something to show, and F4 always."""
    for variant in VARIANTS:
        scenarios = [published.column(name, variant) for name in SCENARIOS]
        if variant == VARIANTS[0] or any(column.of("oracle") for column in scenarios):
            yield plots.f4(scenarios)
    for column in _with_methods(published):
        yield plots.qini_curves(column)
        yield plots.dots(column)
        yield plots.quality_against_time(column)


def render_text(published: Published) -> dict[str, str]:
    """The text files by name."""
    files: dict[str, str] = {}
    found = [check_widths(table) for table in tables(published)]
    for table in found:
        files |= table.files()
    files["README.md"] = index(found, list(pictures(published)))
    return files


def _with_methods(published: Published) -> Iterator[Column]:
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        if compares(column) and not experiment.scale:
            yield column
