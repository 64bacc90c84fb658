"""Qini-based uplift regression.

Belbahri, Murua, Gandouet and Partovi Nia (2019), Qini-based uplift regression, arXiv:1911.12474.
The paper ran R's tools4uplift (qLHS).

Algorithm, on standardised x and the columns [t, x, t x]:
1. The path of the logistic lasso, 100 λ, gives one set of columns for every model size.
2. For each size: the maximum-likelihood estimate b of the logistic regression on these columns,
   with standard errors s; 50 candidates, b itself and 49 points of a Latin hypercube, uniform on
   b ± √3 s in each coordinate.
3. The candidate of highest q_adj on validation rows wins. No refit.

Differences from qLHS:
- The path has an intercept; R fits it without one.
- Candidates are scored with 10 bins, as everything in this suite; R defaults to 100.
- Sizes whose columns depend on each other are left out.
- The scale of x is kept for prediction; R does not store it.
"""

import time

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import qmc

from baselines._logistic import lasso_supports, maximum_likelihood
from baselines.contract import Method
from twin.rows import Rows

N_LAMBDAS = 100
N_CANDIDATES = 50  # of each size


class QiniBased(Method):
    """Latin hypercube search around the estimates of a lasso path."""

    name = "qini-based"
    paper_row = "Qini-based"

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        self._mean = train.X.mean(axis=0, dtype=np.float64)
        scale = train.X.std(axis=0, dtype=np.float64)
        self._scale = np.where(scale > 0, scale, 1.0)
        y, t, x = train.y.astype(float), train.treatment.astype(float)[:, None], self._z(train.X)
        design = np.hstack([np.ones_like(t), t, x, t * x])
        columns = design[:, 1:] - design[:, 1:].mean(axis=0)
        spread = columns.std(axis=0)
        supports = lasso_supports(
            columns / np.where(spread > 0, spread, 1.0), y, 20 if self.quick else N_LAMBDAS
        )

        start = time.perf_counter()
        rng = np.random.default_rng(seed)
        x_valid = self._z(valid.X)
        best = -np.inf
        for support in supports:
            chosen = np.concatenate([[True], support])
            fit = maximum_likelihood(design[:, chosen], y)
            if fit is None:
                continue
            candidates = np.zeros((N_CANDIDATES, design.shape[1]))
            candidates[:, chosen] = _around(*fit, rng)
            uplift = _uplift(x_valid, candidates)
            for number, (b, u) in enumerate(zip(candidates, uplift.T, strict=True)):
                score = self._score(valid, u, size=int(support.sum()), candidate=number)
                if score > best:
                    best, self._b = score, b
                    self.settings_ = {"size": int(support.sum()), "candidate": number}
        if not self.search_:
            raise ValueError(
                "no logistic regression along the lasso path has an estimate: the outcome of the "
                "training rows is constant, or their covariates are; give more rows"
            )
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return _uplift(self._z(X), self._b[None, :])[:, 0]

    def _z(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return (X - self._mean) / self._scale


def _around(
    b: NDArray[np.float64], s: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """The estimate, then a Latin hypercube on b ± √3 s: the mean and variance of the estimate."""
    cube = qmc.LatinHypercube(len(b), rng=rng).random(N_CANDIDATES - 1)
    return np.vstack([b, b + np.sqrt(3) * s * (2 * cube - 1)])


def _uplift(x: NDArray[np.float64], candidates: NDArray[np.float64]) -> NDArray[np.float64]:
    """m_11 - m_10 of every row (down) for every candidate (across)."""
    p = x.shape[1]
    constant, treated, main, interaction = np.split(candidates.T, [1, 2, 2 + p])
    control = constant + x @ main
    return expit(control + treated + x @ interaction) - expit(control)
