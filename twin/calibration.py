"""Calibrated uplift: predictions that are as large as the effects they stand for.

A model may rank well and still promise too much. `calibrate(model, X, y, treatment)` corrects it on
rows that it was neither fitted nor chosen on, without changing the order of two customers by more
than the correction says:

likelihood   logit Pr(y = 1 | x, t) = a + b f + (t - c)(g + h d), where f and d come from the
             model's own outcomes: four numbers by maximum likelihood; needs `predict_outcomes`.
line         uplift = a + b score, by regression of doubly robust scores (AIPW) on the prediction.
isotonic     a rising curve through the same doubly robust scores; for many rows.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from twin import checks

Floats = NDArray[np.float64]
ISOTONIC_ROWS = 100_000  # from here on a curve is estimated well enough
CLIP = 1e-6  # outcomes nearer to 0 or 1 count as this far from it
METHODS = ("likelihood", "line", "isotonic")


class Predicts(Protocol):
    """Anything with one uplift for each row."""

    def predict(self, X: Any) -> Any: ...


@dataclass(frozen=True)
class Calibration:
    """A correction, apart from the model: `state` is plain numbers, `from_state` reads them.

    numbers: likelihood (a, b, g, h, c); line (a, b); isotonic the scores of the curve's knots,
    followed by their uplifts.
    """

    method: str
    numbers: tuple[float, ...]

    def apply(self, score: Any, outcomes: Any = None) -> Floats:
        """Calibrated uplift of predicted uplifts (or, for likelihood, of predicted outcomes)."""
        if self.method == "likelihood":
            if outcomes is None:
                raise ValueError("a likelihood calibration needs outcomes, shape (n, 2)")
            f, d = split_logits(outcomes, self.numbers[4])
            corrected = calibrated_outcomes(f, d, *self.numbers)
            return corrected[:, 1] - corrected[:, 0]
        score = checks.finite_scores(score, "score")
        if self.method == "line":
            return self.numbers[0] + self.numbers[1] * score
        half = len(self.numbers) // 2
        return np.interp(score, self.numbers[:half], self.numbers[half:])

    def state(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {"method": self.method, "numbers": list(self.numbers)}

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """The calibration that `state` described; anything else is an error."""
        try:
            method, numbers = state["method"], tuple(float(v) for v in state["numbers"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not the state of a calibration: {state!r:.80} ({error})") from None
        half = len(numbers) // 2
        sizes = {"likelihood": len(numbers) == 5, "line": len(numbers) == 2}
        sizes["isotonic"] = half > 0 and len(numbers) == 2 * half
        if not sizes.get(method) or not np.isfinite(numbers).all():
            raise ValueError(f"not the state of a calibration: {state!r:.80}")
        if method == "isotonic" and np.any(np.diff(numbers[:half]) <= 0):
            raise ValueError("the knots of an isotonic calibration must rise")
        return cls(method, numbers)


@dataclass(frozen=True)
class CalibratedModel:
    """A model with its correction."""

    model: Predicts
    calibration: Calibration

    def predict(self, X: Any) -> Floats:
        """Calibrated uplift, one number for each row."""
        if self.calibration.method == "likelihood":
            return self.calibration.apply(None, self.model.predict_outcomes(X))
        return self.calibration.apply(np.asarray(self.model.predict(X), dtype=np.float64))


def calibrate(
    model: Predicts,
    X: Any,
    y: Any,
    treatment: Any,
    *,
    method: Literal["auto", "likelihood", "line", "isotonic"] = "auto",
    propensity: float | str = "estimate",
) -> CalibratedModel:
    """`model` with the correction that the rows X, y, treatment ask for.

    The rows must be new to the model: neither fitted on, nor used to stop or to choose it.
    "auto" is isotonic from 100,000 rows on; below, likelihood where the model predicts outcomes
    and a line otherwise. `propensity` is Pr(T = 1), the same for all rows, or "estimate" for the
    share of treated rows; likelihood does not need it.
    """
    able = hasattr(model, "predict_outcomes")
    if method == "likelihood" and not able:
        raise ValueError(
            f"method is 'likelihood', but {type(model).__name__} has no predict_outcomes; "
            "give method='line'"
        )
    y = checks.binary_labels(y, "y")
    if method == "auto":
        method = "likelihood" if able else "line"
        method = "isotonic" if len(y) >= ISOTONIC_ROWS else method
    outcomes = model.predict_outcomes(X) if method == "likelihood" else None
    score = None if method == "likelihood" else model.predict(X)
    found = calibrate_scores(
        score, y, treatment, method=method, outcomes=outcomes, propensity=propensity
    )
    return CalibratedModel(model, found)


def calibrate_scores(
    score: Any,
    y: Any,
    treatment: Any,
    *,
    method: str = "line",
    outcomes: Any = None,
    propensity: float | str = "estimate",
) -> Calibration:
    """The same from predictions that are at hand, such as out-of-fold ones."""
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")
    y, t = checks.binary_labels(y, "y"), checks.binary_labels(treatment, "treatment")
    checks.same_length(y=y, treatment=t)
    checks.both_arms(t)
    share = float(t.mean())
    if isinstance(propensity, str) and propensity != "estimate":
        raise ValueError(f"propensity is {propensity!r}; give a number or 'estimate'")
    e = share if propensity == "estimate" else checks.propensity_value(propensity)
    if method == "likelihood":
        checks.same_length(y=y, outcomes=outcomes)
        f, d = split_logits(outcomes, share)
        return Calibration(method, (*four_numbers(f, d, t - share, y, np.ones(len(y))), share))
    score = checks.finite_scores(score, "score")
    checks.same_length(y=y, score=score)
    effect = doubly_robust(score, y, t, e)
    if method == "isotonic":
        return Calibration(method, _curve(score, effect))
    centred = score - score.mean()
    spread = float(centred @ centred)
    # A falling line would reverse the ranking: then nothing but the average effect is left.
    slope = max(float(centred @ effect) / spread, 0.0) if spread > 0 else 0.0
    return Calibration(method, (float(effect.mean() - slope * score.mean()), slope))


def doubly_robust(score: Floats, y: NDArray[np.int8], t: NDArray[np.int8], e: float) -> Floats:
    """An unbiased estimate of each row's effect (AIPW), the outcome of an arm being a line in the
    score: m_1 - m_0 + t (y - m_1) / e - (1 - t) (y - m_0) / (1 - e)."""
    m = np.empty((2, len(y)))
    for arm in (0, 1):
        rows = t == arm
        centre = score[rows].mean()
        spread = np.sum((score[rows] - centre) ** 2)
        slope = np.sum((score[rows] - centre) * y[rows]) / spread if spread > 0 else 0.0
        m[arm] = y[rows].mean() + slope * (score - centre)
    return m[1] - m[0] + t * (y - m[1]) / e - (1 - t) * (y - m[0]) / (1 - e)


def _curve(score: Floats, effect: Floats) -> tuple[float, ...]:
    """Isotonic regression, drawn through the middle of its steps: ties only beyond the ends."""
    from sklearn.isotonic import isotonic_regression

    values, group = np.unique(score, return_inverse=True)
    count = np.bincount(group)
    steps = isotonic_regression(np.bincount(group, weights=effect) / count, sample_weight=count)
    level, step = np.unique(steps, return_inverse=True)
    weight = np.bincount(step, weights=count)
    centre = np.bincount(step, weights=count * values) / weight
    return (*centre.tolist(), *level.tolist())


def split_logits(outcomes: Any, c: float) -> tuple[Floats, Floats]:
    """f and d of predicted outcomes: logit m_t = f + (t - c) d."""
    outcomes = np.asarray(outcomes, dtype=np.float64)
    if outcomes.ndim != 2 or outcomes.shape[1] != 2 or not np.isfinite(outcomes).all():
        raise ValueError(f"outcomes has shape {outcomes.shape}; give finite (n, 2) probabilities")
    if outcomes.min() < 0 or outcomes.max() > 1:
        raise ValueError("outcomes must be probabilities, from 0 to 1")
    clipped = np.clip(outcomes, CLIP, 1 - CLIP)
    control, treated = np.log(clipped / (1 - clipped)).T
    return control + c * (treated - control), treated - control


def four_numbers(
    f: Floats, d: Floats, s: Floats, y: NDArray[np.number], weight: Floats
) -> tuple[float, float, float, float]:
    """(a, b, g, h) of logit = a + b f + s (g + h d) by maximum likelihood (Newton).

    One row's worth of ridge towards (0, 1, 0, 1), no correction, keeps it finite for any rows.
    h below 0 would reverse the ranking; then h = 0.
    """
    neutral, number = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    columns = (np.ones(len(f)), f, s, s * d)
    free = [0, 1, 2, 3]
    while True:
        for _ in range(50):
            logit = sum(number[k] * columns[k] for k in range(4))
            m = 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
            first, second = weight * (m - y), weight * m * (1 - m)
            # numpy's own sums, not BLAS: the same on any number of threads
            gradient = np.array([np.sum(first * columns[k]) for k in free])
            gradient += (number - neutral)[free]
            hessian = np.eye(len(free))
            for a, k in enumerate(free):
                for b, q in enumerate(free[: a + 1]):
                    hessian[a, b] += np.sum(second * columns[k] * columns[q])
                    hessian[b, a] = hessian[a, b]
            step = np.linalg.solve(hessian, gradient)
            largest = np.abs(step).max()
            number[free] -= step * min(1.0, 1.0 / max(largest, 1e-300))
            if largest < 1e-8:
                break
        if number[3] >= 0:
            return tuple(number.tolist())
        number, free = np.array([0.0, 1.0, 0.0, 0.0]), [0, 1, 2]


def calibrated_outcomes(
    f: Floats, d: Floats, a: float, b: float, g: float, h: float, c: float
) -> Floats:
    """Pr(Y = 1 | x, t), shape (n, 2): control, treated."""
    base, effect = a + b * f, g + h * d
    logits = np.column_stack([base - c * effect, base + (1 - c) * effect])
    return 1 / (1 + np.exp(-np.clip(logits, -700, 700)))
