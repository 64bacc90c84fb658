"""Every replicate of a method with its record, so that a number can be followed to its source."""

import html
from typing import Any

import pandas as pd

from suite.publish.columns import Column
from suite.site.ground import Ground, label
from suite.site.page import Page
from suite.site.table import Cell
from suite.words import count

NUMBERS = ("q_adj", "q", "regret", "cpu_seconds")


def records_section(page: Page, ground: Ground, columns: list[Column], name: str) -> None:
    """A folded table for each data set; links to its name open it."""
    page.section("Records")
    page.md(
        "Each replicate with its record: the file stands above the table. `python -m suite verify` "
        "computes a published number again."
    )
    cells = ground.cells[ground.cells["method"] == name].sort_values("replicate")
    shared = cells[["column", "replicate", *NUMBERS, "key", "line"]]
    text = shared.to_csv(index=False, float_format="%.9g", lineterminator="\n")
    for column in columns:
        own = cells[cells["column"] == column.name]
        head = ["replicate", "q_adj", "q", "regret", "core s", "key", "line"]
        page.html(
            f'<details id="{column.name}"><summary>{html.escape(label(column))}: '
            f"{count(len(own), 'record')}</summary>"
        )
        page.table(
            f"methods/{column.name}",
            f"Records of {name} on {label(column)}: {own['file'].iloc[0]}",
            head,
            [_record(cell) for cell in own.itertuples()],
            numbers=text,
            csv_name=f"methods/{name}-records",
        )
        page.html("</details>")


def _record(cell: Any) -> list[Cell]:
    numbers = [
        Cell("", "") if value is None or pd.isna(value) else Cell(f"{value:z.4f}", float(value))
        for value in (getattr(cell, name) for name in NUMBERS)
    ]
    return [Cell(str(cell.replicate)), *numbers, Cell(cell.key), Cell(str(cell.line), cell.line)]
