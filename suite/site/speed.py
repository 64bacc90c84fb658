"""Speed: beside peers, over commits, per method, and with growing data."""

import itertools
import json
from typing import Any

from suite.compare.frame import frame_of
from suite.plan.digest import ROOT
from suite.show.tables.scale import scale
from suite.site import specs
from suite.site.ground import MEASURES, Ground, label, made_from
from suite.site.page import Page, select
from suite.site.table import Cell

PERF = ROOT / "results" / "perf"
CPU, MEMORY = (next(m for m in MEASURES if m.name == n) for n in ("cpu", "memory"))


def speed_page(ground: Ground) -> Page:
    """The page."""
    page = Page("speed", "Speed")
    page.md("[What is measured, and why some goals cannot be met](docs/performance.md).")
    page.section("Beside what else people could use", "peers")
    _peers(page)
    page.section("Over commits", "history")
    _history(page)
    page.section("What each method costs", "methods")
    _methods(page, ground)
    page.section("How the cost grows", "growth")
    _growth(page, ground)
    page.made_from(made_from(ground.main_columns))
    return page


def _peers(page: Page) -> None:
    found = json.loads((PERF / "peers.json").read_text())
    signs = {"at least": "≥", "at most": "≤"}
    rows = []
    for line in found["lines"]:
        limits = []
        for name in ("limit", "goal"):
            value = line.get(name)
            sign = signs.get(line.get("sense") or "", "")
            limits.append(Cell("", "") if value is None else Cell(f"{sign} {value:g}", value))
        ratio = Cell(f"{line['value']:.3g}", line["value"])
        rows.append([Cell(line["ours"]), Cell(line["peer"]), ratio, *limits, Cell(line["detail"])])
    head = ["ours", "beside", "ratio", "limit", "goal", "ours / theirs"]
    page.md(
        "Ratios of CPU time of one process and one thread, measured in turns: theirs over ours "
        "where the limit is a floor (≥), ours over theirs where it is a ceiling (≤)."
    )
    page.table("tables/peers", "Speed beside peers", head, rows)


def history() -> list[dict[str, Any]]:
    """What asv measured at each commit: one line for each benchmark and parameter."""
    units = json.loads((PERF / "asv" / "benchmarks.json").read_text())
    lines = []
    for path in sorted((PERF / "asv").glob("*/*.json")):
        found = json.loads(path.read_text())
        if "results" not in found:
            continue
        for name, (values, params, *_) in found["results"].items():
            for value, chosen in zip(values or [], itertools.product(*params), strict=False):
                if value is None:
                    continue
                said = f"{name}({', '.join(chosen)})" if chosen else name
                unit = units.get(name, {}).get("unit", "")
                line = {"benchmark": said, "unit": unit, "value": float(value)}
                lines.append({"date": found["date"], "commit": found["commit_hash"][:7], **line})
    return sorted(lines, key=lambda line: (line["benchmark"], line["date"]))


def _history(page: Page) -> None:
    lines = history()
    if not lines:
        page.md("Nothing is recorded yet.")
        return
    units = {line["benchmark"]: line["unit"] for line in lines}
    names = list(units)
    axis = {"labelAngle": -30}
    x = specs.field("commit", "commit, oldest first", "ordinal", sort={"field": "date"}, axis=axis)
    y = specs.field("value", "value, in the unit named above")
    spec = specs.lines([{"data": line["benchmark"], **line} for line in lines], x, y, "benchmark")
    spec |= {"params": [{"name": "data", "value": names[0]}]}
    spec["transform"] = [{"filter": "datum.data == data"}]
    spec["encoding"]["color"]["legend"] = None
    commits = {line["commit"] for line in lines}
    page.chart(
        "history-picture",
        spec,
        f"{len(names)} benchmarks at {len(commits)} commits; the table below has all numbers.",
        "Measured by asv on one machine; lower is better.",
        select("Benchmark", "data", [(name, f"{name}, {unit}") for name, unit in units.items()]),
    )
    order = sorted(commits, key=lambda c: next(li["date"] for li in lines if li["commit"] == c))
    rows = []
    for name in names:
        own = {line["commit"]: line for line in lines if line["benchmark"] == name}
        numbers = (
            Cell(f"{own[c]['value']:.4g}", own[c]["value"]) if c in own else Cell("", "")
            for c in order
        )
        rows.append([Cell(name), Cell(units[name]), *numbers])
    page.html("<details><summary>All benchmarks at all commits</summary>")
    head = ["benchmark", "unit", *order]
    page.table("tables/history", "Benchmarks by commit, oldest first", head, rows)
    page.html("</details>")


def _methods(page: Page, ground: Ground) -> None:
    """Core seconds and memory of one replicate."""
    columns = ground.main_columns
    rows = []
    for method in ground.methods:
        row = [Cell(method, link=page.to(f"methods/{method}"))]
        for column, measure in itertools.product(columns, (CPU, MEMORY)):
            mean = ground.mean(column, method, measure)
            text = "" if mean is None else f"{mean.value:z.{measure.decimals}f}"
            row.append(Cell(text, "" if mean is None else mean.value))
        if any(cell.text for cell in row[1:]):
            rows.append(row)
    head = ["method", *("core s", "MB") * len(columns)]
    groups = [(f"{label(c)}, n = {len(frame_of(c).common)}", 2) for c in columns]
    caption = "Core seconds and peak memory of one replicate, tuning included"
    page.table("tables/costs", caption, head, rows, sortable=True, groups=groups)
    page.md("Empty: the method lacks some of the column's common replicates.")


def _growth(page: Page, ground: Ground) -> None:
    """Time and memory from the smallest data to the largest, on logarithmic scales."""
    table = scale(ground.published)
    page.html('<div class="panels">')
    for key, title in (("cpu_seconds", "core seconds"), ("peak_memory_mb", "peak memory, MB")):
        data = [{k: line[k] for k in ("method", "rows", key)} for line in table.tidy]
        if not data:
            continue
        logarithmic = {"type": "log"}
        x = specs.field("rows", "rows", scale=logarithmic, axis={"format": "~s", "tickCount": 4})
        y = specs.field(key, title, scale=logarithmic, axis={"format": "~s", "tickCount": 4})
        ends = {m: [d[key] for d in data if d["method"] == m] for m in {d["method"] for d in data}}
        said = "; ".join(f"{m} from {v[0]:.0f} to {v[-1]:.0f}" for m, v in sorted(ends.items()))
        page.chart(
            f"growth-{key.split('_')[0]}",
            specs.lines(data, x, y, "method"),
            f"{title} as the rows grow from {data[0]['rows']:,} to {data[-1]['rows']:,}: {said}.",
            f"{title[0].upper()}{title[1:]} by rows, both scales logarithmic.",
        )
    page.html("</div>")
    page.suite_table(table, "tables/scale")
