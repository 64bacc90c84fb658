"""Everything under `results/tables/`, rendered from the published records."""

from collections.abc import Iterator

from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published, columns
from suite.show import curves, dots
from suite.show.overview import overview
from suite.show.picture import Picture
from suite.show.tables import real, scenario4, simulated
from suite.show.tables.analysis import pairwise, sensitivity
from suite.show.tables.audit import audit_table
from suite.show.tables.beyond import beyond
from suite.show.tables.calibration import calibration_table
from suite.show.tables.claims import claims_table
from suite.show.tables.cost import cost
from suite.show.tables.decide import decide, rounding_table
from suite.show.tables.entries import compares
from suite.show.tables.index import index
from suite.show.tables.model import Table, check_widths
from suite.show.tables.scale import scale


def tables(published: Published) -> Iterator[Table]:
    """Every table; those of other variants than the paper's where they have records."""
    for variant in VARIANTS:
        if variant == VARIANTS[0] or compares(published.column("scenario4", variant)):
            yield scenario4.t1(published, variant)
            yield scenario4.t2(published, variant)
            yield scenario4.t3(published, variant)
    yield real.t4(published)
    yield real.t5(published)
    yield simulated.t6()
    for variant in VARIANTS:
        yield simulated.t7(published, variant)
    for variant in VARIANTS:
        if variant == VARIANTS[0] or any(compares(published.column(s, variant)) for s in SCENARIOS):
            yield beyond(published, variant)
            yield claims_table(published, variant)
    yield audit_table(published)
    yield calibration_table([c for c in _with_methods(published) if c.experiment.in_paper])
    yield decide(published)
    rounded = rounding_table(published)
    if rounded is not None:
        yield rounded
    yield cost(published)
    yield scale(published)
    for column in _with_methods(published):
        yield pairwise(column)
        yield sensitivity(column)


def pictures(published: Published) -> Iterator[Picture]:
    """Every figure that has something to show, and F4 always."""
    for variant in VARIANTS:
        scenarios = [published.column(name, variant) for name in SCENARIOS]
        if variant == VARIANTS[0] or any(column.of("oracle") for column in scenarios):
            yield curves.f4(scenarios)
    yield overview(published)
    for column in _with_methods(published):
        yield curves.qini_curves(column)
        yield dots.dots(column)
        yield dots.quality_against_time(column)


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
