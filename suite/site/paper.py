"""The paper's tables and its figure of Qini curves, printed beside ours."""

import html

from suite.compare.frame import frame_of
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column
from suite.show.tables import insurance, real, scenario4, simulated
from suite.show.tables.entries import BOUNDS, Entry, best_rows, entries
from suite.show.tables.model import Table
from suite.site import specs
from suite.site.behind import behind, said
from suite.site.curves import oracle_curves
from suite.site.ground import Ground, made_from
from suite.site.page import Page
from suite.site.table import Cell, verdict

MEANING = {
    "printed": "the paper's formulas",
    "released": "what the authors' public generator computes",
    "centred": "the form of Powers et al. (2018), the treatment coded t - 1/2",
}


def paper_page(ground: Ground) -> Page:
    """The page: scenarios with a switch of the variant, then real data."""
    page = Page("paper", "The paper beside ours")
    page.md(
        "Each number of ours is a mean over common replicates. Point at it to see the replicates, "
        "the standard error and the file of its records; click to get to the records themselves. "
        "“5 of 20” is a row that lacks some of the common replicates: it is not compared. "
        "*Interim* is a verdict on fewer replicates than planned."
    )
    page.section("The scenarios", "scenarios")
    buttons = "".join(
        f'<button type="button" data-variant="{v}" aria-pressed="{str(v == VARIANTS[0]).lower()}">'
        f"{v}</button>"
        for v in VARIANTS
    )
    meanings = "; ".join(f"<b>{name}</b>: {html.escape(text)}" for name, text in MEANING.items())
    page.html(
        f'<div class="switch" role="group" aria-label="Variant of the data generator">{buttons}'
        f"</div><p>Variant of the data generator. {meanings}.</p>"
    )
    for variant in VARIANTS:
        page.html(f'<div class="variant" data-variant="{variant}">')
        _variant(page, ground, variant)
        page.html("</div>")
    page.section("T4 and T5: real data", "real")
    links = method_links(ground)
    for table in (real.t4(ground.published), insurance.t5(ground.published)):
        page.suite_table(table, f"tables/{table.name}", links, behind(ground, table))
    page.section("T6: the scenarios", "t6")
    page.suite_table(simulated.t6(), "tables/T6", links)
    _contradictions(page)
    used = [ground.column(s, v) for s in SCENARIOS for v in VARIANTS]
    page.made_from(made_from(used))
    return page


def method_links(ground: Ground) -> dict[str, str]:
    """The page of each row of the paper, and of each method."""
    links = {name: f"methods/{name}" for name in ground.methods}
    for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7"):
        for row in paper.rows(table):
            method = paper.method_of(scenario4.T1_ALIASES.get(row, row))
            if method is not None:
                links[row] = f"methods/{method}"
    return links | {row: f"methods/{method}" for row, method in BOUNDS.items()}


def _variant(page: Page, ground: Ground, variant: str) -> None:
    links = method_links(ground)
    column = ground.column("scenario4", variant)
    _heading(page, f"T7, {variant}: all models in all scenarios", f"t7-{variant}")
    _t7(page, ground, variant, links)
    _heading(page, f"T1 to T3, {variant}: scenario 4", f"t1-{variant}")
    if frame_of(column).common:
        for make in (scenario4.t1, scenario4.t2, scenario4.t3):
            table: Table = make(ground.published, variant)
            page.suite_table(table, f"tables/{table.name}", links, behind(ground, table))
    else:
        page.md(f"Scenario 4 has no records of this variant yet ({variant}).")
    _heading(page, f"F4, {variant}: Qini curves of the true uplift", f"f4-{variant}")
    data = oracle_curves([ground.column(name, variant) for name in SCENARIOS])
    if data:
        x, y = specs.field("phi", "targeted, per cent"), specs.field("gain", "gain, per cent")
        ends = [line for line in data if line["phi"] == 100]
        message = "; ".join(f"{line['data']} ends at {line['gain']:.1f}" for line in ends)
        page.chart(
            f"f4-{variant}-chart",
            specs.lines(data, x, y, "data"),
            f"Qini curve of the true uplift for each scenario. {message} per cent.",
            f"Incremental positives when the rows with the greatest true uplift are treated first; "
            f"mean over the oracle's replicates, variant {variant}.",
        )


def _heading(page: Page, title: str, anchor: str) -> None:
    """Within a variant: a section of Sphinx could not be inside of what the switch hides."""
    page.html(f'<h3 id="{anchor}">{html.escape(title)}</h3>')


def _t7(page: Page, ground: Ground, variant: str, links: dict[str, str]) -> None:
    rows = paper.rows("T7")
    columns = [ground.column(name, variant) for name in SCENARIOS]
    found, best = [], []
    for column in columns:
        papers = {row: paper.scenario_value(row, column.experiment.name) for row in rows}
        methods = {row: paper.method_of(row) for row in rows} | BOUNDS
        found.append(entries(column, methods, papers))
        best.append(best_rows(found[-1]))
    lines = []
    for row in (*rows, *BOUNDS):
        line = [Cell(row, link=page.to(links[row]) if row in links else "")]
        for column, own, top in zip(columns, found, best, strict=True):
            line += _entry(page, ground, column, own[row], row in top)
        lines.append(line)
    head = ["model", *("ours", "paper", "verdict") * len(SCENARIOS)]
    groups = [(f"scenario {name[8:]}", 3) for name in SCENARIOS]
    table = simulated.t7(ground.published, variant)
    page.table(
        *(f"tables/{table.name}", table.title, head, lines),
        numbers=table.csv(),
        groups=groups,
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in table.notes[1:])
    page.html(f"<details><summary>How to read T7, {variant}</summary><ul>{notes}</ul></details>")


def _entry(page: Page, ground: Ground, column: Column, entry: Entry, best: bool) -> list[Cell]:
    """Ours with what stands behind it, the paper's, and the verdict."""
    shown, printed = entry.value().plain, entry.printed().plain
    paper_s = Cell(printed, entry.paper.value if entry.paper else "")
    if entry.ours is None:
        return [Cell(shown, style="missing n"), paper_s, Cell("")]
    target, says = said(ground, entry.tidy("T7", column.name, column))
    style = "best n" if best else "n"
    ours = Cell(shown, link=page.to(target), says=says, style=style)
    return [ours, paper_s, verdict(entry.verdict if entry.paper else "")]


def _contradictions(page: Page) -> None:
    """Rows of which the paper prints two numbers for the same data."""
    page.section("Where the paper contradicts itself", "contradictions")
    rows = []
    for table in ("T1", "T2", "T3"):
        for row in paper.rows(table):
            name = scenario4.T1_ALIASES.get(row, row)
            one, other = paper.printed(table, row, "q_adj"), paper.printed("T7", name, "scenario 4")
            if one is not None and other is not None and one.value != other.value:
                numbers = (Cell(f"{v:.2f}", v) for v in (one.value, other.value))
                rows.append([Cell(name), Cell(table), *numbers])
    head = ["row", "table", "printed there", "printed in T7"]
    if rows:
        page.md("The same row on scenario 4, printed twice with different numbers:")
        page.table("tables/contradictions", "Numbers that the paper prints twice", head, rows)
    else:
        page.md("No row of scenario 4 is printed with two different numbers.")
    page.md(
        "The small CRITEO sample has 100K rows in the paper's table and 400K in its text: T4 shows "
        "both beside the one printed value. The printed formulas cannot have made all of the "
        "printed results: [the audit](claims.md#audit) says which generator can."
    )
