"""Rule S9b: what the rows of a real data set add to q, over all re-splits of the data together.

A difference of two methods over re-splits has its error from the rows, which the splits share.
What a row adds to q needs its outcome, and the rows are not ours to publish. Published are the
sums over rows of products of two cells' terms: they give the error of any difference over any
replicates, and on the diagonal the squared error of q in one test set, which the record has too.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suite.store.disk import read_arrays, replacing
from suite.store.record import Record
from twin.qini_error import row_influence, standard_error

FILE = "pooled.npz"
CLOSE, LEAST_SHARE = 1e-6, 0.3  # of the squared error that the record's bins give


@dataclass(frozen=True)
class Pooled:
    """Products of cells, both ways; cells are (method, replicate, key)."""

    cells: tuple[tuple[str, int, str], ...]
    products: NDArray[np.float64]

    @classmethod
    def of(cls, terms: Iterable[tuple[Record, NDArray, NDArray]]) -> Self:
        """From what each row adds, and which row it is, by record."""
        cells, values, rows = [], [], []
        for record, psi, numbers in terms:
            cells.append((record.method, record.replicate, record.key))
            values.append(psi)
            rows.append(numbers)
        ends = np.cumsum([0, *map(len, values)])
        by_row = sparse.csr_array((np.concatenate(values), np.concatenate(rows), ends))
        return cls(tuple(cells), (by_row @ by_row.T).toarray())

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """What is published of a column, if anything."""
        arrays = read_arrays(folder / FILE)
        if not arrays:
            return None
        cells = [str(cell).split("/") for cell in arrays["cells"]]
        return cls(tuple((m, int(r), key) for m, r, key in cells), arrays["products"])

    def write(self, folder: Path) -> None:
        """Replace what was there."""
        cells = np.array([f"{m}/{r}/{key}" for m, r, key in self.cells])
        with replacing(folder / FILE) as file:
            np.savez_compressed(file, cells=cells, products=self.products)

    def error(self, a: str, b: str, replicates: Iterable[int]) -> float | None:
        """Standard error of the mean of q(a) - q(b) over replicates; None where cells lack."""
        place = {(m, r): i for i, (m, r, _) in enumerate(self.cells)}
        wanted = sorted(replicates)
        if not all((m, r) in place for m in (a, b) for r in wanted):
            return None
        weight = np.zeros(len(self.cells))
        weight[[place[a, r] for r in wanted]] += 1 / len(wanted)
        weight[[place[b, r] for r in wanted]] -= 1 / len(wanted)
        return math.sqrt(max(float(weight @ self.products @ weight), 0.0))

    def problems(self, records: Sequence[Record]) -> list[str]:
        """Cells that no record has, or whose record says another error of q."""
        by_key = {record.key: record for record in records}
        found = []
        for place, (method, replicate, key) in enumerate(self.cells):
            where = f"{FILE}: {method}, replicate {replicate}"
            if key not in by_key:
                found.append(f"{where} belongs to no published record")
                continue
            # Tied rows share their bins, which can only lower the sum of the squares.
            share = self.products[place, place] / squared_error(by_key[key])
            if not LEAST_SHARE < share < 1 + CLOSE:
                found.append(f"{where} has another error of q than its record")
        return found


def terms(record: Record, predictions: NDArray, y: NDArray, treatment: NDArray) -> NDArray:
    """What each test row adds to q of a record, in per cent."""
    return row_influence(y, predictions, treatment, bins=len(record.result.bins))


def squared_error(record: Record) -> float:
    """The variance of q within the record's test set, from the counts of its bins."""
    names = ("treated", "control", "treated_responses", "control_responses")
    return standard_error(*([getattr(b, n) for b in record.result.bins] for n in names)) ** 2
