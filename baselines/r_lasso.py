"""R-learner with the lasso.

Nie and Wager (2021), Quasi-oracle estimation of heterogeneous treatment effects, Biometrika 108(2).
The paper ran R's rlearner (rlasso).

Algorithm. With e = Pr(T = 1) known and w = t - e:
1. m(x) = E[Y | x] by the lasso; m̂ are its out-of-fold predictions at the λ of least CV error.
2. u(x) = c + z'β with z the standardised covariates minimises
       1/(2n) Σ_i (y_i - m̂_i - b0 - w_i (c + z_i'β))² + λ ||β||_1,
   c unpenalised; λ of least CV error over the same 10 folds.

Tunes itself by cross-validation inside the training rows; validation rows stay unused.

Differences from rlasso: the folds are other random ones; the path always has 100 λ, where glmnet
stops early once the fit no longer improves; e is known, which rlasso accepts as p_hat.
"""

import numpy as np
from numpy.typing import NDArray

from baselines._lasso import draw_folds, lasso_cv
from baselines.contract import Method
from twin.rows import Rows


class RLasso(Method):
    """Two lassos: outcome, then residual on residual."""

    name = "r-lasso"
    paper_row = "R-Learner (lasso)"
    uses_validation = False

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        X = train.X.astype(np.float64)
        self._mean, scale = X.mean(axis=0), X.std(axis=0, ddof=1)
        self._scale = np.where(scale > 0, scale, 1.0)
        w = (train.treatment - train.propensity)[:, None]
        folds = draw_folds(len(train), seed)
        m = lasso_cv(X, train.y, folds)
        tau = lasso_cv(
            w * self._standardised(X), train.y - m.out_of_fold, folds, free=w, standardise=False
        )
        self._constant, self._beta = float(tau.free[0]), tau.coef
        self.settings_ = {
            "lambda_m": m.lam,
            "lambda_tau": tau.lam,
            "covariates": int(np.count_nonzero(tau.coef)),
        }

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._constant + self._standardised(X) @ self._beta

    def _standardised(self, X: NDArray[np.floating]) -> NDArray[np.float64]:
        return (X - self._mean) / self._scale
