"""Regret of every method in every scenario: the picture of the README and of the site's front page.

Within a scenario all rows have the same replicates. A bar is the 95 % interval of the paired
difference to the row with the least regret, drawn around the row's own mean.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from suite.compare.frame import frame_of
from suite.compare.paired import Estimate
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published
from suite.show.picture import OTHER, OURS, Picture
from suite.words import count

LEAST = "#d1603d"
FEWEST_ROWS = 3  # of a panel: below that there is nothing to look at


def overview(published: Published, variant: str = VARIANTS[0]) -> Picture:
    """One panel for each scenario that has rows to compare, rows in the same order in all."""
    numbers = overview_numbers([published.column(name, variant) for name in SCENARIOS])

    def draw() -> Figure:
        panels = [panel for panel in numbers if compared(panel)]
        order = row_order(panels)
        places = {name: height for height, name in enumerate(reversed(order))}
        figure = Figure(figsize=(11, 0.2 * len(order) + 1.8), layout="constrained")
        axes = figure.subplots(1, max(1, len(panels)), sharey=True, squeeze=False)[0]
        for axis, panel in zip(axes, panels, strict=False):
            for row in panel["rows"]:
                least = row["method"] == panel["least"]
                place, colour = places[row["method"]], LEAST if least else OURS
                if row["low"] is not None:
                    axis.plot([row["low"], row["high"]], [place, place], color=colour)
                axis.plot(row["regret"], place, "o", color=colour, markersize=4)
                if least:
                    axis.axvline(row["regret"], color=LEAST, linestyle="--", linewidth=0.8)
            axis.set_title(f"Scenario {panel['scenario'][8:]}, n = {panel['n']}")
            axis.set_xlabel("regret, per cent")
            axis.set_xlim(left=0)
            axis.grid(axis="x", alpha=0.25)
            axis.set_yticks(range(len(order)), list(reversed(order)))
        figure.suptitle(
            "Regret against the true uplift, the less the better. Bars: 95 % interval of the "
            "paired difference to the least (dashed)",
            fontsize=9,
        )
        figure.supxlabel("\n".join(left_out(numbers)), fontsize=8, color=OTHER)
        return figure

    return Picture("overview", numbers, draw)


def overview_numbers(columns: Iterable[Column]) -> list[dict[str, Any]]:
    """What the picture shows; every row of a panel has the same replicates."""
    panels = []
    for column in columns:
        source = frame_of(column)
        regret = {m: np.array([run.regret for run in source.shown(m)]) for m in source.methods}
        least = min(regret, key=lambda m: (regret[m].mean(), m), default=None)
        rows = [
            {"method": name, "regret": float(own.mean()), **_bar(own, regret[least])}
            for name, own in sorted(regret.items(), key=lambda item: (item[1].mean(), item[0]))
        ]
        panels.append(
            {
                "scenario": column.experiment.name,
                "variant": column.variant,
                "replicates": sorted(source.common),
                "n": source.size,
                "least": least,
                "rows": rows,
                "left_out": sorted(set(source.runs) - set(regret) - {"oracle", "random"}),
            }
        )
    return panels


def compared(panel: dict[str, Any]) -> bool:
    """Whether a panel has enough rows for a picture."""
    return len(panel["rows"]) >= FEWEST_ROWS


def left_out(panels: list[dict[str, Any]]) -> list[str]:
    """What the picture does not show, said scenario by scenario."""
    lines = []
    for panel in panels:
        name, n = f"Scenario {panel['scenario'][8:]}", len(panel["replicates"])
        rows, without = count(len(panel["rows"]), "row"), len(panel["left_out"])
        if not compared(panel):
            lines.append(f"{name} is not drawn: {rows} with all {n} common replicates so far.")
        elif without:
            lines.append(f"{name}: {count(without, 'row')} with fewer replicates left out.")
    return lines


def row_order(panels: list[dict[str, Any]]) -> list[str]:
    """By the mean rank over the panels that have the row."""
    ranks: dict[str, list[float]] = {}
    for panel in panels:
        for place, row in enumerate(panel["rows"]):
            ranks.setdefault(row["method"], []).append(place / len(panel["rows"]))
    return sorted(ranks, key=lambda name: (float(np.mean(ranks[name])), name))


def _bar(own: np.ndarray, least: np.ndarray) -> dict[str, float | None]:
    """The interval of the paired difference around the row's mean; none for the least itself."""
    if len(own) < 2 or own is least:
        return {"low": None, "high": None}
    low, high = Estimate.of(own - least).interval()
    return {"low": float(least.mean()) + low, "high": float(least.mean()) + high}
