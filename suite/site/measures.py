"""The measures explained with one moving example, and when q_adj misleads."""

from typing import Any

import numpy as np
from scipy.stats import spearmanr

import datasets
from suite.compare.frame import frame_of
from suite.compare.paired import Estimate
from suite.compare.units import LEAST_DRAWS
from suite.compute.measures import bin_table, score, true_qini
from suite.publish.columns import Column
from suite.site import specs
from suite.site.ground import MEASURES, Ground, label, made_from, replicates
from suite.site.page import Page
from suite.site.table import Cell

STEPS = 11
ROWS = 6000  # of the example's test set: as many as scenario 4 has
BY_NAME = {measure.name: measure for measure in MEASURES}
TEXT = """
- **q**: the area between the Qini curve and the straight line of a random order, in per cent. The
  curve shows how many more positives there are if the rows are treated in the predicted order.
- **rho**: Kendall's tau between the bins in predicted order and their observed uplift, -1 to 1.
- **q_adj** = rho · max(0, q): what the paper's tables compare.
- **regret**: q of the true uplift minus q of the prediction, both from the true uplift, without
  outcome noise. Known for simulated data only; 0 is the best.
- **calibration**: observed against predicted uplift of the bins. Slope 1 and bias 0 are calibrated.

[The definitions in full](docs/measure.md) say how they relate to other packages.
"""


def measures_page(ground: Ground) -> Page:
    """The page."""
    page = Page("measures", "Measures")
    page.md(TEXT)
    page.section("One example, from the truth to chance", "example")
    _example(page)
    page.section("When q_adj misleads", "misleads")
    _misleads(page, ground)
    page.made_from(made_from(ground.columns))
    return page


def example() -> tuple[list[dict[str, Any]], list[list[float]]]:
    """The true uplift of scenario 4 mixed with noise: curves, and the measures of each step."""
    data = datasets.load("scenario4", n=ROWS * 10 // 3, p=10)
    rows = data.test
    truth = np.asarray(rows.true_uplift, float)
    noise = np.random.default_rng(0).normal(truth.mean(), truth.std(), len(truth))
    oracle = true_qini(truth, truth)
    points, numbers = [], []
    for step in range(STEPS):
        share = step / (STEPS - 1)
        predicted = (1 - share) * truth + share * noise
        found = score(rows, predicted)
        bins, curve = bin_table(rows, predicted)
        regret = oracle - true_qini(predicted, truth)
        numbers.append([share, found.q, found.rho, found.q_adj, regret])
        for phi, gain in zip(curve.phi, curve.gain, strict=True):
            line = {"panel": "Qini curve", "step": step, "x": 100 * phi, "y": 100 * gain}
            points.append(line)
        for one in bins:
            place = {"x": 100 * one.predicted, "y": 100 * one.observed}
            points.append({"panel": "calibration", "step": step, **place})
    return points, numbers


def _example(page: Page) -> None:
    points, numbers = example()
    slider = (
        '<label class="choice">Share of noise in the prediction '
        f'<input type="range" min="0" max="{STEPS - 1}" step="1" value="0" data-signal="step" '
        'data-says="example-says"></label> <output id="example-says" role="status"></output>'
    )
    page.html('<div class="panels">')
    for panel, x, y in (
        ("Qini curve", "targeted, per cent", "gain, per cent"),
        ("calibration", "predicted uplift of the bin, per cent", "observed, per cent"),
    ):
        own = [p for p in points if p["panel"] == panel]
        ends = [f([p[axis] for p in own]) for axis in "xy" for f in (min, max)]
        scales = [{"domain": ends[:2]}, {"domain": ends[2:]}]
        fields = (specs.field("x", x, scale=scales[0]), specs.field("y", y, scale=scales[1]))
        spec = specs.lines(own, *fields, "panel")
        spec["encoding"]["color"]["legend"] = None
        spec |= {"params": [{"name": "step", "value": 0}], "title": panel, "height": 260}
        spec["transform"] = [{"filter": "datum.step == step"}]
        first, last = numbers[0], numbers[-1]
        alt = (
            f"{panel} as noise replaces the truth in the prediction: q falls from {first[1]:.2f} "
            f"to {last[1]:.2f}, q_adj from {first[3]:.2f} to {last[3]:.2f}, regret rises from "
            f"{first[4]:.2f} to {last[4]:.2f}."
        )
        caption = (
            "As noise replaces the truth, the curve sinks to the line of a random order."
            if panel == "Qini curve"
            else ("Each point is a bin: the nearer predicted and observed, the better calibrated.")
        )
        # Both charts follow the one slider above them.
        page.chart(f"example-{panel.split()[0].lower()}", spec, alt, caption, slider)
        slider = ""
    page.html("</div>")
    head = ["share of noise", "q", "rho", "q_adj", "regret"]
    rows = [[Cell(f"{value:z.2f}", float(value)) for value in row] for row in numbers]
    page.table("example", f"The example's measures, {ROWS:,} test rows", head, rows)


def _misleads(page: Page, ground: Ground) -> None:
    page.md(
        "q_adj is not proper: where the uplift is nearly flat, another ranking than the true one "
        "can score higher on average, because rho rewards a steady order of the bins rather than "
        "a large gain. The table has, for each simulated column, the methods whose mean q_adj is "
        "above the oracle's with a 95 % interval that leaves out 0, and how well the order of the "
        "methods by q_adj and by q agrees with their order by regret."
    )
    rows = []
    for column in ground.columns:
        if column.variant is None:
            continue
        above = _above_the_oracle(column)
        orders = [_order(column, name) for name in ("q_adj", "q")]
        rows.append(
            [
                Cell(label(column)),
                Cell(replicates(column)),
                Cell(above or "none"),
                *(Cell("", "") if r is None else Cell(f"{r:z.2f}", r) for r in orders),
            ]
        )
    head = ["data", "replicates", "above the oracle in q_adj"]
    head += ["order by q_adj and by regret (Spearman)", "order by q and by regret (Spearman)"]
    page.table("misleads", "Where q_adj misleads", head, rows)


def _above_the_oracle(column: Column) -> str:
    source = frame_of(column)
    oracle, said = source.shown("oracle"), []
    for method in source.methods:
        runs = source.shown(method)
        if len(runs) < LEAST_DRAWS or len(runs) != len(oracle):
            continue
        gap = Estimate.of([a.q_adj - b.q_adj for a, b in zip(runs, oracle, strict=True)])
        low, high = gap.interval()
        if low > 0:
            said.append(f"{method} by {gap.mean:.2f} ({low:.2f} to {high:.2f})")
    return ", ".join(said)


def _order(column: Column, name: str) -> float | None:
    """Spearman's correlation of the methods' means with what they lose."""
    source = frame_of(column)
    if len(source.methods) < 3:
        return None
    score_, regret = (BY_NAME[n].number for n in (name, "regret"))
    pairs = [
        (
            np.mean([score_(r) for r in source.shown(m)]),
            -np.mean([regret(r) for r in source.shown(m)]),
        )
        for m in source.methods
    ]
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)
