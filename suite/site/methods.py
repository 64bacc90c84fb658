"""A page for each method: what it is, what it chose, how it does everywhere, what it costs."""

import html
from collections.abc import Iterator

import baselines
from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.site import specs
from suite.site.curves import method_curves
from suite.site.facts import about, origin, port, prose
from suite.site.ground import (
    BOUND,
    MEASURES,
    NEURAL,
    OTHER,
    OWN,
    PAPER,
    Ground,
    Measure,
    label,
    made_from,
    replicates,
)
from suite.site.page import Page, select
from suite.site.records import records_section
from suite.site.settings import settings_section
from suite.site.table import Cell

QUALITY = [m for m in MEASURES if not m.cost]
COST = [m for m in MEASURES if m.cost]
SAID = {
    PAPER: "One of the paper's methods.",
    OWN: "One of the suite's own methods.",
    OTHER: "A method that practitioners use, beyond the paper.",
    NEURAL: "A neural network.",
    BOUND: "A bound: methods stand between the two bounds, the truth and chance.",
}


def method_pages(ground: Ground) -> Iterator[Page]:
    """The list of methods, and a page for each."""
    listing = Page("methods/index", "Methods")
    listing.md("Each method is one file behind one interface; every page has its records.")
    rows = []
    for name in ground.methods:
        cls = baselines.methods().get(name)
        paper_row = (cls.paper_row if cls else None) or ""
        cells = int((ground.cells["method"] == name).sum())
        link = listing.to(f"methods/{name}")
        kinds = Cell(", ".join(ground.kinds(name)))
        rows.append([Cell(name, link=link), kinds, Cell(paper_row), Cell(f"{cells:,}", cells)])
    head = ["method", "kind", "row of the paper", "records"]
    listing.table("methods/methods", "All methods", head, rows, sortable=True)
    children = "\n".join(ground.methods)
    listing.md(f"```{{toctree}}\n:hidden:\n\n{children}\n```")
    yield listing
    for name in ground.methods:
        yield _method(ground, name)


def _method(ground: Ground, name: str) -> Page:
    page = Page(f"methods/{name}", name)
    cls = baselines.methods().get(name)
    kinds = [SAID[kind] for kind in ground.kinds(name)]
    row = f" Row “{cls.paper_row}” of its tables." if cls and cls.paper_row else ""
    page.html(f"<p>{html.escape(' '.join(kinds) + row)}</p>")
    if cls is not None:
        what, differs = about(cls)
        page.section("What it is")
        page.html(what)
        _port(page, name, differs)
        page.section("Use it")
        page.md(_code(name))
    columns = [c for c in ground.columns if frame_of(c).runs.get(name)]
    if columns:
        page.section("Results everywhere")
        _results(page, ground, columns, name, QUALITY, f"{name} on all data")
        _curves(page, columns, name)
        page.section("Cost")
        caption = f"Core seconds and peak memory of {name}, one replicate, tuning included"
        _results(page, ground, columns, name, COST, caption)
        settings_section(page, ground, columns, name)
        records_section(page, ground, columns, name)
        page.made_from(made_from(columns))
    else:
        page.md("No record of this method is published yet.")
    return page


def _code(name: str) -> str:
    return (
        "```python\nimport baselines\nimport datasets\n\n"
        'data = datasets.load("scenario4", n=2000, p=10)\n'
        f'method = baselines.method("{name}")().fit(data.train, data.valid, seed=0)\n'
        "method.predict(data.test.X)  # one uplift per row\n```"
    )


def _port(page: Page, name: str, differs: str) -> None:
    """How the port differs from the reference and how near it comes."""
    where, (head, rows) = origin(name), port(name)
    if not (where or differs or rows):
        return
    page.section("How it differs from what the paper ran")
    page.html(prose(where) + differs)
    if rows:
        page.md(
            "How near it comes: Spearman correlation with the R package's predictions on the same "
            "rows (halves: between two halves of its own trees), q of both, and Spearman "
            "correlation of both with the true uplift u*; "
            "[how it was measured](../docs/baselines.md)."
        )
        caption = f"{name} beside {rows[0][1]} of R"
        fields = [[draw, *(Cell(f, style="n") for f in rest)] for _, _, draw, *rest in rows]
        page.table(f"methods/{name}-port", caption, head[2:], fields)


def _results(
    page: Page,
    ground: Ground,
    columns: list[Column],
    name: str,
    measures: list[Measure],
    caption: str,
) -> None:
    rows = []
    for column in columns:
        source = frame_of(column)
        row = [Cell(label(column), link=f"#{column.name}"), Cell(replicates(column))]
        if not source.shown(name):
            have = f"{source.count(name)} of {len(source.common)}, not compared"
            row[1] = Cell(have, style="missing")
        for measure in measures:
            mean = ground.mean(column, name, measure)
            if mean is None:
                row.append(Cell("", ""))
                continue
            error = "" if mean.error is None else f" ± {mean.error:z.{measure.decimals}f}"
            text = f"{mean.value:z.{measure.decimals}f}{error}"
            best = "best" if name in ground.best(column, measure) else ""
            row.append(Cell(text, mean.value, style=best))
        rows.append(row)
    head = ["data", "replicates", *(m.short for m in measures)]
    file = f"methods/{name}-{'cost' if measures is COST else 'results'}"
    page.table(file, caption, head, rows, sortable=True)


def _curves(page: Page, columns: list[Column], name: str) -> None:
    data = method_curves(columns, name)
    if not data:
        return
    page.section("Qini curves")
    names = list(dict.fromkeys(line["data"] for line in data))
    ends = {d["data"]: d for d in data if d["curve"] == name and round(d["phi"]) == 50}
    message = "; ".join(f"{n}: {ends[n]['gain']:.1f} at half" for n in names if n in ends)
    fullest = max((c for c in columns if label(c) in ends), key=lambda c: len(frame_of(c).common))
    page.chart(
        "qini-curves",
        specs.curves(data, [name, "true uplift", "random order"]),
        f"Qini curve of {name}. Gain in per cent when half of the rows is treated: {message}.",
        "Mean over the common replicates; the band is one standard deviation between them.",
        select("Data", "data", [(n, n) for n in names], label(fullest)),
    )
