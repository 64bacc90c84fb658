"""The lasso against its own optimality conditions, brute force, and linear truth."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

import baselines
from baselines._lasso import draw_folds, lasso_cv
from twin import Rows


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 15)) * rng.uniform(0.2, 5, 15) + rng.uniform(-2, 2, 15)
    X[:, 7] = X[:, 6] + 0.1 * rng.standard_normal(240)  # nearly the same column twice
    free = rng.choice([-0.5, 0.5], 240)
    y = 1.5 + 0.8 * X[:, 0] / X[:, 0].std() + 2 * free + rng.standard_normal(240)
    return X, y, free, draw_folds(240, 1)


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("with_free", [True, False])
def test_the_fit_satisfies_the_kkt_conditions(problem, standardise, with_free):
    """Of 1/(2n) ||y - b0 - F g - X b||² + λ Σ scale_j |b_j|, free column and intercept included."""
    X, y, free, folds = problem
    fit = lasso_cv(X, y, folds, free=free if with_free else None, standardise=standardise)
    F = free[:, None] if with_free else np.empty((len(y), 0))
    residual = y - fit.intercept - F @ fit.free - X @ fit.coef
    assert abs(residual.mean()) < 1e-9
    assert np.abs(F.T @ residual / len(y)).max(initial=0.0) < 1e-9
    scale = X.std(axis=0) if standardise else np.ones(X.shape[1])
    gradient = X.T @ residual / len(y) / scale
    active = fit.coef != 0
    assert 0 < active.sum() < X.shape[1]
    np.testing.assert_allclose(gradient[active], fit.lam * np.sign(fit.coef[active]), atol=1e-6)
    assert (np.abs(gradient[~active]) <= fit.lam + 1e-6).all()


def test_the_penalty_starts_where_the_first_column_enters(problem):
    X, y, _, folds = problem
    fit = lasso_cv(X, y, folds)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert fit.lambdas[0] == pytest.approx(np.abs(Z.T @ (y - y.mean())).max() / len(y))
    assert fit.lambdas[-1] == pytest.approx(1e-4 * fit.lambdas[0])
    assert len(fit.lambdas) == 100


def test_cross_validation_equals_a_lasso_a_fold(problem):
    X, y, _, folds = problem
    fit = lasso_cv(X, y, folds)
    errors = np.zeros(100)
    held_out = np.zeros((len(y), 100))
    for fold in range(10):
        inside, outside = folds != fold, folds == fold
        mean, scale = X[inside].mean(axis=0), X[inside].std(axis=0)
        for k in (10, 30, 50):
            model = Lasso(alpha=fit.lambdas[k], tol=1e-12, max_iter=100_000)
            model.fit((X[inside] - mean) / scale, y[inside])
            held_out[outside, k] = model.predict((X[outside] - mean) / scale)
            errors[k] += ((held_out[outside, k] - y[outside]) ** 2).sum() / len(y)
    for k in (10, 30, 50):
        assert fit.cv_error[k] == pytest.approx(errors[k], abs=1e-8)
    best = int(np.argmin(fit.cv_error))
    assert fit.lam == fit.lambdas[best]
    assert ((fit.out_of_fold - y) ** 2).mean() == pytest.approx(fit.cv_error[best])


def test_a_constant_column_gets_no_weight():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.standard_normal(100), np.full(100, 3.0)])
    fit = lasso_cv(X, X[:, 0] + 0.1 * rng.standard_normal(100), draw_folds(100, 0))
    assert fit.coef[1] == 0
    assert np.isfinite(fit.coef).all()


def test_folds_are_balanced_and_follow_the_seed():
    folds = draw_folds(103, 7)
    assert set(np.bincount(folds)) == {10, 11}
    np.testing.assert_array_equal(folds, draw_folds(103, 7))
    assert (folds != draw_folds(103, 8)).any()
    assert len(np.unique(draw_folds(12, 0))) == 3  # tiny data: folds of 4 rows


@pytest.mark.parametrize("name", ["r-lasso", "x-lasso"])
@pytest.mark.parametrize("e", [0.5, 0.3])
def test_linear_effects_are_recovered(name, e):
    """Pr(Y = 1) linear in x, u(x) = 0.1 + 0.2 x1 - 0.15 x2, at two propensities."""
    rng = np.random.default_rng(4)
    n, p = 12_000, 10
    X = rng.choice([-1.0, 1.0], (n, p))
    treatment = rng.random(n) < e
    uplift = 0.1 + 0.2 * X[:, 0] - 0.15 * X[:, 1]
    rate = 0.4 + 0.1 * X[:, 2] + uplift * (treatment - 0.5)
    rows = Rows.of(X, rng.random(n) < rate, treatment, propensity=e)
    method = baselines.method(name)().fit(rows, rows, 0)
    at = np.vstack([np.zeros(p), np.eye(p)])
    predicted = method.predict(at)
    assert predicted[0] == pytest.approx(0.1, abs=0.03)
    np.testing.assert_allclose(
        predicted[1:] - predicted[0], [0.2, -0.15, *[0] * (p - 2)], atol=0.03
    )
