"""All methods on all data: sort, filter by kind, choose the measure; quality against time."""

import html
import json
import math
from collections import Counter
from typing import Any

from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.site import specs
from suite.site.ground import KINDS, MEASURES, Ground, Measure, label, made_from
from suite.site.page import Page, select
from suite.site.table import Cell

TRUE_Q = Measure("true_q", "q from the true uplift", lambda run: run.true_q)
Q = next(measure for measure in MEASURES if measure.name == "q")


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
        '<div class="board-controls" id="board-controls" role="group" aria-label="What is shown" '
        f'data-lower="{" ".join(m.name for m in MEASURES if m.higher is False)}">'
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
    fullest = max(range(len(columns)), key=lambda i: len(frame_of(columns[i]).methods))
    for method in sorted(methods, key=lambda m: _place(ground, columns[fullest], m)):
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
        *("leaderboard", "All methods on all data", head, rows),
        sortable=True,
        attributes=attributes,
        order=(fullest + 2, "descending"),
    )
    text = json.dumps(numbers, ensure_ascii=False, separators=(",", ":"))
    page.html(f'<script type="application/json" id="board-numbers">{text}</script>')


def _place(ground: Ground, column: Column, method: str) -> tuple[bool, float, str]:
    """Best first by the measure that is shown first; without a number last."""
    mean = ground.mean(column, method, MEASURES[0])
    return mean is None, 0.0 if mean is None else -mean.value, method


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
        return (f"{have} of {len(source.common)}" if have else ""), None, "missing n"
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
    cpu = next(measure for measure in MEASURES if measure.name == "cpu")
    data, said = [], []
    for column in columns:
        measure = TRUE_Q if column.variant else Q
        points = []
        for method in frame_of(column).methods:
            quality = ground.mean(column, method, measure)
            cost = ground.mean(column, method, cpu)
            if quality is not None and cost is not None:
                line = {"method": method, "x": max(cost.value, 0.01), "y": quality.value}
                points.append({"data": label(column), "n": quality.n, **line})
        front = _front(points)
        if points:
            said.append(f"{label(column)}: {', '.join(front)}")
        # Names stand above and below in turn, so that neighbours do not cover each other.
        sides = {name: ("above", "below")[i % 2] for i, name in enumerate(reversed(front))}
        data += [{**point, "front": sides.get(point["method"], "")} for point in points]
    sizes = Counter(line["data"] for line in data)
    fullest = max(sizes, key=lambda name: sizes[name])
    choice = select("Data", "data", [(name, name) for name in sizes], fullest)
    page.chart(
        "time-picture",
        specs.scatter(data, "core seconds of one replicate, tuning included", "q, per cent"),
        f"q against core seconds. Methods that none beats in both: {'; '.join(said)}.",
        "Up and to the left is better. Named: no other method has both a higher q and less time; "
        "point at the others for their names. On simulated data q is from the true uplift. All "
        "points of a picture have the same replicates.",
        choice,
    )


def _front(points: list[dict[str, Any]]) -> list[str]:
    """The methods that no other beats in both quality and time, fastest first."""
    names, best = [], -math.inf
    for point in sorted(points, key=lambda p: (p["x"], -p["y"])):
        if point["y"] > best:
            best = point["y"]
            names.append(point["method"])
    return names
