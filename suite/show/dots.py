"""Every method of a column at a glance: paired with a reference, and against time.

All series have the same replicates (rule S12). Where methods are compared, what is drawn is the
interval of their paired difference: that of a mean would hold the luck of the draws, which the
rows share.
"""

import math
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

import baselines
from suite.compare import resplits
from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.paired import Estimate
from suite.compare.runs import BOUNDS, Frame, by_score
from suite.compare.verdicts import PAPER_RUNS
from suite.plan.paper import Printed
from suite.publish.columns import Column
from suite.show.picture import OTHER, OURS, PAPER, Picture
from suite.words import count

REFERENCES = ("twin-512-structured", "logistic")  # the paper's best row, where it has run
TRUTH = "#e08a00"


def dots(column: Column) -> Picture:
    """Left: q_adj beside the paper's. Right: paired difference to the reference."""
    numbers = dot_numbers(column)

    def draw() -> Figure:
        rows = numbers["rows"]
        figure = Figure(figsize=(9.5, 0.27 * len(rows) + 1.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for height, row in enumerate(reversed(rows)):
            _draw_level(left, height, row)
            if row["method"] != "random":  # so far off that it would squeeze all others
                _draw_difference(right, height, row)
        left.set_ylim(-0.7, len(rows) - 0.3)
        left.set_yticks(range(len(rows)), [row["method"] for row in reversed(rows)])
        left.set_xlabel("test q_adj, per cent")
        right.set_xlabel(f"difference to {numbers['reference']}, paired")
        right.axvline(0, color=OTHER, linestyle="--", linewidth=0.8)
        for axis in (left, right):
            axis.grid(axis="x", alpha=0.25)
        left.plot([], [], color=OURS, marker="o", linestyle="", label="our mean")
        if any(row["paper"] is not None for row in rows):
            label = "the paper's, 95 % interval"
            left.plot([], [], color=PAPER, marker="D", markersize=4, label=label)
        right.plot([], [], color=OURS, marker="o", label="in q_adj, 95 % interval")
        if any("true_q" in row for row in rows):
            label = "in q without outcome noise"
            right.plot([], [], color=TRUTH, marker="s", markersize=4, label=label)
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
        n = count(len(numbers["replicates"]), "replicate")
        figure.suptitle(f"{column.name}: {len(rows)} rows on the same {n}{_left_out(numbers)}")
        return figure

    return Picture(f"dots-{column.name}", numbers, draw)


def dot_numbers(column: Column) -> dict[str, Any]:
    """What the figure shows; every row has the same replicates."""
    source, known = frame_of(column), baselines.methods()
    names = [name for name in by_score(source) if source.shown(name)]
    wanted = (*REFERENCES, *(name for name in names if name not in BOUNDS), *names)
    reference = next((name for name in wanted if name in names), "")
    simulated = all(run.true_q is not None for run in source.every_run)
    rows = []
    for name in names:
        runs, base = source.shown(name), source.shown(reference)
        values = np.array([run.q_adj for run in runs])
        printed = column.experiment.printed(known[name]) if name in known else None
        row = {
            "method": name,
            "replicates": [run.replicate for run in runs],
            "mean": float(values.mean()),
            "paper": printed.value if printed else None,
            "paper_half": _paper_half(values, printed, simulated) if printed else None,
            "q_adj": _paired(values - np.array([run.q_adj for run in base]), simulated),
        }
        if simulated:
            gains = [run.true_q - other.true_q for run, other in zip(runs, base, strict=True)]
            row["true_q"] = _paired(np.array(gains), simulated)
        rows.append(row)
    return {
        "replicates": sorted(source.common),
        "reference": reference,
        "rows": rows,
        "left_out": sorted(set(source.runs) - set(names)),
    }


def quality_against_time(column: Column) -> Picture:
    """q_adj against the time of one replicate."""
    source = frame_of(column)
    points = _time_points(source)

    def draw() -> Figure:
        figure = Figure(figsize=(9.5, 5.5), layout="constrained")
        axis = figure.subplots()
        axis.set_xscale("log")
        for number, point in enumerate(points, start=1):
            place = point["seconds"], point["mean"]
            label = f"{number:>2}  {point['method']}"
            axis.plot(*place, color=OURS, marker="", linestyle="", label=label)
            # A number stands for the point; names would cover each other.
            box = {"boxstyle": "circle,pad=0.18", "facecolor": "white", "edgecolor": OURS}
            axis.annotate(str(number), place, ha="center", va="center", fontsize=7, bbox=box)
        figure.legend(loc="outside right upper", frameon=False, handlelength=0, fontsize=8)
        axis.margins(0.08)
        axis.set_xlabel("core-seconds for one replicate, tuning included")
        axis.set_ylabel("test q_adj, per cent")
        n = count(len(source.common), "replicate")
        axis.set_title(f"Quality against time on {column.name}, the same {n}")
        axis.grid(alpha=0.25)
        return figure

    return Picture(f"time-{column.name}", points, draw)


def _time_points(source: Frame) -> list[dict[str, Any]]:
    points = []
    for name in source.methods:
        mean = mean_of(source.shown(name), lambda run: run.q_adj)
        seconds = mean_of(source.shown(name), lambda run: run.cpu_seconds)
        cost = max(seconds.value if seconds else 0.0, 0.01)
        points.append({"method": name, "mean": mean.value, "seconds": cost})
    return sorted(points, key=lambda point: (-point["mean"], point["method"]))


def _draw_level(axis: Axes, height: int, row: dict[str, Any]) -> None:
    bound = row["method"] in BOUNDS
    axis.plot(row["mean"], height, color=OTHER if bound else OURS, marker="o")
    if row["paper"] is not None:
        bar = {"capsize": 2, "linewidth": 0.8, "markersize": 4}
        axis.errorbar(row["paper"], height, xerr=row["paper_half"], color=PAPER, marker="D", **bar)


def _draw_difference(axis: Axes, height: int, row: dict[str, Any]) -> None:
    bound = row["method"] in BOUNDS
    kinds = (("q_adj", OTHER if bound else OURS, "o", 0.12), ("true_q", TRUTH, "s", -0.12))
    for measure, colour, marker, shift in kinds:
        if measure in row:
            mean, half = row[measure]
            bar = {"capsize": 2, "markersize": 4, "linewidth": 1}
            axis.errorbar(mean, height + shift, xerr=half, color=colour, marker=marker, **bar)


def _paired(differences: np.ndarray, simulated: bool) -> list[float | None]:
    """Mean and half-width of the 95 % t interval; re-splits of real data share their rows."""
    if len(differences) < 2:
        return [float(differences.mean()), None]
    found = Estimate.of(differences) if simulated else resplits.paired(differences)
    return [found.mean, found.interval()[1] - found.mean]


def _paper_half(values: np.ndarray, printed: Printed, simulated: bool) -> float | None:
    """The paper's own uncertainty: its 20 runs with our spread, or its re-splits corrected."""
    if len(values) < 2:
        return None
    error = float(values.std(ddof=1)) / math.sqrt(PAPER_RUNS)
    if not simulated:
        error = resplits.corrected(printed.standard_error)
    return float(stats.t.ppf(0.975, len(values) - 1)) * error


def _left_out(numbers: dict[str, Any]) -> str:
    text = f"left out, fewer replicates: {', '.join(numbers['left_out'])}"
    return "\n" + fill(text, 110, break_on_hyphens=False) if numbers["left_out"] else ""
