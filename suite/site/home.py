"""The front page: what was found, one picture, three ways on."""

import html

from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.show.overview import compared, left_out, overview_numbers, row_order
from suite.site import specs
from suite.site.findings import REGRET, findings, regret_shares
from suite.site.ground import Ground, label, made_from
from suite.site.page import Page
from suite.site.table import Cell
from suite.words import count

WAYS = (
    ("Check the paper", "paper", "its tables beside ours, and every verdict"),
    ("Compare a method", "leaderboard", "all methods on all data, by the measure of your choice"),
    ("Model a campaign", "docs/campaign", "whom to treat and what it earns, from your own file"),
)


def home(ground: Ground) -> Page:
    """The page."""
    page = Page("index", "Twin Uplift Suite")
    page.md("A benchmark of uplift models around *A Twin Neural Model for Uplift* (2021).")
    page.section("What was found", "found")
    items = "".join(
        f'<li>{html.escape(text)} <a href="{page.to(target)}">{words}</a>.</li>'
        for text, target, words in findings(ground)
    )
    page.html(f'<ol class="findings">{items}</ol>')
    ways = "".join(
        f'<li><a href="{page.to(target)}">{title}</a><br>{html.escape(what)}</li>'
        for title, target, what in WAYS
    )
    page.html(f'<ul class="ways">{ways}</ul>')
    page.section("Regret of every method", "regret")
    columns = [ground.column(name, VARIANTS[0]) for name in SCENARIOS]
    panels = overview_numbers(columns)
    _picture(page, panels)
    _numbers(page, ground, panels)
    page.made_from(made_from(columns))
    return page


def _picture(page: Page, panels: list[dict]) -> None:
    """One panel for each scenario that has rows to compare; the others are named."""
    page.md(
        "Regret is what ranking by the method loses against ranking by the true uplift: less is "
        "better. Bars are 95 % intervals of the paired difference to the least (dashed line), on "
        "common replicates: a bar that reaches the line is not told apart from it."
    )
    page.html('<div class="panels">')
    for panel in filter(compared, panels):
        name, n = f"Scenario {panel['scenario'][8:]}", len(panel["replicates"])
        data = []
        for row in panel["rows"]:
            line = {"method": row["method"], "mean": row["regret"], "n": n}
            line |= {k: row["regret"] if row[k] is None else row[k] for k in ("low", "high")}
            data.append({**line, "reference": row["method"] == panel["least"]})
        first, last = data[0], data[-1]
        page.chart(
            f"regret-{panel['scenario']}",
            specs.intervals(data, f"{name}, n = {n}", "regret, per cent"),
            f"{name}: mean regret of {len(data)} methods, least {first['method']} with "
            f"{first['mean']:.2f}, most {last['method']} with {last['mean']:.2f}.",
            f"{name}: {len(data)} rows on the same {count(n, 'replicate')}.",
        )
    page.html("</div>")
    page.md(" ".join(left_out(panels)))


def _numbers(page: Page, ground: Ground, panels: list[dict]) -> None:
    """The picture as a table: rows by the share of what can be had."""
    shares = regret_shares(ground)
    order = row_order([panel for panel in panels if compared(panel)])
    order.sort(key=lambda m: (m not in shares, shares.get(m, (0, 0))[0]))
    best = {
        p["scenario"]: ground.best(ground.column(p["scenario"], p["variant"]), REGRET)
        for p in panels
    }
    rows = []
    for method in order:
        row = [Cell(method, link=page.to(f"methods/{method}"))]
        for panel in panels:
            own = next((r for r in panel["rows"] if r["method"] == method), None)
            if own is None:
                source = ground.scenario(panel["scenario"])
                have = f"{source.count(method)} of {len(source.common)}"
                row.append(Cell(have, "", style="missing n"))
            else:
                bar = "" if own["low"] is None else f" ({own['low']:.2f} to {own['high']:.2f})"
                style = "best" if method in best[panel["scenario"]] else ""
                row.append(Cell(f"{own['regret']:.2f}{bar}", own["regret"], style=style))
        if shares:
            mean = shares.get(method)
            row.append(Cell("", "") if mean is None else Cell(f"{100 * mean[0]:.0f} %", mean[0]))
        rows.append(row)
    columns = [ground.column(p["scenario"], p["variant"]) for p in panels]
    page.table(
        "regret",
        "Mean regret, with the interval of the paired difference to the least around it",
        ["method", *map(label, columns), *(["share"] if shares else [])],
        rows,
        sortable=True,
    )
    share = "Share: regret over what the true uplift would gain, mean of the four scenarios. "
    page.md(
        f"{share if shares else ''}“4 of 20” is a row that lacks some of the common replicates: it "
        "is not compared."
    )
