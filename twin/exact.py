"""TwinPath: the interaction model Twin_mu optimised exactly instead of by SGD.

Minimises loss(theta) + lambda ||theta||_1 on all training rows by accelerated proximal gradient
(Beck and Teboulle, 2009, with the restarts of O'Donoghue and Candes, 2015) along a path of
lambdas, each started from the solution before, and keeps the lambda with the best q_adj on
validation rows. With `refit=True` the weights that survive at each lambda are estimated again
without penalty: selection without shrinkage.
"""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from twin import _kernels, checks
from twin.base import UpliftEstimator, all_or_nothing
from twin.estimator import named_coefficients
from twin.losses import is_augmented
from twin.network import Network
from twin.qini import scores_of_checked
from twin.rows import Rows
from twin.trainer import Scaler

Vector = NDArray[np.float64]
SMALLEST = 0.005  # the last lambda of the path as a share of the first
STEPS = 500  # at most, for one lambda
TOLERANCE = 1e-5  # largest move of a weight in one step that counts as converged


class TwinPath(UpliftEstimator):
    """Twin_mu along a path of lambdas, selected by validation q_adj.

    Parameters
    ----------
    loss, propensity : as in `TwinUplift`.
    n_lambdas : how many, evenly spaced on the log scale, from the smallest lambda that sets all
        weights to zero down to 0.5 per cent of it.
    refit : estimate the surviving weights again without penalty.
    random_state : only for drawing validation rows when a fraction is given.

    Attributes
    ----------
    best_lambda_, best_score_ (validation q_adj), results_ (one row per lambda), coef_.
    """

    def __init__(
        self,
        loss: str = "uplift",
        n_lambdas: int = 14,
        refit: bool = False,
        propensity: float | str = 0.5,
        random_state: int | None = None,
    ) -> None:
        self.loss = loss
        self.n_lambdas = n_lambdas
        self.refit = refit
        self.propensity = propensity
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any, treatment: Any, validation: Any = 0.3) -> Self:
        """Fit on rows X, y, treatment; `validation` = (X, y, treatment) or a fraction."""
        if validation is None:
            raise ValueError("validation is None; the path needs (X, y, treatment) or a fraction")
        count = checks.whole_number(self.n_lambdas, "n_lambdas", 2)
        is_augmented(self.loss)
        train, valid = self._check_fit_input(X, y, treatment, validation)
        self.scaler_ = Scaler.of(train.X)
        problem = Problem(self.scaler_.standardised(train.X), train, self.propensity_, self.loss)
        valid_X = self.scaler_.standardised(valid.X)
        best, results = None, []
        with threadpool_limits(1):
            path = problem.path(count)
            if self.refit:
                path = [(lam, problem.refit(theta)) for lam, theta in path]
        for lam, theta in path:
            network = problem.network(theta)
            uplift = network.uplift(valid_X)
            score = float(scores_of_checked(valid.y, uplift, valid.treatment).q_adj)
            weights = int(np.count_nonzero(theta[1:]))
            results.append({"lambda": lam, "valid_q_adj": score, "weights": weights})
            if best is None or score > best[0]:
                best = score, lam, network
        self.best_score_, self.best_lambda_, network = best
        self.networks_ = (network,)
        self.results_ = pd.DataFrame(results)
        return self

    @property
    def coef_(self) -> pd.Series:
        """Coefficients of the interaction model in the units of X, by name."""
        self._check_fitted()
        return named_coefficients(self)


class Problem:
    """The penalised loss on standardised rows; theta = (theta_o, main, interactions, treatment)."""

    def __init__(self, X: NDArray[np.float32], rows: Rows, e: float, loss: str) -> None:
        self.X, self.y, self.t = X, rows.y, rows.treatment
        self._loss = (np.log(e), np.log1p(-e), is_augmented(loss))
        self.size = 2 * X.shape[1] + 2

    def loss(self, theta: Vector) -> tuple[float, Vector]:
        """Mean loss and its gradient."""
        p = self.X.shape[1]
        Z = np.dot(self.X, theta[1:-1].reshape(2, p).T.astype(np.float32)).astype(np.float64)
        Z[:, 0] += theta[0]
        Z[:, 1] += Z[:, 0] + theta[-1]
        g = np.empty_like(Z)
        value = _kernels.logit_gradient(Z, self.y, self.t, *self._loss, g)
        g[:, 0] += g[:, 1]  # main effects and the intercept reach both logits
        gradient = np.empty(self.size)
        gradient[0], gradient[-1] = g.sum(axis=0)
        gradient[1:-1] = np.dot(g.T.astype(np.float32), self.X).ravel()
        return value, gradient

    def path(self, count: int) -> list[tuple[float, Vector]]:
        """(lambda, theta) from the lambda that empties the model downwards."""
        theta = np.zeros(self.size)
        theta = self.refit(theta)  # the intercept alone
        largest = np.abs(self.loss(theta)[1][1:]).max()
        solutions = []
        for lam in largest * np.geomspace(1, SMALLEST, count):
            theta = self._solve(theta, lam)
            solutions.append((float(lam), theta))
        return solutions

    def _solve(self, theta: Vector, lam: float) -> Vector:
        step = 1 / self._curvature()
        point, momentum = theta, 1.0
        for _ in range(STEPS):
            moved = point - step * self.loss(point)[1]
            # eq. optim_uplift_interact: the proximal step of lambda ||theta||_1, not on theta_o
            moved[1:] = np.sign(moved[1:]) * np.maximum(np.abs(moved[1:]) - step * lam, 0)
            change = moved - theta
            if (point - moved) @ change > 0:  # the momentum points uphill: start it again
                momentum = 1.0
            following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            point = moved + (momentum - 1) / following * change
            theta, momentum = moved, following
            if np.abs(change).max() < TOLERANCE:
                break
        return theta

    def _curvature(self) -> float:
        """An upper bound of the loss's second derivative along any direction."""
        if not hasattr(self, "_bound"):
            # Each logit's second derivative is at most 2 * 1/4 + 1/4; the treated logit sees the
            # design [1, x, x, 1], whose largest singular value is sqrt(2) that of [1, x].
            gram = np.dot(self.X.T, self.X).astype(np.float64) / len(self.X)
            self._bound = 0.75 * 2 * (1 + np.linalg.eigvalsh(gram)[-1])
        return self._bound

    def refit(self, theta: Vector) -> Vector:
        """Minimise the loss without penalty over the intercept and the non-zero weights."""
        free = theta != 0
        free[0] = True

        def restricted(values: Vector) -> tuple[float, Vector]:
            full = np.zeros(self.size)
            full[free] = values
            value, gradient = self.loss(full)
            return value, gradient[free]

        found = minimize(restricted, theta[free], jac=True, method="L-BFGS-B")
        result = np.zeros(self.size)
        result[free] = found.x
        return result

    def network(self, theta: Vector) -> Network:
        """theta as a network without hidden layer."""
        matrix = theta[1:-1].reshape(2, -1).astype(np.float32)
        treatment = theta[-1:].astype(np.float32)
        return Network((matrix,), treatment, (), np.empty(0, np.float32), float(theta[0]))
