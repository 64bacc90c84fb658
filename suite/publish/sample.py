"""A share of the published cells, drawn by the records themselves, so that nobody picks them.

The seed is a digest of every published record. A cell's place in the draw is the digest of seed
and key: who has the records draws the same cells, and any change of a record draws others.
"""

import csv
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from suite.publish.columns import PUBLISHED, Column, Published, every_column
from suite.store.record import Record

FILE = PUBLISHED.parent / "findings" / "verified.csv"
WAITING = "not yet verified"
FIELDS = ("seed", "column", "method", "replicate", "key", "result")


@dataclass(frozen=True)
class Sample:
    """What was drawn, by column."""

    seed: str
    columns: tuple[tuple[Column, tuple[Record, ...]], ...]
    total: int  # cells it was drawn from

    def __len__(self) -> int:
        return sum(len(records) for _, records in self.columns)

    def lines(self) -> Iterable[tuple[str, str, int, str]]:
        """Column, method, replicate and key of every cell."""
        for column, records in self.columns:
            for record in records:
                yield column.name, record.method, record.replicate, record.key


def draw(published: Published, share: float) -> Sample:
    """So many of the cells that succeeded, rounded up."""
    columns = [published.column(e.name, variant) for e, variant in every_column()]
    seed = seed_of(columns)
    cells = [record for column in columns for record in column.records if record.ok]
    ordered = sorted(cells, key=lambda record: _place(seed, record))
    chosen = {record.key for record in ordered[: math.ceil(share * len(cells))]}
    drawn = ((c, tuple(r for r in c.records if r.ok and r.key in chosen)) for c in columns)
    return Sample(seed, tuple((c, records) for c, records in drawn if records), len(cells))


def seed_of(columns: Iterable[Column]) -> str:
    """The sha256 of all records, sorted by their lines."""
    lines = sorted(record.line() for column in columns for record in column.records)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write(
    sample: Sample, results: Mapping[tuple[str, str, int], str], path: Path | None = None
) -> None:
    """The list; `results` says what came of a cell (column, method, replicate)."""
    path = path or FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for column, method, replicate, key in sample.lines():
            said = results.get((column, method, replicate), WAITING)
            writer.writerow((sample.seed[:16], column, method, replicate, key, said))


def read(path: Path) -> list[dict[str, str]]:
    """The list as it was written; empty where there is none."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _place(seed: str, record: Record) -> Sequence[int]:
    return hashlib.sha256(f"{seed}/{record.key}".encode()).digest()
