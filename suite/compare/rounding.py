"""Analysis C: the same cells computed twice with other rounding, and how far they end apart."""

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from suite.compare.runs import Run

FILE = Path("rounding") / "cells.csv"  # beside the published records


@dataclass(frozen=True)
class Twice:
    """One cell computed with two sets of instructions: same code, data and seed."""

    experiment: str
    method: str
    replicate: int
    q_adj_one: float
    q_adj_other: float
    true_q_one: float
    true_q_other: float
    same_setting: int


@dataclass(frozen=True)
class Rounding:
    """What rounding alone does to a group of cells."""

    cells: int
    differ: int  # q_adj is not the same
    other_setting: int
    median: float  # of the absolute difference of q_adj
    largest: float
    sd_q_adj: float  # of one run
    sd_true_q: float


def pair_up(
    experiment: str, one: Mapping[tuple[str, int], Run], other: Mapping[tuple[str, int], Run]
) -> list[Twice]:
    """The cells that both stores have; simulated data only."""
    return [
        Twice(
            *(experiment, *cell, one[cell].q_adj, other[cell].q_adj),
            *(one[cell].true_q, other[cell].true_q),
            int(one[cell].settings == other[cell].settings),
        )
        for cell in sorted(one.keys() & other.keys())
        if one[cell].true_q is not None
    ]


def summarise(cells: Iterable[Twice]) -> Rounding | None:
    """The spread of one run is that of a difference over the square root of 2."""
    cells = list(cells)
    if not cells:
        return None
    apart = np.array([cell.q_adj_one - cell.q_adj_other for cell in cells])
    truth = np.array([cell.true_q_one - cell.true_q_other for cell in cells])
    return Rounding(
        cells=len(cells),
        differ=int((apart != 0).sum()),
        other_setting=sum(not cell.same_setting for cell in cells),
        median=float(np.median(abs(apart))),
        largest=float(abs(apart).max()),
        sd_q_adj=math.sqrt(float((apart**2).mean()) / 2),
        sd_true_q=math.sqrt(float((truth**2).mean()) / 2),
    )


def write(path: Path, cells: Iterable[Twice]) -> None:
    """The cells as a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [item.name for item in fields(Twice)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(cell) for cell in cells)


def read(path: Path) -> list[Twice]:
    """The cells of the CSV file; none where there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        kinds = {item.name: item.type for item in fields(Twice)}
        return [
            Twice(**{name: kinds[name](value) for name, value in line.items()})
            for line in csv.DictReader(file)
        ]
