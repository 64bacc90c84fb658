"""X-learner with the lasso.

Künzel, Sekhon, Bickel and Yu (2019), Metalearners for estimating heterogeneous treatment effects,
PNAS 116(10). The paper ran R's rlearner (xlasso).

Algorithm. With e = Pr(T = 1) known:
1. m_1t(x) = E[Y | x, t] by one lasso for each arm.
2. Imputed effects: y - m_10(x) of treated rows and m_11(x) - y of control rows.
3. One lasso for each arm on these gives u_1(x) and u_0(x); u(x) = (1 - e) u_1(x) + e u_0(x).

Every lasso takes the λ of least CV error over 10 folds, the same for both stages of an arm.
Validation rows stay unused.

Differences from xlasso: the folds are other random ones; the path always has 100 λ, where glmnet
stops early once the fit no longer improves; e is known, which xlasso accepts as p_hat. (The
paper prints the weights of step 3 the other way round; equal at e = 1/2.)
"""

import numpy as np
from numpy.typing import NDArray

from baselines._lasso import draw_folds, lasso_cv
from baselines.contract import Method
from twin.rows import Rows


class XLasso(Method):
    """Four lassos: the outcome of each arm, then the imputed effects of each arm."""

    name = "x-lasso"
    paper_row = "X-Learner (lasso)"
    uses_validation = False

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, y, treated = train.X.astype(np.float64), train.y.astype(float), train.treatment == 1
        arms = {1: treated, 0: ~treated}
        folds = {t: draw_folds(int(rows.sum()), rng) for t, rows in arms.items()}
        m = {t: lasso_cv(X[rows], y[rows], folds[t]) for t, rows in arms.items()}
        imputed = np.where(treated, y - m[0].predict(X), m[1].predict(X) - y)
        u = {t: lasso_cv(X[rows], imputed[rows], folds[t]) for t, rows in arms.items()}

        e = train.propensity
        self._constant = (1 - e) * u[1].intercept + e * u[0].intercept
        self._beta = (1 - e) * u[1].coef + e * u[0].coef
        self.settings_ = {
            "lambda_m11": m[1].lam,
            "lambda_m10": m[0].lam,
            "lambda_u1": u[1].lam,
            "lambda_u0": u[0].lam,
            "covariates": int(np.count_nonzero(self._beta)),
        }

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._constant + X @ self._beta
