"""Which settings a method chose, over the replicates of each data set."""

import json
import statistics
from collections import Counter
from typing import Any

from suite.publish.columns import Column
from suite.site.ground import Ground, label
from suite.site.page import Page
from suite.site.table import Cell

FEW = 4  # so many different values are listed one by one


def settings_section(page: Page, ground: Ground, columns: list[Column], name: str) -> None:
    """A row for each data set, a column for each setting that ever changed."""
    chosen = {column.name: _chosen(ground, column, name) for column in columns}
    keys = sorted({key for own in chosen.values() for key in own})
    if not keys:
        return
    page.section("Settings chosen")
    every = {key: {_text(v) for own in chosen.values() for v in own.get(key, [])} for key in keys}
    fixed = [key for key in keys if len(every[key]) == 1]
    varied = [key for key in keys if key not in fixed]
    if fixed:
        said = ", ".join(f"`{key}` {next(iter(every[key]))}" for key in fixed)
        page.md(f"The same in every replicate: {said}.")
    if not varied:
        return
    rows = [
        [Cell(label(c)), *(Cell(_summary(chosen[c.name].get(key, []))) for key in varied)]
        for c in columns
    ]
    caption = f"What {name} chose, and in how many replicates"
    numbers = ["data,setting,value,replicates"]
    for column, own in chosen.items():
        for key in keys:
            counts = Counter(_text(value) for value in own.get(key, []))
            numbers += [f'{column},{key},"{v}",{n}' for v, n in sorted(counts.items())]
    page.table(
        *(f"methods/{name}-settings", caption, ["data", *varied], rows),
        numbers="\n".join(numbers) + "\n",
    )


def _chosen(ground: Ground, column: Column, name: str) -> dict[str, list[Any]]:
    """Every value of every setting, in all published replicates."""
    cells = ground.cells
    found: dict[str, list[Any]] = {}
    for settings in cells.loc[(cells["method"] == name) & (cells["column"] == column.name)][
        "settings"
    ]:
        for key, value in settings.items():
            found.setdefault(key, []).append(value)
    return found


def _summary(values: list[Any]) -> str:
    counts = Counter(map(_text, values))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(ranked) <= FEW:
        return ", ".join(f"{text} ({n})" for text, n in ranked)
    if all(isinstance(value, float | int) for value in values):
        low, middle, high = min(values), statistics.median(values), max(values)
        return f"{_text(low)} to {_text(high)}, median {_text(middle)} ({len(values)})"
    more = sum(n for _, n in ranked[FEW:])
    return ", ".join(f"{text} ({n})" for text, n in ranked[:FEW]) + f", others ({more})"


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")
