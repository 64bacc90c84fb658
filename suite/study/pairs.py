"""The study's comparisons: pairs on the same data, draws as the unit (rule S8).

The variants of a draw share their random numbers: they are averaged, and those with the same data
count once. Scenarios are strata, each with its own draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suite.compare.paired import LEVEL, Estimate, holm
from suite.compare.strata import LEAST_INTERVAL, stratified
from suite.compare.units import draw_means

Record = dict[str, Any]
Cell = tuple[str, int, str]  # scenario, replicate, variant
MEASURES = ("q_adj", "true_q")


@dataclass(frozen=True)
class Series:
    """One rule of selection of one kind of unit, by the data it was computed on."""

    label: str
    values: dict[Cell, dict[str, float]]
    data: dict[Cell, str]  # what tells the data of a cell from others


@dataclass(frozen=True)
class Line:
    """A comparison: mean difference per measure, with its test where there are enough draws."""

    label: str
    draws: int
    means: dict[str, float]
    estimates: dict[str, Estimate]
    extra: Sequence[str] = field(default_factory=tuple)


def data_digest(record: Record) -> str:
    """The oracle's true q to the last digit: equal for equal data, and for no others."""
    return repr(record["oracle"]["true_q"])


def compare(
    one: Series, other: Series, *, scenario: str | None = None, extra: Sequence[str] = ()
) -> Line:
    """Differences `one` - `other` over the draws both have, of one scenario or of all."""
    cells = sorted(
        cell for cell in one.values.keys() & other.values.keys() if scenario in (None, cell[0])
    )
    means, estimates, draws = {}, {}, 0
    for measure in MEASURES if cells else ():
        differences = {
            cell: (one.data[cell], one.values[cell][measure] - other.values[cell][measure])
            for cell in cells
        }
        strata = [list(by_draw.values()) for by_draw in draw_means(differences).values()]
        draws = sum(map(len, strata))
        means[measure] = float(np.mean([np.mean(values) for values in strata]))
        estimate = _estimate(strata)
        if estimate is not None:
            estimates[measure] = estimate
    return Line(one.label, draws, means, estimates, extra)


def _estimate(strata: Sequence[Sequence[float]]) -> Estimate | None:
    """None below four draws, and where nothing differs at all."""
    values = np.concatenate([np.asarray(own, dtype=float) for own in strata])
    if len(values) < LEAST_INTERVAL or not values.any():
        return None
    if min(map(len, strata)) < 2:
        # One draw in some scenario: the scenarios' own differences widen the interval.
        return Estimate.of(values)
    return stratified(strata)


def table(lines: Sequence[Line], extra: Sequence[str] = ()) -> str:
    """The lines of a section; a star after Holm over the section, for each measure."""
    stars = {measure: _significant(lines, measure) for measure in MEASURES}
    head = ["comparison", "draws", "q_adj", "95 %", "true q", "95 %", *extra]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for index, line in enumerate(lines):
        cells = [line.label, str(line.draws)]
        for measure in MEASURES:
            if measure not in line.means:
                cells += ["not yet run", ""]
                continue
            estimate, interval = line.estimates.get(measure), "-"
            if estimate is not None:
                low, high = estimate.interval()
                star = " *" if index in stars[measure] else ""
                interval = f"[{low:+.2f}, {high:+.2f}]{star}"
            cells += [f"{line.means[measure]:+.2f}", interval]
        rows.append([*cells, *line.extra])
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{text}\n\n\\* significant at 5 % after Holm over the comparisons of this section."


def _significant(lines: Sequence[Line], measure: str) -> set[int]:
    tested = [index for index, line in enumerate(lines) if measure in line.estimates]
    p = holm([lines[index].estimates[measure].p_two_sided() for index in tested])
    return {index for index, value in zip(tested, p, strict=True) if value < LEVEL}
