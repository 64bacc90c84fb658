"""The gaussian lasso with cross-validation, following glmnet (Friedman et al. 2010).

minimise over (b0, b, g):  1/(2n) ||y - b0 - F g - X b||^2 + λ Σ_j |b_j|

with F a few free (unpenalised) columns. The intercept and F are projected out of y and X, which
leaves a plain lasso for scikit-learn's coordinate descent on the Gram matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import lasso_path

Array = NDArray[np.float64]

N_LAMBDAS = 100
SMALLEST_LAMBDA = 1e-4  # relative to the smallest λ that gives b = 0
TOLERANCE = 1e-10  # duality gap relative to ||y||^2: order of columns moves predictions by < 1e-6


@dataclass(frozen=True)
class LassoFit:
    """The fit at the λ of least cross-validated squared error."""

    intercept: float
    free: Array  # g
    coef: Array  # b, on the scale of the given columns
    lam: float
    lambdas: Array
    cv_error: Array  # mean squared error a λ
    out_of_fold: Array  # predictions of every row by the fits that left its fold out, at `lam`

    def predict(self, X: Array) -> Array:
        """b0 + X b, for a fit without free columns."""
        return self.intercept + X @ self.coef


def draw_folds(n: int, seed: int | np.random.Generator, n_folds: int = 10) -> NDArray[np.intp]:
    """A shuffled fold number for each row; folds of at least 4 rows, as in rlearner."""
    n_folds = int(max(3, min(n_folds, n // 4)))
    return np.random.default_rng(seed).permutation(np.arange(n) % n_folds)


def lasso_cv(
    X: Array,
    y: Array,
    folds: NDArray[np.intp],
    *,
    free: Array | None = None,
    standardise: bool = True,
) -> LassoFit:
    """Lasso of `y` on `X` at the λ that cross-validation over `folds` chooses.

    `standardise` puts the penalty on the columns' standard deviations, in each fold anew, as
    glmnet does by default.
    """
    X, y = np.asarray(X, np.float64), np.asarray(y, np.float64)
    F = np.empty((len(y), 0)) if free is None else np.asarray(free, np.float64).reshape(len(y), -1)

    lambdas, (b0, g, b) = _path(X, F, y, standardise)
    fold_numbers = np.unique(folds)
    squared_error = np.zeros(len(lambdas))
    fold_fits = []
    for fold in fold_numbers:
        test = folds == fold
        _, fit = _path(X[~test], F[~test], y[~test], standardise, lambdas)
        fold_fits.append(fit)
        squared_error += ((_at(fit, X[test], F[test]) - y[test, None]) ** 2).sum(axis=0)
    best = int(np.argmin(squared_error))
    out_of_fold = np.empty(len(y))
    for fold, fit in zip(fold_numbers, fold_fits, strict=True):
        test = folds == fold
        out_of_fold[test] = _at(tuple(part[..., best] for part in fit), X[test], F[test])
    return LassoFit(
        intercept=float(b0[best]),
        free=g[:, best],
        coef=b[:, best],
        lam=float(lambdas[best]),
        lambdas=lambdas,
        cv_error=squared_error / len(y),
        out_of_fold=out_of_fold,
    )


def _at(fit: tuple[Array, Array, Array], X: Array, F: Array) -> Array:
    """Predictions b0 + F g + X b."""
    b0, g, b = fit
    return b0 + F @ g + X @ b


def _path(
    X: Array, F: Array, y: Array, standardise: bool, lambdas: Array | None = None
) -> tuple[Array, tuple[Array, Array, Array]]:
    """λs and the coefficients (b0, g, b) along them, one column a λ."""
    n = len(y)
    x_mean, f_mean, y_mean = X.mean(axis=0), F.mean(axis=0), y.mean()
    scale = X.std(axis=0) if standardise else np.ones(X.shape[1])
    scale[scale == 0] = np.inf  # a constant column gets the coefficient 0
    Z, Fc, r = (X - x_mean) / scale, F - f_mean, y - y_mean
    # Project the free columns out of both sides (Frisch-Waugh-Lovell).
    onto_free = np.linalg.lstsq(Fc, np.column_stack([Z, r]), rcond=None)[0]
    Z = Z - Fc @ onto_free[:, :-1]
    r = r - Fc @ onto_free[:, -1]

    gram, xy = Z.T @ Z, Z.T @ r
    if lambdas is None:
        largest = max(np.abs(xy).max() / n, np.finfo(np.float64).tiny)
        lambdas = largest * np.logspace(0, np.log10(SMALLEST_LAMBDA), N_LAMBDAS)
    _, beta, _ = lasso_path(
        np.asfortranarray(Z),
        r,
        alphas=lambdas,
        precompute=gram,
        Xy=xy,
        tol=TOLERANCE,
        max_iter=100_000,
        check_input=False,
    )
    b = beta / scale[:, None]
    g = onto_free[:, -1:] - onto_free[:, :-1] @ beta
    b0 = y_mean - x_mean @ b - f_mean @ g
    return lambdas, (b0, g, b)
