"""A page for each data set: what it is, its effect and oracle, the best methods, how to load it."""

import html
import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

import datasets
from datasets.contract import Source
from datasets.scenarios import Scenario
from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.site.facts import prose
from suite.site.ground import MEASURES, Ground, label, made_from, replicates
from suite.site.page import Page
from suite.site.table import Cell

HEAD = ("data", "rows", "covariates", "treated share", "average effect", "oracle's q")
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
    page.html(prose(source.summary[0].upper() + source.summary[1:] + "."))
    page.section("What it is")
    page.html(_about(source))
    columns = [c for c in ground.columns if c.experiment.source == name]
    if columns:
        _facts(page, ground, columns, name)
    page.section("Load it")
    page.md(_code(name, source))
    if not columns:
        page.md("No records on this data set are compared yet.")
        return page
    page.section("Best methods")
    page.md(
        "By regret where the truth is known, else by q. Bold, on simulated data from five "
        "replicates up: not shown to be worse than the best."
    )
    for column in columns:
        _methods(page, ground, column)
    page.made_from(made_from(columns))
    return page


def _about(source: Source) -> str:
    """From the docstrings of its file and its class; a scenario shows its two functions."""
    module = inspect.cleandoc(inspect.getmodule(type(source)).__doc__ or "")
    if not isinstance(source, Scenario):
        cited = getattr(source, "citation", "")
        credit = f"\n\n{cited}\n\nLicence: {source.licence}." if cited else ""
        return prose(f"{module}\n\n{inspect.cleandoc(type(source).__doc__ or '')}{credit}")
    chosen = {"mu": source.mu, "tau": source.tau, "released tau": source.released_tau}
    lines = [line for name, f in chosen.items() if f is not None for line in _formula(name, f)]
    lines.append(f"sigma = {source.sigma:g}")
    if source.released_sigma is not None:
        lines.append(f"released sigma = {source.released_sigma:g}")
    formulas = html.escape("\n".join(dict.fromkeys(lines)))
    model, equation, rest = module.partition("u*(x) = ")
    first, _, rest = rest.partition("\n")
    return f"{prose(model + equation + first)}<pre>{formulas}</pre>{prose(rest)}"


def _formula(name: str, function: Any) -> list[str]:
    """What the code computes, from its own text, and the functions that it calls."""
    lines = inspect.getsource(function).splitlines()[1:]
    text = " ".join(line.split("#")[0].strip() for line in lines)
    before, _, value = text.rpartition("return ")
    value = value.removeprefix("( ").removesuffix(")").strip() if value[:2] == "( " else value
    where = f", where {before.strip()}" if before.strip() else ""
    said = re.sub(r"x\[(\d)\]", r"x\1", value + where).replace("np.", "")
    called = [function.__globals__[f] for f in re.findall(r"\bf\d\w*(?=\()", said)]
    return [f"{name}(x) = {said}", *(li for f in called for li in _formula(f.__name__, f))]


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
            ]
        )
        if len(oracle):
            rows[-1].append(Cell(f"{oracle.mean():.2f}", float(oracle.mean())))
    page.section("In numbers")
    # The last one, the oracle's q, is known for simulated data only.
    page.table(f"data/{name}-facts", f"{name} as the records saw it", HEAD[: len(rows[0])], rows)
    page.md(
        "Treated share and average effect are those of the test rows, mean over the records."
        + (" The oracle's q comes from the true uplift." if len(rows[0]) == len(HEAD) else "")
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
    head = ["method", *(m.short for m in columns)]
    caption = f"Methods on {label(column)}, replicates {replicates(column)}"
    page.table(f"data/{column.name}", caption, head, rows, sortable=True)


def _mean(ground: Ground, column: Column, method: str, measure: Any, best: bool) -> Cell:
    mean = ground.mean(column, method, measure)
    if mean is None:
        return Cell("", "")
    error = "" if mean.error is None else f" ± {mean.error:z.{measure.decimals}f}"
    text = f"{mean.value:z.{measure.decimals}f}{error}"
    return Cell(text, mean.value, style="best" if best and measure.name in ("regret", "q") else "")
