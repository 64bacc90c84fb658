"""The paper's printed values, from the one file that holds them: `paper_values.csv`."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import baselines

FILE = Path(__file__).with_name("paper_values.csv")
BOUND = "bound on the standard error"


@dataclass(frozen=True)
class Printed:
    """One printed number with its standard error, or the table's bound on it."""

    value: float
    standard_error: float
    bold: bool = False


@cache
def _lines() -> tuple[dict[str, str], ...]:
    with FILE.open(newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def rows(table: str) -> tuple[str, ...]:
    """The rows of a table in the paper's order."""
    found = (line["row"] for line in _lines() if line["table"] == table)
    return tuple(dict.fromkeys(row for row in found if row != "(all)"))


@cache
def _places() -> dict[tuple[str, str, str], dict[str, str]]:
    return {(line["table"], line["row"], line["column"]): line for line in _lines()}


def text(table: str, row: str, column: str) -> str | None:
    """What is printed there, as text."""
    line = _places().get((table, row, column))
    return line and line["value"]


def printed(table: str, row: str, column: str) -> Printed | None:
    """The number printed there, None where the paper has none."""
    line = _places().get((table, row, column))
    if line is None:
        return None
    error = line["standard_error"] or text(table.removesuffix("-text"), "(all)", BOUND)
    return Printed(float(line["value"]), float(error), line["bold"] == "yes")


def scenario_value(row: str | None, scenario: str) -> Printed | None:
    """q_adj of a method's row in one scenario: T7 where it has the row, else T1 with its text."""
    if row is None:
        return None
    found = printed("T7", row, f"scenario {scenario.removeprefix('scenario')}")
    if found is None and scenario == "scenario4":
        found = printed("T1", row, "q_adj") or printed("T1-text", row, "q_adj")
    return found


def real_data_value(row: str | None, data_row: str) -> Printed | None:
    """q_adj of a method's row on one data set of T4."""
    column = {"Twin_NN 512 structured": "Twin_NN"}.get(row, row)
    return None if column is None else printed("T4", data_row, column)


@cache
def method_of(paper_row: str) -> str | None:
    """The method that stands in a row of the paper's tables."""
    for name, cls in baselines.methods().items():
        if cls.paper_row == paper_row:
            return name
    return None
