"""The whole procedure, in every outer fold and on all rows.

Outer fold k is scored by a procedure that has not seen it: models and their tuning, the choice
among methods and its calibration all come from the other folds. The headline is the procedure's,
not the winner's, so that choosing costs no bias.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suite.campaign.calibration import NO_MODEL, Choice, apply, choose, single
from suite.campaign.model import Calibration
from suite.campaign.scores import aipw
from suite.campaign.store import Result

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Fits = Mapping[tuple[int, ...], Result]


@dataclass(frozen=True)
class Crossed:
    """Numbers of every row by fits that left it out: alone, and together with outer fold k."""

    outer: Array  # (n, columns)
    inner: tuple[Array, ...]  # for each outer fold k; NaN in the rows of k

    @classmethod
    def of(cls, fits: Fits, name: str, folds: Codes) -> "Crossed":
        """From the arrays `name` of the results; their rows are in the order of the file."""
        k = int(folds.max()) + 1
        width = fits[(0,)].arrays[name].shape[1]
        outer = np.empty((len(folds), width))
        inner = tuple(np.full((len(folds), width), np.nan) for _ in range(k))
        for out, result in fits.items():
            values, rows = result.arrays[name], np.flatnonzero(np.isin(folds, out))
            if len(out) == 1:
                outer[rows] = values
                continue
            for own, other in (out, out[::-1]):  # rows of `own`, for the part without `other`
                mine = folds[rows] == own
                inner[other][rows[mine]] = values[mine]
        return cls(outer, inner)

    def map(self, function) -> "Crossed":
        """The same function of all arrays, NaN where they are."""
        return Crossed(function(self.outer), tuple(function(part) for part in self.inner))


@dataclass(frozen=True)
class Outcome:
    """What the procedure says about every row that it had not seen, and its final choice."""

    psi: Array  # (n, treatments) AIPW scores in good outcomes
    gain: Array  # (n, treatments) calibrated uplift in good outcomes, out of fold
    choices: tuple[Choice, ...]  # by outer fold
    final: Choice
    by_method: dict[str, Array]  # the same as `gain` for each method alone


def scores_of(
    means: Fits, name: str, y: Array, arm: Codes, e: Array, folds: Codes, sign: int
) -> Crossed:
    """AIPW scores from cross-fitted outcome means, with the sign of a good outcome."""
    return Crossed.of(means, name, folds).map(lambda mu: sign * aipw(y, arm, mu, e))


def run(
    fits: Mapping[str, Fits], psi: Crossed, folds: Codes, groups: Codes | None, sign: int
) -> Outcome:
    """The procedure in all outer folds and on all rows; `fits` in order from cheap to dear."""
    crossed = {
        name: Crossed.of(found, "score", folds).map(lambda score: sign * score)
        for name, found in fits.items()
    }
    gain = np.empty_like(psi.outer)
    by_method = {name: np.empty_like(gain) for name in crossed}
    choices = []
    for k in range(int(folds.max()) + 1):
        inside, outside = folds == k, folds != k
        part = {name: c.inner[k][outside] for name, c in crossed.items()}
        own = None if groups is None else groups[outside]
        target = psi.inner[k][outside]
        choice = choose(part, target, folds[outside], own)
        choices.append(choice)
        score = (
            np.zeros_like(psi.outer)
            if choice.method == NO_MODEL
            else (crossed[choice.method].outer)
        )
        gain[inside] = apply(choice.calibrations, score[inside])
        for name, c in crossed.items():
            lines = single(part[name], target, folds[outside])
            by_method[name][inside] = apply(lines, c.outer[inside])
    final = choose({name: c.outer for name, c in crossed.items()}, psi.outer, folds, groups)
    return Outcome(psi.outer, gain, tuple(choices), final, by_method)


def of_outcome(calibration: Calibration, sign: int) -> Calibration:
    """The calibration in terms of the outcome itself, where a good outcome is its absence."""
    if sign > 0:
        return calibration
    if calibration.knots:
        knots = tuple(-k for k in reversed(calibration.knots))
        return Calibration(knots=knots, values=tuple(-v for v in reversed(calibration.values)))
    return Calibration(-calibration.intercept, calibration.slope, -calibration.centre)
