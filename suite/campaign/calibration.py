"""From scores to uplift: which method, how far apart its customers really are, and whether at all.

Scores arrive out of fold: each row was scored by a model that neither it nor the left-out outer
fold had trained or tuned. A method is chosen by the DR-loss, the squared error of the calibrated
score against the AIPW score. The line of the winner is fitted to rows that the choice did not see:
for each inner fold the choice is made again without it, and its scores are those of that choice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression

from suite.campaign.inference import covariance
from suite.campaign.model import Calibration

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

NO_MODEL = "no model"
SIGNIFICANCE = 0.05  # one-sided: a slope below 0 is no reason to tell customers apart
POWER = 0.8
ISOTONIC_ROWS = 100_000
KNOTS = 200


@dataclass(frozen=True)
class Slope:
    """The line of one treatment: psi on the standardised score."""

    b: float
    se: float
    tells: bool  # above 0 at 5 %, shared among the treatments


@dataclass(frozen=True)
class Choice:
    """What a part's procedure chose, and its calibration for each treatment."""

    method: str
    loss: dict[str, float]  # DR-loss less that of no model, per row; below 0 is better
    slopes: tuple[Slope, ...]
    calibrations: tuple[Calibration, ...]

    @property
    def tells(self) -> bool:
        """Whether customers can be told apart for at least one treatment."""
        return any(slope.tells for slope in self.slopes)


def choose(
    scores: Mapping[str, Array],
    psi: Array,
    folds: Codes,
    groups: Codes | None,
) -> Choice:
    """The procedure's choice among `scores` (n, treatments), in order from cheap to dear."""
    z, moments = _standardised(scores, folds)
    target = _centred(psi, folds)
    loss = {name: _loss(values, target) for name, values in z.items()}
    method = _best(loss)
    crossed = np.zeros_like(psi)
    for fold in np.unique(folds):
        inside, others = folds == fold, folds != fold
        name = _best({m: _loss(values[others], target[others]) for m, values in z.items()})
        if name != NO_MODEL:
            crossed[inside] = z[name][inside]
    slopes = _slopes(crossed, target, groups)
    mean = psi.mean(axis=0)
    calibrations = []
    for a, slope in enumerate(slopes):
        if method == NO_MODEL or not slope.tells:
            calibrations.append(Calibration(intercept=float(mean[a]), slope=0.0))
            continue
        centre, spread = (float(moment[a]) for moment in moments[method])
        if len(psi) > ISOTONIC_ROWS:
            curve = _rising(crossed[:, a], target[:, a], slope.b, centre, spread, float(mean[a]))
            calibrations.append(curve)
        else:
            calibrations.append(Calibration(float(mean[a]), slope.b / spread, centre))
    if not any(slope.tells for slope in slopes):
        method = NO_MODEL
    return Choice(method, loss, slopes, tuple(calibrations))


def single(score: Array, psi: Array, folds: Codes) -> tuple[Calibration, ...]:
    """The lines of one method alone, tested or not; a method that ranks wrongly keeps its order.

    For comparing methods: a slope of 0 would hide how they rank.
    """
    z, moments = _standardised({"": score}, folds)
    slopes = _slopes(z[""], _centred(psi, folds), None)
    centre, spread = moments[""]
    return tuple(
        Calibration(
            float(psi[:, a].mean()), max(slope.b, 1e-9) / float(spread[a]), float(centre[a])
        )
        for a, slope in enumerate(slopes)
    )


def _standardised(
    scores: Mapping[str, Array], folds: Codes
) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]]]:
    """Scores less their fold's mean in units of their spread, and (mean, spread) of each method.

    Two methods that rank alike may differ tenfold in scale; in these units a choice that changes
    between folds still means one line.
    """
    z, moments = {}, {}
    for name, values in scores.items():
        centred = _centred(values, folds)
        spread = centred.std(axis=0)
        flat = spread <= 1e-12 * (1 + np.abs(values).max(axis=0))
        spread = np.where(flat, 1.0, spread)
        z[name] = np.where(flat, 0.0, centred / spread)
        moments[name] = values.mean(axis=0), spread
    return z, moments


def _centred(values: Array, folds: Codes) -> Array:
    centred = np.array(values, dtype=np.float64)
    for fold in np.unique(folds):
        centred[folds == fold] -= centred[folds == fold].mean(axis=0)
    return centred


def _loss(z: Array, target: Array) -> float:
    """DR-loss of the best line through the score less that of none, with its one degree paid.

    A line fitted to n rows looks better by sigma^2 / n than it is and is worse by as much.
    """
    total = 0.0
    for x, y in zip(z.T, target.T, strict=True):
        sxx, sxy = float(x @ x), float(x @ y)
        if sxx > 0 and sxy > 0:
            total += (2 * float(y @ y) / len(y) - sxy**2 / sxx) / len(y)
    return total


def _best(loss: Mapping[str, float]) -> str:
    """The smallest loss, the cheaper of two equals; no model where none is below 0."""
    name = min(loss, key=loss.__getitem__, default=NO_MODEL)
    return name if loss and loss[name] < 0 else NO_MODEL


def _slopes(z: Array, target: Array, groups: Codes | None) -> tuple[Slope, ...]:
    found: list[Slope] = []
    for x, y in zip(z.T, target.T, strict=True):
        sxx = float(x @ x)
        if sxx <= 0:
            found.append(Slope(0.0, 0.0, tells=False))
            continue
        b = float(x @ y) / sxx
        influence = x * (y - b * x) * len(x) / sxx
        se = float(np.sqrt(covariance(influence, groups)[0, 0]))
        needed = norm.ppf(1 - SIGNIFICANCE / target.shape[1])
        found.append(Slope(max(b, 0.0), se, tells=bool(b > needed * se)))
    return tuple(found)


def _rising(z: Array, target: Array, b: float, centre: float, spread: float, mean: float):
    """With many rows: a rising curve instead of a line, in the units of the score."""
    curve = IsotonicRegression(out_of_bounds="clip").fit(z, target)
    knots = np.unique(np.quantile(z, np.linspace(0, 1, KNOTS)))
    values = mean + curve.predict(knots)
    if len(knots) < 2:
        return Calibration(mean, b / spread, centre)
    return Calibration(knots=tuple(centre + spread * knots), values=tuple(values))


def rows_needed(psi: Array, effect: float) -> int | None:
    """Rows to see the better half of customers exceed the worse by half the average effect.

    One-sided test at 5 % with 80 % power; the two halves' means differ with standard error
    2 sd(psi) / sqrt(n). None where the average effect is nil.
    """
    if effect == 0:
        return None
    quantiles = norm.ppf(1 - SIGNIFICANCE) + norm.ppf(POWER)
    return int(np.ceil((quantiles * 2 * float(psi.std()) / (abs(effect) / 2)) ** 2))


def smallest_difference(psi: Array) -> float:
    """The difference between the better and the worse half that this many rows can show."""
    quantiles = norm.ppf(1 - SIGNIFICANCE) + norm.ppf(POWER)
    return float(quantiles * 2 * psi.std() / np.sqrt(len(psi)))


def apply(calibrations: Sequence[Calibration], score: Array) -> Array:
    """Uplift (n, treatments) of scores of the same shape."""
    return np.column_stack([c(score[:, a]) for a, c in enumerate(calibrations)])
