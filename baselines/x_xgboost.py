"""X-learner with XGBoost.

Künzel, Sekhon, Bickel and Yu (2019), Metalearners for estimating heterogeneous treatment effects,
PNAS 116(10); Chen and Guestrin (2016), XGBoost, KDD. The paper ran R's rlearner (xboost).

Algorithm. With e = Pr(T = 1) known:
1. m_1t(x) = E[Y | x, t] by boosting, one model for each arm.
2. Imputed effects: y - m_10(x) of treated rows and m_11(x) - y of control rows.
3. Boosting these, one model for each arm, gives u_1(x) and u_0(x);
   u(x) = (1 - e) u_1(x) + e u_0(x).

All four models tune themselves by cross-validation inside the training rows; validation rows stay
unused.

Differences from xboost: a smaller search (see `boost.py`); e is known, which xboost accepts as
p_hat; the constant that boosting starts from is the mean, where xgboost of the time had 1/2.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class XXGBoost(Method):
    """Four boosted models: the outcome of each arm, then the imputed effects of each arm."""

    name = "x-xgboost"
    paper_row = "X-Learner (XGboost)"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost()

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        rng = np.random.default_rng(seed)
        X, y, treated = train.X, train.y.astype(float), train.treatment == 1
        arms = {1: treated, 0: ~treated}
        m = {t: boost.fit(X[rows], y[rows], rng) for t, rows in arms.items()}
        imputed = np.where(treated, y - m[0].predict(X), m[1].predict(X) - y)
        u = {t: boost.fit(X[rows], imputed[rows], rng) for t, rows in arms.items()}
        self._boosters = {t: fit.booster for t, fit in u.items()}
        self._e = train.propensity
        self.settings_ = {f"m1{t}": fit.settings for t, fit in m.items()}
        self.settings_ |= {f"u{t}": fit.settings for t, fit in u.items()}

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        u = {t: booster.inplace_predict(X) for t, booster in self._boosters.items()}
        return (1 - self._e) * u[1] + self._e * u[0]
