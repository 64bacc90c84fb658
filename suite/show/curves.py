"""Qini curves: F4 of the paper, and those of every method of a column."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from suite.compare.frame import frame_of
from suite.compare.runs import Frame, Run, by_score
from suite.publish.columns import Column
from suite.show.picture import OTHER, OURS, Picture
from suite.words import count


def f4(columns: list[Column]) -> Picture:
    """Qini curve of the true uplift, one panel per scenario, dashed random line."""
    curves = {c.experiment.name: mean_curve(_oracle(frame_of(c))) for c in columns}

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
    source = frame_of(column)
    ranked = [name for name in by_score(source) if source.shown(name)]
    curves = {name: mean_curve(source.shown(name)) for name in ranked}

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
        n = count(len(source.common), "replicate")
        figure.suptitle(f"Qini curves on {column.name}: mean and ± 1 s.d. over {n}")
        figure.supxlabel("targeted, per cent")
        figure.supylabel("incremental positives, per cent")
        return figure

    return Picture(f"curves-{column.name}", curves, draw)


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


def _oracle(source: Frame) -> list[Run]:
    """The oracle needs no other row: all planned replicates."""
    return list(source.runs.get("oracle", {}).values())


def mean_curve(runs: list[Run]) -> dict[str, Any] | None:
    """Mean curve over replicates and its standard deviation."""
    if not runs:
        return None
    gains = np.array([run.gain for run in runs])
    spread = gains.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(gains.shape[1])
    return {
        "phi": np.mean([run.phi for run in runs], axis=0).tolist(),
        "gain": gains.mean(axis=0).tolist(),
        "spread": spread.tolist(),
        "replicates": len(runs),
    }
