"""The measures explained with one moving example, and when q_adj misleads."""

from typing import Any

import numpy as np
from scipy.stats import spearmanr

import datasets
from suite.compare.calibration import slope_and_bias
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
FIRST = 2  # the step that the page opens with
ROWS = 6000  # of the example's test set: as many as scenario 4 has
QINI, CALIBRATION = "Qini curve", "calibration"
CAPTIONS = {
    QINI: "As noise replaces the truth, the curve sinks to the line of a random order.",
    CALIBRATION: "Each point is a bin: on the line, predicted and observed uplift are equal.",
}
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
        sides = [[getattr(one, side) for one in bins] for side in ("predicted", "rows", "observed")]
        slope, bias = slope_and_bias(*sides)
        regret = oracle - true_qini(predicted, truth)
        numbers.append([share, found.q, found.rho, found.q_adj, regret, slope, 100 * bias])
        for phi, gain in zip(curve.phi, curve.gain, strict=True):
            points.append({"panel": QINI, "step": step, "x": 100 * phi, "y": 100 * gain})
        for one in bins:
            place = {"x": 100 * one.predicted, "y": 100 * one.observed}
            points.append({"panel": CALIBRATION, "step": step, **place})
    return points, numbers


def _example(page: Page) -> None:
    points, numbers = example()
    first, last = numbers[0], numbers[-1]
    page.md(_surprise(numbers))
    page.html(
        '<div class="together"><label class="choice">Share of noise in the prediction '
        f'<input type="range" min="0" max="{STEPS - 1}" step="1" value="{FIRST}" '
        'data-signal="step" data-output="example-says"></label>'
        '<output id="example-says" role="status"></output><div class="panels">'
    )
    for panel, x, y in (
        (QINI, "targeted, per cent", "gain, per cent"),
        (CALIBRATION, "predicted uplift of the bin, per cent", "observed, per cent"),
    ):
        own = [{**p, "line": "prediction"} for p in points if p["panel"] == panel]
        ends = [f([p[axis] for p in own]) for axis in "xy" for f in (min, max)]
        scales = [{"domain": ends[i : i + 2], "nice": False, "padding": 8} for i in (0, 2)]
        own = [*_beside(panel, own, ends), *own]
        fields = (specs.field("x", x, scale=scales[0]), specs.field("y", y, scale=scales[1]))
        spec = specs.lines(own, *fields, "line")
        beside = dict.fromkeys(p["line"] for p in own if p["line"] != "prediction")
        specs.dashed(spec, ["prediction", *beside])
        spec |= {"params": [{"name": "step", "value": 0}], "title": panel, "height": 260}
        spec["transform"] = [{"filter": "datum.line != 'prediction' || datum.step == step"}]
        alt = (
            f"{panel} as noise replaces the truth in the prediction: q falls from {first[1]:.2f} "
            f"to {last[1]:.2f}, q_adj from {first[3]:.2f} to {last[3]:.2f}, regret rises from "
            f"{first[4]:.2f} to {last[4]:.2f}."
        )
        page.chart(f"example-{panel.split()[0].lower()}", spec, alt, CAPTIONS[panel])
    page.html("</div></div>")
    head = ["share of noise", "q", "rho", "q_adj", "regret", "slope", "bias, per cent"]
    rows = [[Cell(f"{value:z.2f}", float(value)) for value in row] for row in numbers]
    page.table("example", f"The example's measures, {ROWS:,} test rows", head, rows)


def _beside(panel: str, own: list[dict[str, Any]], ends: list[float]) -> list[dict[str, Any]]:
    """What the prediction is to be held against: the truth and a random order, or equality."""
    if panel == QINI:
        truth = [{**p, "line": "true uplift"} for p in own if p["step"] == 0]
        chance = [{"x": x, "y": x / 100 * truth[-1]["y"], "line": "random order"} for x in (0, 100)]
        return [*truth, *chance]
    low, high = max(ends[0], ends[2]), min(ends[1], ends[3])
    return [{"x": end, "y": end, "line": "predicted = observed"} for end in (low, high)]


def _surprise(numbers: list[list[float]]) -> str:
    """One draw of scenario 4; whether noise can raise q_adj is read off, not said in advance."""
    text = (
        "The prediction is the true uplift of one draw of scenario 4, mixed with more and more "
        f"noise: regret rises from {numbers[0][4]:.2f} to {numbers[-1][4]:.2f}."
    )
    best = max(numbers, key=lambda row: row[3])
    if best is numbers[0]:
        return text
    return (
        f"{text} q_adj does not only fall: with a share of noise of {best[0]:.1f} it is "
        f"{best[3]:.2f}, above the {numbers[0][3]:.2f} of the truth itself, although regret has "
        f"risen to {best[4]:.2f}. The bins happen to stand in a steadier order: rho is "
        f"{best[2]:.2f} instead of {numbers[0][2]:.2f}."
    )


def _misleads(page: Page, ground: Ground) -> None:
    page.md(
        "q_adj is not proper: on average another ranking than the true one can score higher, "
        "because rho rewards a steady order of the bins rather than a large gain. It misleads most "
        "where the uplift is nearly flat or hardly varies between the bins. The table has, for "
        "simulated data, the methods whose mean q_adj is above the oracle's with a 95 % interval "
        "that leaves out 0, and how well the order of the methods by q_adj and by q agrees with "
        "their order by regret (Spearman; 1 is the same order)."
    )
    rows = []
    for column in (c for c in ground.columns if c.variant is not None):
        source = frame_of(column)
        row = [Cell(label(column)), Cell(replicates(column))]
        row.append(Cell(f"{len(source.methods)}", len(source.methods)))
        if len(source.common) < LEAST_DRAWS:
            row += [Cell("too few draws", "", style="missing"), Cell("", ""), Cell("", "")]
        else:
            orders = [_order(column, name) for name in ("q_adj", "q")]
            row.append(Cell(_above_the_oracle(column) or "none"))
            row += [Cell("", "") if r is None else Cell(f"{r:z.2f}", r) for r in orders]
        rows.append(row)
    head = ["data", "replicates", "methods", "above the oracle in q_adj", "by q_adj", "by q"]
    groups = [("", 3), ("order against regret", 2)]
    page.table("misleads", "Where q_adj misleads", head, rows, groups=groups)


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
