"""New customers as a model wants them: columns by name, cells checked, drift counted."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from suite.campaign.cells import Cells
from suite.campaign.columns import typed
from suite.campaign.encode import Encoder
from suite.campaign.errors import UserError
from suite.campaign.plans import Plan, days_before
from suite.campaign.read import pieces
from suite.campaign.sniff import Shape, open_text
from suite.campaign.types import Column

DRIFT = 0.2  # a population stability index from which a column is named
_MOST_UNKNOWN = 10_000  # levels remembered for each column


def check_columns(shape: Shape, header: Sequence[str], encoder: Encoder) -> None:
    """Every column that the model uses is there."""
    wanted = [plan.name for plan in encoder.plans]
    lacking = [name for name in wanted if name not in header]
    if lacking:
        raise UserError(
            f"{shape.name} has no column {lacking[0]}, which the model uses; "
            f"it has {len(wanted) - len(lacking)} of {len(wanted)}"
        )


def column_of(plan: Plan) -> Column:
    """How cells of the column are to be read."""
    return Column(
        plan.name,
        plan.kind,
        True,
        levels=plan.known,
        date_format=plan.date_format,
        missing_codes=plan.missing_codes,
    )


def typed_frame(
    table: pa.Table, encoder: Encoder, shape: Shape, before: int, *, forgive: bool
) -> pd.DataFrame:
    """The columns of the model, typed. `before`: rows of earlier pieces, for messages."""
    series = {}
    for plan in encoder.plans:
        cells = Cells(table[plan.name])
        if not forgive and plan.kind != "category":
            _check_cells(plan, cells, shape, before)
        series[plan.name] = typed(column_of(plan), cells, shape.decimal)
    return pd.DataFrame(series)


def _check_cells(plan: Plan, cells: Cells, shape: Shape, before: int) -> None:
    if plan.kind == "number":
        wrong, was = np.isnan(cells.numbers(shape.decimal)), "a number"
    else:
        wrong, was = np.isnat(cells.dates(plan.date_format or "")), "a date"
        was += f" ({plan.date_format})" if plan.date_format else ""
    wrong &= ~np.isin(np.array(cells.texts(), object), list(plan.missing_words))
    if not wrong.any():
        return
    row = int(np.flatnonzero(cells.spread(wrong, False))[0])
    cell = cells.texts()[cells.codes[row]]
    raise UserError(
        f"{plan.name} was {was} in the campaign; in {shape.name} {_where(shape, before + row)} "
        f"it is {cell!r} (--bad-cells missing goes on)"
    )


def _where(shape: Shape, row: int) -> str:
    """The line of the file that row `row` (from 0) ends in."""
    if shape.separator is None:
        return f"row {row + 1:,}"
    with open_text(shape) as file:
        lines = csv.reader(file, delimiter=shape.separator)
        filled = (lines.line_num for cells in lines if cells)
        for number, line in enumerate(filled):
            if number == row + 1:  # the header is the first
                return f"line {line:,}"
    return f"row {row + 1:,}"


def latest_date(shape: Shape, encoder: Encoder) -> str | None:
    """The latest day of the model's date columns in the file, or of the campaign if later."""
    plans = [plan for plan in encoder.plans if plan.kind == "date"]
    if not plans:
        return None
    latest = np.datetime64(max(plan.as_of for plan in plans), "D")
    for table in pieces(shape, [plan.name for plan in plans]):
        for plan in plans:
            days = Cells(table[plan.name]).dates(plan.date_format or "")
            days = days[~np.isnat(days)]
            if len(days):
                latest = max(latest, days.max())
    return str(latest)


@dataclass
class Drift:
    """How the new rows differ from the campaign's: bins of each column, levels never seen."""

    encoder: Encoder
    as_of: str | None
    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    unknown: dict[str, set[str]] = field(default_factory=dict)

    def add(self, frame: pd.DataFrame) -> None:
        """Count the rows of a piece."""
        for plan in self.encoder.plans:
            values = frame[plan.name]
            if plan.kind == "category":
                bins = values.cat.codes.to_numpy().astype(np.int64)  # known levels come first
                self._levels_never_seen(plan, values.cat.categories)
                size = len(plan.known)
                bins = np.where(bins < 0, size, np.minimum(bins, size - 1))
            else:
                is_date = plan.kind == "date"
                numbers = days_before(values, self.as_of) if is_date else values.to_numpy()
                size = len(plan.edges) + 1
                bins = np.where(np.isnan(numbers), size, np.searchsorted(plan.edges, numbers))
            counted = np.bincount(bins, minlength=size + 1)
            self.counts[plan.name] = self.counts.get(plan.name, 0) + counted

    def _levels_never_seen(self, plan: Plan, levels: pd.Index) -> None:
        seen = self.unknown.setdefault(plan.name, set())
        if len(levels) > len(plan.known) and len(seen) < _MOST_UNKNOWN:
            seen.update(map(str, levels[len(plan.known) :]))

    def indices(self) -> dict[str, float]:
        """Population stability index of each column: Σ (new - old) log(new / old) over bins."""
        result = {}
        for plan in self.encoder.plans:
            new = self.counts[plan.name] / max(1, self.counts[plan.name].sum())
            old = np.maximum(plan.shares, 1e-4)
            new = np.maximum(new, 1e-4)
            result[plan.name] = float(((new - old) * np.log(new / old)).sum())
        return result

    def said(self) -> str:
        """Unknown levels and the columns that drifted, in words."""
        parts = [
            f"{len(levels):,} unknown level{'s' if len(levels) > 1 else ''} in {name} -> (other)"
            for name, levels in self.unknown.items()
            if levels
        ]
        # Chance alone gives about (bins - 1) / rows, which matters for short files.
        noise = {k: 2 * (len(c) - 1) / max(1, c.sum()) for k, c in self.counts.items()}
        moved = {k: psi for k, psi in self.indices().items() if psi > DRIFT + noise[k]}
        if moved:
            listing = ", ".join(f"{name} (PSI {psi:.2f})" for name, psi in moved.items())
            parts.append(f"drift: {listing}")
        return "; ".join(parts)
