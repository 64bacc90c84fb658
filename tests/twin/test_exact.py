"""TwinPath: the optimum of the penalised loss, its path, and the refit of what survives."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from twin import TwinPath
from twin.exact import Problem
from twin.rows import Rows
from twin.trainer import Scaler


def problem(rows: Rows, loss: str, e: float = 0.5) -> Problem:
    return Problem(Scaler.of(rows.X).standardised(rows.X), rows, e, loss)


@pytest.mark.parametrize("loss", ["uplift", "binomial"])
def test_path_meets_the_optimality_conditions(loss: str, rows: Rows) -> None:
    """The gradient is -lambda sign(theta), within +-lambda where theta = 0, and 0 at theta_o."""
    task = problem(rows, loss)
    path = task.path(8)
    assert np.count_nonzero(path[0][1][1:]) == 0
    assert np.count_nonzero(path[-1][1][1:]) > 3
    for lam, theta in path:
        gradient = task.loss(theta)[1]
        assert abs(gradient[0]) < 1e-4
        weights, slope = theta[1:], gradient[1:]
        assert (np.abs(slope[weights == 0]) <= lam + 1e-4).all()
        active = weights != 0
        np.testing.assert_allclose(slope[active], -lam * np.sign(weights[active]), atol=2e-4)


def test_gradient_is_the_derivative(rows: Rows) -> None:
    task = problem(rows, "uplift", e=0.3)
    theta = np.random.default_rng(0).normal(size=task.size) * 0.3
    gradient = task.loss(theta)[1]
    for j in range(task.size):
        step = np.zeros(task.size)
        step[j] = 1e-2
        slope = (task.loss(theta + step)[0] - task.loss(theta - step)[0]) / 2e-2
        assert gradient[j] == pytest.approx(slope, abs=2e-5)


def test_refit_equals_logistic_regression_of_the_survivors(rows: Rows) -> None:
    """With the binomial loss the refit is the unpenalised logistic regression on [x, t x, t]."""
    task = problem(rows, "binomial")
    theta = task.path(6)[3][1]
    free = theta[1:] != 0
    assert 0 < free.sum() < len(free)
    X, t = task.X.astype(float), rows.treatment[:, None]
    design = np.hstack([X, t * X, t])[:, free]
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(design, rows.y)
    refit = task.refit(theta)
    np.testing.assert_allclose(refit[1:][free], plain.coef_[0], atol=2e-3)
    assert (refit[1:][~free] == 0).all()


@pytest.mark.parametrize("refit", [False, True])
def test_selects_by_validation(refit: bool, rows: Rows, valid: Rows) -> None:
    parts = valid.X, valid.y, valid.treatment
    model = TwinPath(refit=refit).fit(rows.X, rows.y, rows.treatment, validation=parts)
    assert len(model.results_) == 14
    assert model.best_score_ == model.results_["valid_q_adj"].max()
    assert model.score(*parts) == pytest.approx(model.best_score_)
    assert model.score(*parts) > 1
    assert len(model.coef_) == 2 * rows.X.shape[1] + 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_lambdas": 1}, "n_lambdas is 1"),
        ({"loss": "mse"}, "loss is 'mse'"),
        ({"propensity": 2.0}, "propensity is 2.0"),
    ],
)
def test_bad_parameters_are_named(change: dict, message: str, rows: Rows) -> None:
    with pytest.raises(ValueError, match=message):
        TwinPath(**change).fit(rows.X, rows.y, rows.treatment)
