"""S-learner with boosted trees: one model of the outcome with the treatment as a covariate.

Künzel, Sekhon, Bickel and Yu (2019), Metalearners for estimating heterogeneous treatment effects,
PNAS 116(10), name it; Hill (2011), Bayesian nonparametric modeling for causal inference, Journal of
Computational and Graphical Statistics 20(1), has the idea; Chen and Guestrin (2016), XGBoost, KDD.

Algorithm. Boosted trees of y on (t, x) with logistic loss give m(x, t); u(x) = m(x, 1) - m(x, 0).
Settings are chosen by cross-validation inside the training rows (`boost`); validation rows stay
unused.

Library: xgboost. causalml's BaseSClassifier with the same booster predicts the same numbers (a test
shows it), so nothing is gained by importing it; econml's SLearner takes a regression, which would
predict rates by squared error.

Known weakness: the treatment is one column of many. A tree splits on it only where that pays more
than any split on x, so that small effects are predicted as exactly 0 for many rows.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class SLearner(Method):
    """One boosted model, asked twice."""

    name = "s-learner"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost(objective="binary:logistic")

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        rng = np.random.default_rng(seed)
        fit = boost.fit(_with(train.X, train.treatment), train.y, rng)
        self._booster, self.settings_ = fit.booster, fit.settings

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        control, treated = (
            self._booster.inplace_predict(_with(X, np.full(len(X), t))) for t in (0, 1)
        )
        return treated.astype(np.float64) - control


def _with(X: NDArray[np.float32], treatment: NDArray[np.integer]) -> NDArray[np.float32]:
    """The covariates with the treatment as first column."""
    return np.column_stack([treatment.astype(np.float32), X])
