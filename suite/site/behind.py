"""What stands behind a number of the paper's tables: replicates, standard error, the record."""

from collections.abc import Mapping
from typing import Any

from suite.show.tables.entries import BOUNDS
from suite.show.tables.model import Table
from suite.site.ground import Ground, label, replicates

Place = tuple[int, int]  # row and column of a table
Line = Mapping[str, Any]  # tidy: one number with all that is known of it


def behind(ground: Ground, table: Table) -> dict[Place, tuple[str, str]]:
    """For each number of ours in T1 to T5: the page with its records, and what it says."""
    found = {}
    for place, line in _places(table).items():
        if line["mean"] is None:
            continue
        text = table.rows[place[0]][place[1]].plain
        means = {f"{line['mean']:z.{digits}f}" for digits in (2, 3)}
        if text.split(" ")[0] not in means:  # without an error where there is one replicate
            raise ValueError(f"{table.name}: {text!r} is not the mean of {line['row']}")
        found[place] = said(ground, line)
    return found


def said(ground: Ground, line: Line) -> tuple[str, str]:
    """The page with the records of a tidy line, and the words."""
    column = ground.column(line["experiment"], line["variant"])
    error = line["standard_error"]
    spread = "" if error is None else f", standard error {error:.3f}"
    paper = line["paper"]
    printed = (
        "" if paper is None else f"; printed {paper:g}, ours - printed {line['difference']:+.2f}"
    )
    judged = line["half_width"]
    width = "" if judged is None else f", judged against ± {judged:.2f}"
    text = (
        f"{line['row']} on {label(column)}: mean {line['mean']:.3f}{spread}, "
        f"replicates {replicates(column)}{printed}{width}. "
        f"Records: results/records/{column.name}/{line['method']}.jsonl"
    )
    return f"methods/{line['method']}#{column.name}", text


def _places(table: Table) -> dict[Place, Line]:
    """Where each tidy line stands: in its column, in the order of the rows that are ours."""
    heads = [text.plain for text in table.header]
    if heads[0] == "":  # T2 has the models in columns
        return {(0, heads.index(line["row"])): line for line in table.tidy}
    rows = [i for i, row in enumerate(table.rows) if len(row) > 1]
    found = {}
    for column in dict.fromkeys(line["column"] for line in table.tidy):
        if column not in heads:
            continue  # a difference of two rows has the records of both
        lines = [line for line in table.tidy if line["column"] == column]
        if table.name.startswith("T3"):
            lines.sort(key=lambda li: (li["row"] in BOUNDS, not li["row"].startswith("Twin_NN")))
        place = heads.index(column)
        found |= {(i, place): line for i, line in zip(rows[-len(lines) :], lines, strict=True)}
    return found
