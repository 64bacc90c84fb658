"""Which columns the ranking rests on: what is lost when one of them is shuffled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.calibration import NO_MODEL
from suite.campaign.evaluate import THOUSAND, Evidence
from suite.campaign.inference import Estimate, ranks
from suite.campaign.procedure import Fits
from suite.campaign.segments import as_numbers

MOST = 8
SMALLEST_LEVEL = 200  # rows of a level that may be named


@dataclass(frozen=True)
class Driver:
    """A column, the area lost without it (good outcomes per 1,000), and how it points."""

    column: str
    loss: Estimate
    direction: str

    @property
    def noise(self) -> float:
        """A loss below this is what chance gives one time in twenty."""
        return 1.645 * self.loss.se


def find(
    fits: Mapping[str, Fits],
    chosen: Sequence[str],
    evidence: Evidence,
    treatment: int,
    frame: pd.DataFrame,
    sign: int,
) -> list[Driver]:
    """The columns of `frame` by their loss, the largest first.

    `chosen`: the method of each fold, chosen without it. A fold without a model ranks nobody.
    """
    rows, base, shuffled = [], [], []
    for fold, method in enumerate(chosen):
        if method == NO_MODEL:
            continue
        arrays = fits[method][(fold,)].arrays
        own = arrays["shuffled_rows"]
        inside = np.searchsorted(np.flatnonzero(evidence.folds == fold), own)
        rows.append(own)
        base.append(sign * arrays["score"][inside, treatment - 1])
        shuffled.append(sign * arrays["shuffled"][:, :, treatment - 1].astype(np.float64))
    if not rows:
        return []
    at = np.concatenate(rows)
    folds, tie = evidence.folds[at], evidence.tie[at]
    psi = evidence.psi[at, treatment - 1]
    groups = None if evidence.groups is None else evidence.groups[at]
    before = ranks(np.concatenate(base), folds, tie)
    found = []
    for column, scores in zip(frame.columns, np.concatenate(shuffled, axis=1), strict=True):
        after = ranks(scores, folds, tie)
        loss = Estimate.of(THOUSAND * psi * (after - before), groups)
        if not np.array_equal(after, before):
            points = direction(frame[column], evidence.gain[:, treatment - 1], sign)
            found.append(Driver(column, loss, points))
    return sorted(found, key=lambda driver: -driver.loss.mean)[:MOST]


def direction(column: pd.Series, gain: NDArray[np.float64], sign: int) -> str:
    """One sentence: where predicted uplift is better, with the sign of the outcome itself."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        table = pd.Series(gain).groupby(column.astype(object).to_numpy()).agg(["mean", "size"])
        table = table[table["size"] >= SMALLEST_LEVEL].sort_values("mean")
        if len(table) < 2:
            return "no level is frequent enough to name"
        low, high = table.index[0], table.index[-1]
        best, worst = ("largest", "smallest") if sign > 0 else ("lowest", "highest")
        return (
            f"{best} for {high} ({_points(sign * table['mean'].iloc[-1])}), "
            f"{worst} for {low} ({_points(sign * table['mean'].iloc[0])})"
        )
    numbers, kind = as_numbers(column)
    low, high = np.nanquantile(numbers, (1 / 3, 2 / 3))
    bottom, top = (sign * gain[rows].mean() for rows in (numbers <= low, numbers >= high))
    more, less = ("later dates", "earlier ones") if kind == "date" else ("high", "low values")
    return f"{_points(top)} for {more}, {_points(bottom)} for {less}"


def _points(effect: float) -> str:
    return f"{100 * effect:+.1f} points"
