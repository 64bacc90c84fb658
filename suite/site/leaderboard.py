"""All methods on all data: sort, filter by kind, choose the measure; quality against time."""

import html
import json
from collections import Counter

from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.site import specs
from suite.site.ground import KINDS, MEASURES, Ground, Measure, label, made_from
from suite.site.page import Page, select
from suite.site.table import Cell

QUALITY = ("regret", "q", "q_adj")


def leaderboard(ground: Ground) -> Page:
    """The page."""
    page = Page("leaderboard", "Leaderboard")
    columns = ground.main_columns
    page.md(
        "Means over the common replicates of each data set. “4 of 20” is a row that lacks some "
        "of them: it shows no number and is not compared. Bold, on simulated data from five "
        "replicates up: not shown to be worse than the best of the column (paired t, one-sided, "
        "Holm, 5 %). The splits of one real data set share their rows: there nothing is bold."
    )
    kinds = "".join(
        f'<label><input type="checkbox" data-kind="{html.escape(k)}" checked> {html.escape(k)}'
        "</label>"
        for k in KINDS
    )
    page.html(
        '<div class="board-controls" id="board-controls" role="group" aria-label="What is shown">'
        + select("Measure", "measure", [(m.name, m.title) for m in MEASURES])
        + '<label class="choice">Name contains <input type="search" data-name></label>'
        + f"<fieldset><legend>Kind</legend>{kinds}</fieldset></div>"
        + '<p id="board-status" role="status" aria-live="polite"></p>'
    )
    _board(page, ground, columns)
    for measure in MEASURES:
        page.files[f"leaderboard-{measure.name}.csv"] = _tidy(ground, columns, measure)
    links = ", ".join(
        f'<a href="leaderboard-{m.name}.csv" download>{html.escape(m.title)}</a>' for m in MEASURES
    )
    page.html(f'<p class="csv">CSV of each measure, with standard errors: {links}.</p>')
    page.section("Quality against time", "quality-against-time")
    _scatter(page, ground, columns)
    page.made_from(made_from(columns))
    return page


def _board(page: Page, ground: Ground, columns: list[Column]) -> None:
    """Rendered with the first measure; the numbers of the others stand beside it as JSON."""
    rows, attributes, numbers = [], [], {}
    methods = [m for m in ground.methods if any(frame_of(c).runs.get(m) for c in columns)]
    bold = {m.name: [ground.best(c, m) for c in columns] for m in MEASURES}
    for method in methods:
        kinds = ground.kinds(method)
        numbers[method] = {
            m.name: [
                _field(ground, c, method, m, method in bold[m.name][i])
                for i, c in enumerate(columns)
            ]
            for m in MEASURES
        }
        first = [
            Cell(text, "" if value is None else value, style=style)
            for text, value, style in numbers[method][MEASURES[0].name]
        ]
        name = Cell(method, link=page.to(f"methods/{method}"))
        rows.append([name, Cell(", ".join(kinds)), *first])
        attributes.append(f' data-method="{method}" data-kinds="{html.escape("|".join(kinds))}"')
    head = ["method", "kind", *map(label, columns)]
    page.table(
        "leaderboard", "All methods on all data", head, rows, sortable=True, attributes=attributes
    )
    text = json.dumps(numbers, ensure_ascii=False, separators=(",", ":"))
    page.html(f'<script type="application/json" id="board-numbers">{text}</script>')


def _field(
    ground: Ground, column: Column, method: str, measure: Measure, best: bool
) -> tuple[str, float | None, str]:
    """Text, number and style of one field."""
    source = frame_of(column)
    mean = ground.mean(column, method, measure)
    if mean is None:
        have = source.count(method)
        if source.shown(method):
            return "", None, "missing"  # the measure is not known on these data
        return (f"{have} of {len(source.common)}" if have else ""), None, "missing"
    value = float(f"{mean.value:.6g}")
    return f"{mean.value:z.{measure.decimals}f}", value, "best" if best else ""


def _tidy(ground: Ground, columns: list[Column], measure: Measure) -> str:
    lines = ["method,data,mean,standard_error,replicates"]
    for method in ground.methods:
        for column in columns:
            mean = ground.mean(column, method, measure)
            if mean is not None:
                error = "" if mean.error is None else f"{mean.error:.9g}"
                lines.append(f"{method},{column.name},{mean.value:.9g},{error},{mean.n}")
    return "\n".join(lines) + "\n"


def _scatter(page: Page, ground: Ground, columns: list[Column]) -> None:
    by_name = {measure.name: measure for measure in MEASURES}
    data, tops = [], []
    for column in columns:
        measure = next(by_name[n] for n in QUALITY if column.variant or not by_name[n].simulated)
        points = []
        for method in frame_of(column).methods:
            quality = ground.mean(column, method, measure)
            cost = ground.mean(column, method, by_name["cpu"])
            if quality is not None and cost is not None:
                # More is better on every data set: what is kept of the oracle's q, or q.
                value = -quality.value if measure.higher is False else quality.value
                line = {"method": method, "x": max(cost.value, 0.01), "y": value, "n": quality.n}
                points.append({"data": label(column), **line})
        if points:
            top = max(points, key=lambda p: p["y"])
            tops.append(f"{label(column)}: {top['method']} is highest at {top['x']:.1f} s")
            data += points
    names = Counter()
    for line in data:
        names[line["data"]] += line["n"]  # rows times replicates: what says most comes first
    fullest = max(names, key=lambda name: names[name])
    choice = select("Data", "data", [(name, name) for name in names], fullest)
    page.chart(
        "time-picture",
        specs.scatter(data, "core seconds of one replicate", "minus regret, or q on real data"),
        f"Quality against core seconds. {'; '.join(tops)}.",
        "Up and to the left is better. Simulated data: minus regret; real data: q. All points of a "
        "picture have the same replicates.",
        choice,
    )
