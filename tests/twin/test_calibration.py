"""calibrate: the right size of predicted uplift, for any model."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from twin import TwinUplift, calibrate
from twin.calibration import (
    METHODS,
    Calibration,
    calibrate_scores,
    calibrated_outcomes,
    doubly_robust,
    four_numbers,
    split_logits,
)


class Given:
    """A model that predicts what its first covariate says."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0]


class WithOutcomes(Given):
    """Too bold: its logits are twice the true ones."""

    def predict_outcomes(self, X: np.ndarray) -> np.ndarray:
        logits = 2 * np.column_stack([X[:, 1] - 1, X[:, 1] - 1 + X[:, 0]])
        return 1 / (1 + np.exp(-logits))


def made(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, y, t and the true uplift; logit = x1 - 1 + t x0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    t = (rng.random(n) < 0.4).astype(int)
    control, treated = 1 / (1 + np.exp(1 - X[:, 1])), 1 / (1 + np.exp(1 - X[:, 1] - X[:, 0]))
    y = (rng.random(n) < np.where(t == 1, treated, control)).astype(int)
    return X, y, t, treated - control


def slope(uplift: np.ndarray, truth: np.ndarray) -> float:
    return float(np.cov(uplift, truth)[0, 1] / uplift.var())


@pytest.mark.parametrize(("model", "method"), [(Given(), "line"), (WithOutcomes(), "likelihood")])
def test_slope_and_bias_are_mended(model: Any, method: str) -> None:
    X, y, t, _ = made(20_000)
    calibrated = calibrate(model, X, y, t)
    assert calibrated.calibration.method == method
    X, _, _, truth = made(20_000, seed=1)
    raw = model.predict(X)
    assert slope(raw, truth) < 0.3
    assert slope(calibrated.predict(X), truth) == pytest.approx(1, abs=0.1)
    assert calibrated.predict(X).mean() == pytest.approx(truth.mean(), abs=0.02)


def test_many_rows_are_isotonic_and_keep_the_ranking() -> None:
    X, y, t, truth = made(120_000)
    calibrated = calibrate(Given(), X, y, t)
    assert calibrated.calibration.method == "isotonic"
    found = calibrated.predict(X)
    assert slope(found, truth) == pytest.approx(1, abs=0.1)
    assert np.all(np.diff(found[np.argsort(X[:, 0])]) >= 0)


def test_likelihood_is_the_maximum() -> None:
    X, y, t, _ = made(3000)
    f, d = split_logits(WithOutcomes().predict_outcomes(X), 0.4)
    np.testing.assert_allclose(f + 0.6 * d, 2 * (X[:, 1] - 1 + X[:, 0]), atol=1e-5)
    s, weight = t - 0.4, np.random.default_rng(0).random(3000)
    found = four_numbers(f, d, s, y, weight)

    def loss(b: np.ndarray) -> float:
        a = b[0] + b[1] * f + s * (b[2] + b[3] * d)
        ridge = 0.5 * np.sum((b - [0, 1, 0, 1]) ** 2)
        return float(weight @ (np.logaddexp(0, a) - y * a) + ridge)

    np.testing.assert_allclose(found, minimize(loss, [0, 1, 0, 1]).x, atol=1e-4)
    outcomes = calibrated_outcomes(f, d, *found, 0.4)
    expected = found[0] + found[1] * f + 0.6 * (found[2] + found[3] * d)
    np.testing.assert_allclose(np.log(outcomes[:, 1] / (1 - outcomes[:, 1])), expected)


def test_the_line_is_least_squares_of_doubly_robust_scores() -> None:
    X, y, t, truth = made(4000)
    score = X[:, 0]
    effect = doubly_robust(score, y, t, 0.4)
    assert effect.mean() == pytest.approx(truth.mean(), abs=0.05)
    m = [np.polyval(np.polyfit(score[t == a], y[t == a], 1), score) for a in (0, 1)]
    expected = m[1] - m[0] + np.where(t == 1, (y - m[1]) / 0.4, -(y - m[0]) / 0.6)
    np.testing.assert_allclose(effect, expected, atol=1e-9)
    line = calibrate_scores(score, y, t, propensity=0.4)
    np.testing.assert_allclose(line.numbers[::-1], np.polyfit(score, effect, 1), atol=1e-9)


def test_a_reversed_or_empty_ranking_becomes_the_average_effect() -> None:
    X, y, t, _ = made(3000)
    for score in (-X[:, 0], np.zeros(3000)):
        line = calibrate_scores(score, y, t)
        assert line.numbers[1] == 0
        assert np.ptp(line.apply(score)) == 0
    f, d = np.zeros(3000), -X[:, 0]
    assert four_numbers(f, d, t - 0.4, y, np.ones(3000))[3] == 0


@pytest.mark.parametrize("method", METHODS)
def test_state_is_json_and_comes_back(method: str) -> None:
    X, y, t, _ = made(500)
    model = WithOutcomes()
    calibrated = calibrate(model, X, y, t, method=method)
    state = json.loads(json.dumps(calibrated.calibration.state()))
    again = Calibration.from_state(state)
    np.testing.assert_array_equal(
        again.apply(model.predict(X), model.predict_outcomes(X)), calibrated.predict(X)
    )


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        {"method": "line", "numbers": [1.0]},
        {"method": "line", "numbers": [1.0, float("nan")]},
        {"method": "line", "numbers": [1.0, "x"]},
        {"method": "curve", "numbers": [1.0, 2.0]},
        {"method": "isotonic", "numbers": []},
        {"method": "isotonic", "numbers": [2.0, 1.0, 0.0, 0.1]},
    ],
)
def test_a_damaged_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match="calibration"):
        Calibration.from_state(state)


def test_a_twin_can_be_calibrated() -> None:
    X, y, t, _ = made(1500)
    model = TwinUplift(hidden=(), epochs=3, propensity="estimate", random_state=0).fit(X, y, t)
    new, y, t, _ = made(1500, seed=2)
    assert np.isfinite(calibrate(model, new, y, t).predict(new)).all()


def test_bad_input_is_named() -> None:
    X, y, t, _ = made(100)
    for call, message in [
        (lambda: calibrate(Given(), X, y, t, method="likelihood"), "has no predict_outcomes"),
        (lambda: calibrate(Given(), X, y, t, method="spline"), "method is 'spline'"),
        (lambda: calibrate(Given(), X, y, t * 0), "only control rows"),
        (lambda: calibrate(Given(), X, y[:50], t), "y has 50"),
        (lambda: calibrate(Given(), X * np.nan, y, t), "score.0. is nan"),
        (lambda: calibrate(Given(), X, y, t, propensity=1.0), "propensity is 1.0"),
        (lambda: calibrate(Given(), X, y, t, propensity="half"), "propensity is 'half'"),
        (lambda: Calibration("likelihood", (0, 1, 0, 1, 0.5)).apply(X[:, 0]), "needs outcomes"),
        (lambda: split_logits(X + 5, 0.5), "probabilities"),
        (lambda: split_logits(X[:, :1], 0.5), "shape .100, 1."),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
