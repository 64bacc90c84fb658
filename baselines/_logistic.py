"""Logistic regression: the lasso path of a standardised design, and the unpenalised fit."""

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

TOLERANCE = 1e-7


def lasso_supports(Z: Array, y: Array, n_lambdas: int, ratio: float = 1e-4) -> list[Array]:
    """The columns selected along the path, one boolean mask for every distinct model size.

    minimise  -1/n loglik(b0, b) + λ Σ_j |b_j|  on columns of mean 0 and variance 1. Each step
    minimises the bound that has the curvature 1/4 everywhere, a lasso with the Gram matrix of Z.
    Of the models of one size the one with the largest λ counts.
    """
    n, k = Z.shape
    gram = Z.T @ Z / (4 * n)
    b0, b = _log_odds(y.mean()), np.zeros(k)
    gradient = Z.T @ (y - y.mean()) / n
    largest = np.abs(gradient).max()
    supports: dict[int, Array] = {}
    for lam in largest * np.logspace(0, np.log10(ratio), n_lambdas):
        b0, b = _minimise(Z, y, gram, b0, b, lam)
        supports.setdefault(int(np.count_nonzero(b)), b != 0)
    return [mask for size, mask in sorted(supports.items()) if size]


def _minimise(
    Z: Array, y: Array, gram: Array, b0: float, b: Array, lam: float, max_steps: int = 1000
) -> tuple[float, Array]:
    """(b0, b) at one λ, started from a neighbour's."""
    n = len(y)
    for _ in range(max_steps):
        residual = y - expit(b0 + Z @ b)
        new_b = b.copy()
        _lasso_on_gram(gram, Z.T @ residual / n, new_b, lam, TOLERANCE)
        step = 4 * residual.mean()
        change = max(abs(step), np.abs(new_b - b).max())
        b0, b = b0 + step, new_b
        if change < 100 * TOLERANCE:
            break
    return b0, b


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


def maximum_likelihood(
    A: Array, y: Array, start: Array, max_steps: int = 25
) -> tuple[Array, Array] | None:
    """Estimate and standard errors by Newton's method; None where there is none (separation)."""
    b = start
    for _ in range(max_steps):
        rate = expit(A @ b)
        information = (A * (rate * (1 - rate))[:, None]).T @ A
        try:
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return None
        step = inverse @ (A.T @ (y - rate))
        if not np.isfinite(step).all() or np.abs(step).max() > 10:
            return None
        b = b + step
        if np.abs(step).max() < 1e-6:
            return b, np.sqrt(np.diag(inverse))
    return None


def _log_odds(rate: float) -> float:
    return float(np.log(rate) - np.log1p(-rate))
