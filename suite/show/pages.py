"""Every file under `results/` that shows records, by its path: pages, their numbers, pictures.

`paper/` has what the paper has, `findings/` what is found beyond it, `columns/` a page for each
experiment and variant. The variants of a table are sections of one page and lines of one CSV file.
"""

from collections.abc import Iterable, Iterator, Sequence

from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published, columns
from suite.show import curves, dots
from suite.show.front import front_page
from suite.show.overview import overview
from suite.show.picture import Picture
from suite.show.tables import insurance, real, scenario4, simulated
from suite.show.tables.analysis import pairwise, sensitivity
from suite.show.tables.audit import audit_table
from suite.show.tables.beyond import beyond
from suite.show.tables.boost import boost_table
from suite.show.tables.boost_parts import boost_parts_table
from suite.show.tables.calibration import calibration_table
from suite.show.tables.choosing import choosing_table
from suite.show.tables.claims import claims_table
from suite.show.tables.cost import cost
from suite.show.tables.decide import decide, rounding_table
from suite.show.tables.entries import BOUNDS, compares
from suite.show.tables.model import Table, check_widths
from suite.show.tables.scale import scale
from suite.show.tables.seeds import seeds_table

Files = dict[str, str | Picture]


def render(published: Published) -> Files:
    """Every file by its path under `results/`."""
    paper, findings = list(paper_tables(published)), list(finding_tables(published))
    compared = list(_with_methods(published))
    files: Files = {"README.md": front_page(published, paper, findings, compared)}
    for versions in paper:
        files |= _page("paper", versions)
        files |= {f"paper/latex/{table.name}.tex": table.latex() for table in versions}
    for versions in findings:
        files |= _page("findings", versions)
    files |= {f"paper/{picture.name}.svg": picture for picture in _f4(published)}
    files["findings/overview.svg"] = overview(published)
    for column in compared:
        files |= _column_page(column)
    return files


def render_text(published: Published) -> dict[str, str]:
    """The text files alone."""
    return {path: f for path, f in render(published).items() if isinstance(f, str)}


def paper_tables(published: Published) -> Iterator[list[Table]]:
    """T1 to T7, each with its variants; others than the paper's own where they have records."""
    own = [v for v in VARIANTS if v == VARIANTS[0] or _ran(published, ("scenario4",), v)]
    for table in (scenario4.t1, scenario4.t2, scenario4.t3):
        first, *others = (table(published, variant) for variant in own)
        yield [first, *filter(_compares, others)]
    yield [real.t4(published)]
    yield [insurance.t5(published)]
    yield [simulated.t6()]
    yield [simulated.t7(published, variant) for variant in VARIANTS]


def finding_tables(published: Published) -> Iterator[list[Table]]:
    """What the paper does not have."""
    ran = [v for v in VARIANTS if v == VARIANTS[0] or _ran(published, SCENARIOS, v)]
    claims = [claims_table(published, variant) for variant in ran]
    yield [table for table in claims if table is claims[0] or _compared(table)]
    yield [audit_table(published)]
    yield [beyond(published, variant) for variant in ran]
    yield [boost_table(published)]
    yield [calibration_table([c for c in _with_methods(published) if c.experiment.in_paper])]
    yield [decide(published)]
    rounded = rounding_table(published)
    luck = rounded, seeds_table(published), choosing_table(published)
    side = *luck, boost_parts_table(published)
    yield from ([table] for table in side if table is not None)
    yield [cost(published)]
    yield [scale(published)]


def _page(folder: str, versions: Sequence[Table]) -> dict[str, str]:
    """One page and one CSV file; the first version gives both their name."""
    name = versions[0].name
    return {f"{folder}/{name}.md": _sections(versions), f"{folder}/{name}.csv": _numbers(versions)}


def _sections(tables: Iterable[Table]) -> str:
    found = [check_widths(table) for table in tables]
    return "\n".join(t.markdown("#" if t is found[0] else "##") for t in found)


def _numbers(tables: Sequence[Table]) -> str:
    """The lines of all tables under one head."""
    (fields,) = {table.tidy_fields for table in tables}
    lines = [line for table in tables for line in table.csv().splitlines(keepends=True)[1:]]
    return ",".join(fields) + "\n" + "".join(lines)


def _column_page(column: Column) -> Files:
    folder = f"columns/{column.name}"
    pairs, bins = check_widths(pairwise(column)), check_widths(sensitivity(column))
    drawn = {
        "dots": dots.dots(column),
        "time": dots.quality_against_time(column),
        "curves": curves.qini_curves(column),
    }
    lines = [
        f"# {column.name}",
        "",
        f"{column.experiment.summary}. Numbers in full: [pairwise.csv](pairwise.csv), "
        "[sensitivity.csv](sensitivity.csv).",
        "",
        *(f"![{PICTURES[name]}]({name}.svg)\n" for name in drawn),
    ]
    return {
        f"{folder}/README.md": "\n".join((*lines, pairs.markdown("##"), bins.markdown("##"))),
        f"{folder}/pairwise.csv": pairs.csv(),
        f"{folder}/sensitivity.csv": bins.csv(),
        **{f"{folder}/{name}.svg": picture for name, picture in drawn.items()},
    }


PICTURES = {
    "dots": "q_adj of every method beside the paper's, and paired with a reference",
    "time": "q_adj against core time",
    "curves": "Qini curves of every method",
}


def _f4(published: Published) -> Iterator[Picture]:
    """F4 always; in other variants where the oracle has run."""
    for variant in VARIANTS:
        scenarios = [published.column(name, variant) for name in SCENARIOS]
        if variant == VARIANTS[0] or any(column.of("oracle") for column in scenarios):
            yield curves.f4(scenarios)


def _ran(published: Published, scenarios: Iterable[str], variant: str) -> bool:
    return any(compares(published.column(name, variant)) for name in scenarios)


def _compared(claims: Table) -> bool:
    """Whether any contrast of the claims in the scenarios has records."""
    return any("difference" in x for x in claims.tidy if x["high_experiment"] in SCENARIOS)


def _compares(table: Table) -> bool:
    """Whether a table of scenario 4 has two numbers to compare, bounds left aside."""
    return sum(x["mean"] is not None and x["row"] not in BOUNDS for x in table.tidy) > 1


def _with_methods(published: Published) -> Iterator[Column]:
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        if experiment.compares_methods and compares(column):
            yield column
