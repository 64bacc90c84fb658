"""A page for each data set: what it is, its effect and oracle, the best methods, how to load it."""

import html
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

import datasets
from datasets.contract import Source
from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.site.facts import prose
from suite.site.ground import MEASURES, Ground, label, made_from, replicates
from suite.site.page import Cell, Page

BY_NAME = {measure.name: measure for measure in MEASURES}


def data_pages(ground: Ground) -> Iterator[Page]:
    """The list of data sets, and a page for each."""
    names = list(datasets.sources())
    listing = Page("data/index", "Data sets")
    listing.md("Four simulated scenarios, whose true uplift is known, and public real data.")
    rows = [
        [Cell(name, link=listing.to(f"data/{name}")), Cell(datasets.source(name).summary)]
        for name in names
    ]
    listing.table("data/datasets", "All data sets", ["data set", "what it is"], rows)
    children = "\n".join(names)
    listing.md(f"```{{toctree}}\n:hidden:\n\n{children}\n```")
    yield listing
    for name in names:
        yield _data_set(ground, name)


def _data_set(ground: Ground, name: str) -> Page:
    page = Page(f"data/{name}", name)
    source = datasets.source(name)
    page.html(prose(source.summary + "."))
    own = inspect.cleandoc(type(source).__doc__ or "")
    page.section("What it is")
    page.html(prose(own))
    cited = getattr(source, "citation", "")
    if cited:
        page.html(prose(cited) + prose(f"Licence: {source.licence}."))
    page.section("Load it")
    page.md(_code(name, source))
    columns = [c for c in ground.columns if c.experiment.source == name]
    if not columns:
        page.md("No records on this data set are compared yet.")
        return page
    _facts(page, ground, columns, name)
    page.section("Best methods")
    for column in columns:
        _methods(page, ground, column)
    page.html(f'<p class="made-from">{html.escape(made_from(columns))}</p>')
    return page


def _code(name: str, source: Source) -> str:
    options = "".join(f", {key}={value!r}" for key, value in source.options.items() if value)
    lines = ["import datasets", "", f'data = datasets.load("{name}"{options}, replicate=0)']
    lines.append("data.train.X, data.train.y, data.train.treatment  # 40 %; 30 % valid, 30 % test")
    if hasattr(source, "citation"):
        lines.insert(0, f"# once, in a shell: python -m datasets fetch {name}")
    return "```python\n" + "\n".join(lines) + "\n```"


def _facts(page: Page, ground: Ground, columns: list[Column], name: str) -> None:
    """Rows, treated share and effect as the records saw them on test rows; the oracle's q."""
    rows = []
    for column in columns:
        runs = frame_of(column).every_run
        cells = ground.cells[ground.cells["column"] == column.name]
        shares, effects = zip(*(_arms(bins) for bins in cells["bins"] if bins), strict=True)
        oracle = cells["oracle_q"].dropna()
        size = sorted({run.rows for run in runs})
        rows.append(
            [
                Cell(label(column)),
                Cell(", ".join(f"{n:,}" for n in size), size[0]),
                Cell(f"{runs[0].p or ''}", runs[0].p or ""),
                Cell(f"{np.mean(shares):.3f}", float(np.mean(shares))),
                Cell(f"{100 * np.mean(effects):+.2f} %", float(np.mean(effects))),
                Cell(f"{oracle.mean():.2f}", float(oracle.mean())) if len(oracle) else Cell("", ""),
            ]
        )
    page.section("In numbers")
    head = ["data", "rows", "covariates", "treated share", "average effect", "oracle's q"]
    page.table(f"data/{name}-facts", f"{name} as the records saw it", head, rows)
    page.md(
        "Treated share and average effect are those of the test rows, mean over the records. The "
        "oracle's q comes from the true uplift and is known for simulated data only."
    )


def _arms(bins: list[dict[str, Any]]) -> tuple[float, float]:
    """Treated share and average effect of one test set, from its bins."""
    treated = np.array([b["treated"] for b in bins], float)
    control = np.array([b["control"] for b in bins], float)
    observed = np.array([b["observed"] or 0.0 for b in bins], float)
    rows = treated + control
    return float(treated.sum() / rows.sum()), float(np.average(observed, weights=rows))


def _methods(page: Page, ground: Ground, column: Column) -> None:
    """Methods by regret where the truth is known, else by q; the first ones bold."""
    source = frame_of(column)
    known = column.variant is not None
    measure = BY_NAME["regret" if known else "q"]
    columns = [measure, *(BY_NAME[n] for n in ("q", "q_adj", "cpu") if n != measure.name)]
    best = ground.best(column, measure)

    def place(method: str) -> tuple[bool, float]:
        mean = ground.mean(column, method, measure)
        if mean is None:
            return True, 0.0
        return False, mean.value if measure.higher is False else -mean.value

    rows = []
    for method in sorted(source.runs, key=lambda m: (*place(m), m)):
        row = [Cell(method, link=page.to(f"methods/{method}#{column.name}"))]
        if not source.shown(method):
            have = f"{source.count(method)} of {len(source.common)} replicates, not compared"
            row += [Cell(have, "", style="missing"), *[Cell("", "")] * (len(columns) - 1)]
        else:
            row += [_mean(ground, column, method, m, method in best) for m in columns]
        rows.append(row)
    head = ["method", *(m.title for m in columns)]
    caption = f"Methods on {label(column)}, replicates {replicates(column)}"
    page.table(f"data/{column.name}", caption, head, rows, sortable=True)


def _mean(ground: Ground, column: Column, method: str, measure: Any, best: bool) -> Cell:
    mean = ground.mean(column, method, measure)
    if mean is None:
        return Cell("", "")
    error = "" if mean.error is None else f" ± {mean.error:z.{measure.decimals}f}"
    text = f"{mean.value:z.{measure.decimals}f}{error}"
    return Cell(text, mean.value, style="best" if best and measure.name in ("regret", "q") else "")
