"""AIPW scores: for each row an unbiased, if noisy, measurement of each treatment's effect on it.

psi_a = mu_a(x) - mu_0(x) + 1[arm = a] (y - mu_a(x)) / e_a - 1[arm = 0] (y - mu_0(x)) / e_0

with mu fitted on other rows and e the probability of the arm (Robins, Rotnitzky and Zhao, 1994;
Chernozhukov et al., 2018). Where e is known the mean of psi is right whatever mu is; a good mu
only makes it less noisy.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Array = NDArray[np.float64]

# Small trees that stop early: mu only has to take the coarse part of the outcome away.
ROUNDS, SMALLEST_LEAF = 60, 50
TREES = {"max_depth": 3, "eta": 0.1, "max_bin": 64, "nthread": 1}


def outcome_means(
    X: Array, y: Array, arm: NDArray[np.integer], arms: int, at: Array, seed: int
) -> Array:
    """mu of the rows `at`, one column for each arm: a line and small trees, half and half.

    Probabilities where `y` is 0/1, amounts otherwise.
    """
    binary = bool(np.isin(y, (0, 1)).all())
    return np.column_stack([_mean(X[arm == a], y[arm == a], at, binary, seed) for a in range(arms)])


def _mean(X: Array, y: Array, at: Array, binary: bool, seed: int) -> Array:
    if np.ptp(y) == 0:
        return np.full(len(at), float(y[0]))
    if binary:
        line = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200))
        found = line.fit(X, y).predict_proba(at)[:, 1]
    else:
        found = make_pipeline(StandardScaler(), Ridge(alpha=100.0)).fit(X, y).predict(at)
    return (found + _trees(X, y, at, binary, seed)) / 2


def _trees(X: Array, y: Array, at: Array, binary: bool, seed: int) -> Array:
    import xgboost as xgb  # only where something is learnt

    # xgboost counts a leaf's rows by their curvature: p (1 - p) each, or 1.
    rows = SMALLEST_LEAF * (float(y.mean() * (1 - y.mean())) if binary else 1.0)
    about = {
        **TREES,
        "objective": "binary:logistic" if binary else "reg:squarederror",
        "min_child_weight": rows,
        "seed": seed,
    }
    data = xgb.QuantileDMatrix(X, y, max_bin=TREES["max_bin"], nthread=1)
    return xgb.train(about, data, ROUNDS).inplace_predict(at).astype(np.float64)


def aipw(y: Array, arm: NDArray[np.integer], mu: Array, e: Array) -> Array:
    """psi, one column for each treatment; `mu` and `e` have one for each arm, control first."""
    residual = [np.where(arm == a, (y - mu[:, a]) / e[:, a], 0.0) for a in range(mu.shape[1])]
    return np.column_stack(
        [mu[:, a] - mu[:, 0] + residual[a] - residual[0] for a in range(1, mu.shape[1])]
    )
