"""A fitted campaign model: encoder, one method for each treatment, calibration, decision."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from baselines import Method
from suite.campaign.encode import Encoder

CHUNK = 20_000  # rows encoded at a time, so that memory stays level


@dataclass(frozen=True)
class Calibration:
    """From a method's score to uplift: a line, or a rising curve through knots.

    Line: intercept + slope (score - centre). Curve: straight between knots, flat beyond them.
    """

    intercept: float = 0.0
    slope: float = 1.0
    centre: float = 0.0
    knots: tuple[float, ...] = ()
    values: tuple[float, ...] = ()

    def __call__(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.knots:
            return np.interp(score, self.knots, self.values)
        return self.intercept + self.slope * (score - self.centre)


@dataclass(frozen=True)
class Decision:
    """Whom to treat.

    "net": the arm with the largest value x uplift - cost, if that is above 0; "top": the best by
    net gain within `budget`; "arm": everybody gets `arm`; "nobody"; "ranking": no price and no
    budget, nothing is decided.
    """

    rule: Literal["net", "top", "arm", "nobody", "ranking"]
    value: float | str | None = None  # a text names a column
    costs: tuple[float | str, ...] = ()  # by treatment, in the order of arms[1:]
    budget: str | None = None  # "5000", "20%" or "12000 EUR"
    share: float | None = None  # the share of the campaign's customers the rule treats
    arm: str | None = None


@dataclass(frozen=True)
class Assignment:
    """What the arms of the campaign were drawn by: `kind` as in `Fairness.propensity`.

    `columns` are those of strata, or the column of probabilities. An old bundle does not say.
    """

    kind: str = "unknown"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """What `model.uplift` holds. `uplift` is the effect on the outcome, good or bad."""

    encoder: Encoder
    methods: tuple[Method, ...]  # one for each treatment
    calibrations: tuple[Calibration, ...]
    decision: Decision
    arms: tuple[str, ...]
    outcome_name: str
    outcome_value: str
    arm_name: str
    id_name: str | None
    lower_is_better: bool
    source: dict[str, Any]  # name, sha256, rows, ...
    propensity: tuple[float, ...]  # shares by arm
    headline: dict[str, Any] = field(default_factory=dict)  # e.g. profit: {mean, low, high}
    assignment: Assignment = Assignment()

    def uplift(self, frame: pd.DataFrame, as_of: str | None = None) -> NDArray[np.float64]:
        """Calibrated uplift, (rows, treatments), of typed covariates; `as_of` as in the encoder."""
        result = np.empty((len(frame), len(self.methods)))
        for start in range(0, len(frame), CHUNK):
            X = self.encoder.transform(frame.iloc[start : start + CHUNK], as_of)
            pairs = zip(self.methods, self.calibrations, strict=True)
            for k, (method, calibrate) in enumerate(pairs):
                result[start : start + CHUNK, k] = calibrate(method.predict(X))
        return result
