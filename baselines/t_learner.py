"""T-learner with boosted trees: one model of the outcome for each arm.

Künzel, Sekhon, Bickel and Yu (2019), Metalearners for estimating heterogeneous treatment effects,
PNAS 116(10); in marketing the "two-model approach": Hansotia and Rukstales (2002), Incremental
value modeling, Journal of Interactive Marketing 16(3). Chen and Guestrin (2016), XGBoost, KDD.

Algorithm. Boosted trees of y on x with logistic loss, in each arm alone, give m_11(x) and m_10(x);
u(x) = m_11(x) - m_10(x). Each arm's settings are chosen by cross-validation inside its training
rows (`boost`); validation rows stay unused.

Library: xgboost. causalml's BaseTClassifier with the same two boosters predicts the same numbers (a
test shows it), but takes one setting for both arms unless it is built around two learners, and
econml's TLearner takes regressions, which would predict rates by squared error.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class TLearner(Method):
    """Two boosted models and their difference."""

    name = "t-learner"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost(objective="binary:logistic")

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        rng = np.random.default_rng(seed)
        fits = {}
        for t in (1, 0):
            arm = train.treatment == t
            fits[t] = boost.fit(train.X[arm], train.y[arm], rng)
        self._boosters = {t: fit.booster for t, fit in fits.items()}
        self.settings_ = {f"m1{t}": fit.settings for t, fit in fits.items()}

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        m = {t: booster.inplace_predict(X) for t, booster in self._boosters.items()}
        return m[1].astype(np.float64) - m[0]
