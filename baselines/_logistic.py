"""Logistic regression: the lasso path of a standardised design, and the unpenalised fit."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

TOLERANCE = 1e-7
GLM_EPSILON = 1e-8  # relative change of the deviance that ends R's glm
MAX_HALVINGS = 30
REFRESH = 10  # steps after which the curvature is taken anew


def lasso_supports(Z: Array, y: Array, n_lambdas: int, ratio: float = 1e-4) -> list[Array]:
    """The columns selected along the path, one boolean mask for every distinct model size.

    minimise  -1/n loglik(b0, b) + λ Σ_j |b_j|  on columns of mean 0 and variance 1. Of the models
    of one size the one with the largest λ counts.
    """
    n, k = Z.shape
    b0, b = _log_odds(y.mean()), np.zeros(k)
    largest = np.abs(Z.T @ (y - y.mean()) / n).max()
    supports: dict[int, Array] = {}
    for lam in largest * np.logspace(0, np.log10(ratio), n_lambdas):
        b0, b = _minimise(Z, y, b0, b, lam)
        supports.setdefault(int(np.count_nonzero(b)), b != 0)
    return [mask for size, mask in sorted(supports.items()) if size]


def _minimise(
    Z: Array, y: Array, b0: float, b: Array, lam: float, max_steps: int = 1000
) -> tuple[float, Array]:
    """(b0, b) at one λ, started from a neighbour's.

    Each step minimises a parabola with the loss's curvature at the start or a few steps ago, a
    lasso with a Gram matrix. A step that leads uphill is taken back, and the curvature 1/4, which
    no logistic loss exceeds, serves from there on.
    """
    residual, objective = _state(Z, y, b0, b, lam)
    everywhere, parabola = False, None
    for number in range(max_steps):
        if parabola is None or (number % REFRESH == 0 and not everywhere):
            rate = y - residual
            parabola = _Parabola.of(Z, np.full(len(y), 0.25) if everywhere else rate * (1 - rate))
        step0, new_b = parabola.lowest(Z, residual, b, lam)
        new_residual, new_objective = _state(Z, y, b0 + step0, new_b, lam)
        if not everywhere and not new_objective <= objective + 1e-12:
            everywhere, parabola = True, None
            continue
        change = max(abs(step0), np.abs(new_b - b).max())
        b0, b, residual, objective = b0 + step0, new_b, new_residual, new_objective
        if change < 100 * TOLERANCE:
            break
    return b0, b


def _state(Z: Array, y: Array, b0: float, b: Array, lam: float) -> tuple[Array, float]:
    """y - rate, and the penalised loss."""
    a = b0 + Z @ b
    loss = (np.logaddexp(0, a) - y * a).mean() + lam * np.abs(b).sum()
    return y - expit(a), float(loss)


class _Parabola(NamedTuple):
    """The quadratic model of the loss for weights w of the rows, with the intercept solved for."""

    gram: Array  # Z'WZ/n less the part that the intercept takes
    centre: Array  # means of the columns, weighted
    weight: float  # mean of w

    @classmethod
    def of(cls, Z: Array, w: Array) -> "_Parabola":
        n, weight = len(w), float(w.mean())
        centre = w @ Z / (n * weight)
        gram = (Z * w[:, None]).T @ Z / n - weight * np.outer(centre, centre)
        return cls(gram, centre, weight)

    def lowest(self, Z: Array, residual: Array, b: Array, lam: float) -> tuple[float, Array]:
        """The step of the intercept and the new b at the parabola's lowest point."""
        mean = float(residual.mean())
        new_b = b.copy()
        gradient = Z.T @ residual / len(residual) - mean * self.centre
        _lasso_on_gram(self.gram, gradient, new_b, lam, TOLERANCE)
        return mean / self.weight - float(self.centre @ (new_b - b)), new_b


@njit(cache=True)
def _lasso_on_gram(gram, gradient, b, lam, tolerance):  # pragma: no cover - compiled
    """Coordinate descent on  -g'(c - b) + (c - b)'G(c - b)/2 + λ|c|_1  over c, in place in `b`."""
    g = gradient.copy()
    for _ in range(1000):
        largest = 0.0
        for j in range(len(b)):
            if gram[j, j] == 0.0:
                continue
            pull = g[j] + gram[j, j] * b[j]
            new = np.sign(pull) * max(abs(pull) - lam, 0.0) / gram[j, j]
            change = new - b[j]
            if change != 0.0:
                b[j] = new
                g -= gram[:, j] * change
                largest = max(largest, abs(change))
        if largest < tolerance:
            return


def maximum_likelihood(A: Array, y: Array, max_steps: int = 25) -> tuple[Array, Array] | None:
    """Estimate and standard errors by Newton's method; None where columns depend on each other.

    A step that leads uphill is halved until it does not. Data that a column separates, wholly or
    in part, have no finite estimate: it then is, as R's glm has it, where the deviance settles.
    """
    b, settled = np.zeros(A.shape[1]), None
    residual, loss = _state(A, y, 0.0, b, 0.0)
    for _ in range(max_steps):
        rate = y - residual
        information = (A * (rate * (1 - rate))[:, None]).T @ A
        try:
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            break
        step = inverse @ (A.T @ residual)
        if not np.isfinite(step).all() or (np.diag(inverse) <= 0).any():
            break
        errors = np.sqrt(np.diag(inverse))
        if np.abs(step).max() < 1e-6:
            return b + step, errors
        before = loss
        for _ in range(MAX_HALVINGS):
            residual, loss = _state(A, y, 0.0, b + step, 0.0)
            if loss <= before:
                break
            step = step / 2
        b = b + step
        if settled is None and abs(before - loss) < GLM_EPSILON * (loss + 0.05 / len(y)):
            settled = b, errors
    return settled


def _log_odds(rate: float) -> float:
    return float(np.log(rate) - np.log1p(-rate))
