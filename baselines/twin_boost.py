"""TwinBoost: boosted lines and small trees for a base and an effect; not in the paper.

Model. logit Pr(Y = 1 | x, t) = f(x) + (t - c) d(x), f and d each a sum of lines and small trees on
binned covariates, by cyclic Newton boosting of the likelihood (`twin.TwinBoost`, docs/boost.md).
The number of rounds and all choices (c, depths, lines, covariates of each head) are by the
likelihood of the validation rows; members are fitted on folds of the training rows, and the
calibration is by training rows that a member was not fitted on.
"""

import time

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin import TwinBoost as Model
from twin.rows import Rows

QUICK_MEMBERS = 2


class TwinBoost(Method):
    """The mean of five members, calibrated."""

    name = "twin-boost"

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        start = time.perf_counter()
        self._model = Model(random_state=seed, threads=self.threads)
        if self.quick:
            self._model.members = QUICK_MEMBERS
        self._model.fit(
            train.X, train.y, train.treatment, validation=(valid.X, valid.y, valid.treatment)
        )
        self.settings_ = {**self._model.choices_, "calibration": self._model.calibration_}
        # Choosing and fitting are one computation on both kinds of rows.
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._model.predict(X)
