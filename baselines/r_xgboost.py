"""R-learner with XGBoost.

Nie and Wager (2021), Quasi-oracle estimation of heterogeneous treatment effects, Biometrika 108(2);
Chen and Guestrin (2016), XGBoost, KDD. The paper ran R's rlearner (rboost).

Algorithm. With e = Pr(T = 1) known and w = t - e:
1. m(x) = E[Y | x] by boosting; m̂ are its out-of-fold predictions.
2. u minimises Σ_i (y_i - m̂_i - w_i u(x_i))² by boosting, which is least squares of the
   pseudo-outcome (y - m̂) / w with weights w².

Both stages tune themselves by cross-validation inside the training rows; validation rows stay
unused.

Differences from rboost: a smaller search (see `boost.py`); e is known, which rboost accepts as
p_hat; the constant that boosting starts from is the mean, where xgboost of the time had 1/2.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class RXGBoost(Method):
    """Two boosted models: outcome, then residual on residual."""

    name = "r-xgboost"
    paper_row = "R-Learner (XGboost)"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost()

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        rng = np.random.default_rng(seed)
        w = train.treatment - train.propensity
        m = boost.fit(train.X, train.y, rng)
        tau = boost.fit(train.X, (train.y - m.out_of_fold()) / w, rng, weight=w**2)
        self._booster = tau.booster
        self.settings_ = {"m": m.settings, "tau": tau.settings}

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        return self._booster.inplace_predict(X)
