"""DR-learner with boosted trees: a regression of doubly robust pseudo-outcomes.

Kennedy (2023), Towards optimal doubly robust estimation of heterogeneous causal effects, Electronic
Journal of Statistics 17(2); Chen and Guestrin (2016), XGBoost, KDD.

Algorithm. With e = Pr(T = 1) known:
1. m_1t(x) = Pr(Y = 1 | x, t) by boosting with logistic loss, one model for each arm.
2. The pseudo-outcome of a row is
       φ = m_11(x) - m_10(x) + (t - e) / (e (1 - e)) (y - m_1t(x)),
   whose mean given x is the uplift whatever m is, because e is right.
3. u(x) is the regression of φ on x by boosting with squared error.

No row helps to predict itself: m of a row's own arm comes from the fold that left the row out, m of
the other arm was fitted on that arm alone. Every model chooses its settings by cross-validation
inside the training rows (`boost`); validation rows stay unused.

Library: xgboost. econml's DRLearner fits one regression on (x, t) where Kennedy has one for each
arm, and estimates e, which the design of these data has fixed. causalml's DRLearner fits the
outcome on one third of the rows and the effect on another, in turns: no fit sees more than that.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class DRLearner(Method):
    """Three boosted models: the outcome of each arm, then the pseudo-outcome."""

    name = "dr-learner"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost()

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        rng = np.random.default_rng(seed)
        outcome = replace(boost, objective="binary:logistic")
        m, fits = np.empty((2, len(train))), {}
        for t in (1, 0):
            arm = train.treatment == t
            fits[t] = outcome.fit(train.X[arm], train.y[arm], rng)
            m[t, arm] = fits[t].out_of_fold()
            m[t, ~arm] = fits[t].predict(train.X[~arm])
        u = boost.fit(train.X, pseudo_outcomes(train, m), rng)
        self._booster = u.booster
        self.settings_ = {f"m1{t}": fit.settings for t, fit in fits.items()}
        self.settings_["u"] = u.settings

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        return self._booster.inplace_predict(X)


def pseudo_outcomes(rows: Rows, m: NDArray[np.float64]) -> NDArray[np.float64]:
    """φ of every row; `m[t]` are the predicted outcomes of all rows in arm t."""
    e, t = rows.propensity, rows.treatment
    residual = rows.y - np.where(t == 1, m[1], m[0])
    return m[1] - m[0] + (t - e) / (e * (1 - e)) * residual
