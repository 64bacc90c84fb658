"""The figures, from records alone: F4, Qini curves, dot plot, quality against time.

An image carries the digest of the numbers it shows. Its bytes are the same for the same numbers
and the same version of matplotlib; with another version the digest still tells whether it is
up to date.
"""

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import baselines
from suite.compare.means import by_method, mean_of, q_adj
from suite.publish.columns import Column
from suite.records import Record
from suite.words import count

BOUNDS = ("oracle", "random")
_STYLE = {
    "svg.hashsalt": "twin-uplift-suite",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 110,
}
OURS, PAPER, OTHER = "#1f5fa8", "#d1495b", "#8a8a8a"


@dataclass(frozen=True)
class Picture:
    """A figure by name: the numbers it shows and how they are drawn."""

    name: str
    numbers: Any
    draw: Callable[[], Figure]

    @property
    def digest(self) -> str:
        text = json.dumps(self.numbers, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def files(self) -> dict[str, bytes]:
        """The image as SVG and PNG."""
        with matplotlib.rc_context(_STYLE):
            figure = self.draw()
            return {
                f"{self.name}.svg": _bytes(figure, "svg", {"Date": None, "Description": self.mark}),
                f"{self.name}.png": _bytes(figure, "png", {"Description": self.mark}),
            }

    @property
    def mark(self) -> str:
        """What is written into the files: the digest of the numbers, and who drew them."""
        return f"numbers {self.digest}, matplotlib {matplotlib.__version__}"


def f4(columns: list[Column]) -> Picture:
    """Qini curve of the true uplift, one panel a scenario, dashed random line."""
    curves = {column.experiment.name: _curve(column.of("oracle")) for column in columns}

    def draw() -> Figure:
        figure = Figure(figsize=(7.5, 6), layout="constrained")
        axes = figure.subplots(2, 2).ravel()
        for axis, (name, curve) in zip(axes, curves.items(), strict=True):
            title = f"Scenario {name.removeprefix('scenario')}"
            if curve is None:
                axis.text(0.5, 0.5, "not yet run", ha="center", va="center", color=OTHER)
                axis.set_title(title)
                axis.set_xticks([])
                axis.set_yticks([])
                continue
            phi, gain = np.array(curve["phi"]), np.array(curve["gain"])
            axis.plot(100 * phi, 100 * gain, color=OURS, marker="o", markersize=3)
            axis.plot([0, 100], [0, 100 * gain[-1]], color=OTHER, linestyle="--")
            axis.set_title(f"{title} ({count(curve['replicates'], 'replicate')})")
            axis.set_xlabel("targeted, per cent")
            axis.set_ylabel("incremental positives, per cent")
        return figure

    variant = columns[0].variant
    return Picture("F4" if variant == "printed" else f"F4-{variant}", curves, draw)


def qini_curves(column: Column) -> Picture:
    """The Qini curve of every method with its band over replicates."""
    groups = by_method(column.records)
    ranked = _ranked(column)
    curves = {name: _curve(groups[name]) for name in ranked}

    def draw() -> Figure:
        columns = 4
        lines = -(-len(ranked) // columns)
        figure = Figure(figsize=(10, 2.1 * lines + 0.4), layout="constrained")
        axes = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
        oracle = curves.get("oracle")
        for axis, (name, curve) in zip(axes, curves.items(), strict=False):
            _panel(axis, name, curve, oracle)
        for axis in axes[len(curves) :]:
            axis.axis("off")
        figure.suptitle(f"Qini curves on {column.folder}: mean and ± 1 s.d. over replicates")
        figure.supxlabel("targeted, per cent")
        figure.supylabel("incremental positives, per cent")
        return figure

    return Picture(f"curves-{column.folder}", curves, draw)


def dots(column: Column) -> Picture:
    """q_adj a method ± 2 standard errors, the paper's value and the oracle."""
    points = _points(column)

    def draw() -> Figure:
        figure = Figure(figsize=(7.5, 0.27 * len(points) + 1.2), layout="constrained")
        axis = figure.subplots()
        for height, point in enumerate(reversed(points)):
            bound = point["method"] in BOUNDS
            low_high = 2 * (point["error"] or 0.0)
            axis.errorbar(
                point["mean"],
                height,
                xerr=low_high,
                color=OTHER if bound else OURS,
                marker="o",
                capsize=2,
                label=None,
            )
            if point["paper"] is not None:
                axis.plot(point["paper"], height, color=PAPER, marker="D", markersize=5)
        oracle = next((p["mean"] for p in points if p["method"] == "oracle"), None)
        if oracle is not None:
            axis.axvline(oracle, color=OTHER, linestyle="--", linewidth=0.8)
        axis.set_ylim(-0.7, len(points) - 0.3)
        axis.set_yticks(range(len(points)), [point["label"] for point in reversed(points)])
        axis.set_xlabel("test q_adj, per cent")
        axis.grid(axis="x", alpha=0.25)
        axis.plot([], [], color=OURS, marker="o", label="ours ± 2 s.e.")
        if any(point["paper"] is not None for point in points):
            axis.plot([], [], color=PAPER, marker="D", linestyle="", label="the paper's")
        if oracle is not None:
            axis.plot([], [], color=OTHER, linestyle="--", label="oracle")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        axis.set_title(f"{column.folder}, {_replicates(column)}")
        return figure

    return Picture(f"dots-{column.folder}", points, draw)


def quality_against_time(column: Column) -> Picture:
    """q_adj against the time of one replicate."""
    points = [point for point in _points(column) if point["method"] not in BOUNDS]

    def draw() -> Figure:
        figure = Figure(figsize=(9.5, 5.5), layout="constrained")
        axis = figure.subplots()
        axis.set_xscale("log")
        for number, point in enumerate(points, start=1):
            place = point["seconds"], point["mean"]
            bar = {"yerr": point["error"], "capsize": 2, "alpha": 0.35}
            axis.errorbar(*place, color=OURS, linestyle="", **bar)
            # A number stands for the point; names would cover each other.
            label = f"{number:>2}  {point['label']}"
            axis.plot(*place, color=OURS, marker="", linestyle="", label=label)
            box = {"boxstyle": "circle,pad=0.18", "facecolor": "white", "edgecolor": OURS}
            axis.annotate(str(number), place, ha="center", va="center", fontsize=7, bbox=box)
        figure.legend(loc="outside right upper", frameon=False, handlelength=0, fontsize=8)
        axis.set_xlabel("core-seconds a replicate, tuning included")
        axis.set_ylabel("test q_adj, per cent (± s.e.)")
        axis.set_title(f"Quality against time on {column.folder}, {_replicates(column)}")
        axis.grid(alpha=0.25)
        return figure

    return Picture(f"time-{column.folder}", points, draw)


def _panel(axis: Axes, name: str, curve: dict[str, Any], oracle: dict[str, Any] | None) -> None:
    phi, gain, spread = (100 * np.array(curve[part]) for part in ("phi", "gain", "spread"))
    if oracle is not None:
        axis.plot(
            100 * np.array(oracle["phi"]), 100 * np.array(oracle["gain"]), color=OTHER, lw=0.8
        )
    axis.fill_between(phi, gain - spread, gain + spread, color=OURS, alpha=0.2, linewidth=0)
    axis.plot(phi, gain, color=OURS)
    axis.plot([0, 100], [0, gain[-1]], color=OTHER, linestyle="--", linewidth=0.8)
    axis.set_title(name, fontsize=8)


def _points(column: Column) -> list[dict[str, Any]]:
    groups, known, points = by_method(column.records), baselines.methods(), []
    most = max(map(len, groups.values()), default=0)
    for name in _ranked(column):
        mean = mean_of(groups[name], q_adj)
        seconds = mean_of(groups[name], lambda record: record.cpu_seconds)
        printed = column.experiment.printed(known[name]) if name in known else None
        points.append(
            {
                "method": name,
                "label": name if mean.n == most else f"{name} (n = {mean.n})",
                "mean": mean.value,
                "error": mean.error,
                "paper": printed.value if printed else None,
                "seconds": max(seconds.value, 0.01),
            }
        )
    return points


def _ranked(column: Column) -> list[str]:
    means = {name: mean_of(group, q_adj) for name, group in by_method(column.records).items()}
    return sorted((n for n in means if means[n]), key=lambda n: (-means[n].value, n))


def _curve(records: list[Record]) -> dict[str, Any] | None:
    """Mean curve over replicates and its standard deviation."""
    good = [record for record in records if record.ok]
    if not good:
        return None
    gains = np.array([record.curve["gain"] for record in good])
    spread = gains.std(axis=0, ddof=1) if len(good) > 1 else np.zeros(gains.shape[1])
    return {
        "phi": np.mean([record.curve["phi"] for record in good], axis=0).tolist(),
        "gain": gains.mean(axis=0).tolist(),
        "spread": spread.tolist(),
        "replicates": len(good),
    }


def _replicates(column: Column) -> str:
    counts = [len(records) for records in by_method(column.records).values()]
    least, most = min(counts), max(counts)
    return count(most, "replicate") if least == most else f"{least} to {most} replicates"


def _bytes(figure: Figure, kind: str, metadata: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=metadata)
    return buffer.getvalue()
