"""Who saw what: folds, cross-fitting, AIPW scores."""

import numpy as np
import pytest

from suite.campaign.calibration import apply
from suite.campaign.folds import arm_outcome, outer_folds, tuning_rows
from suite.campaign.model import Calibration
from suite.campaign.plan import left_outs
from suite.campaign.procedure import Crossed, of_outcome, run
from suite.campaign.scores import aipw, outcome_means
from suite.campaign.store import Result


def test_folds_are_even_in_every_cell():
    rng = np.random.default_rng(0)
    arm, outcome = (rng.random(1003) < 0.7).astype(np.int8), (rng.random(1003) < 0.1).astype(int)
    folds = outer_folds(arm, outcome, None, 5, seed=3)
    for cell in np.unique(arm_outcome(arm, outcome)):
        counts = np.bincount(folds[arm_outcome(arm, outcome) == cell], minlength=5)
        assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(folds)) <= 1
    assert (outer_folds(arm, outcome, None, 5, seed=4) != folds).any()


def test_rows_of_a_customer_stay_together():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 300, 1000)
    arm, outcome = (groups % 2).astype(np.int8), (rng.random(1000) < 0.2).astype(int)
    for numbers in (
        outer_folds(arm, outcome, groups, 5, seed=0),
        tuning_rows(arm, outcome, groups, seed=0),
    ):
        for group in np.unique(groups):
            assert len(np.unique(numbers[groups == group])) == 1
    assert 0.25 < tuning_rows(arm, outcome, groups, seed=0).mean() < 0.35


def fits_that_say_who_was_left_out(folds: np.ndarray, k: int) -> dict:
    """Each score names the folds that its fit had left out: 10 j + k + 1, j < k; 100 + k alone."""
    found = {}
    for out in left_outs(k):
        rows = np.isin(folds, out)
        code = 100 + out[0] if len(out) == 1 else 10 * out[0] + out[1]
        found[out] = Result(arrays={"score": np.full((rows.sum(), 1), float(code))})
    return found


def test_every_number_comes_from_a_fit_that_left_the_row_out():
    folds = np.random.default_rng(2).integers(0, 4, 200)
    crossed = Crossed.of(fits_that_say_who_was_left_out(folds, 4), "score", folds)
    assert (crossed.outer[:, 0] == 100 + folds).all()
    for k, inner in enumerate(crossed.inner):
        assert np.isnan(inner[folds == k]).all()
        for j in set(range(4)) - {k}:
            low, high = sorted((j, k))
            assert (inner[folds == j, 0] == 10 * low + high).all()


def made_fits(folds, rng, signal, psi_true, n):
    fits = {}
    for out in left_outs(int(folds.max()) + 1):
        rows = np.isin(folds, out)
        fits[out] = Result(arrays={"score": (signal + rng.normal(size=n))[rows][:, None]})
    psi = Crossed(
        psi_true[:, None],
        tuple(np.where(folds == k, np.nan, psi_true)[:, None] for k in range(folds.max() + 1)),
    )
    return fits, psi


def test_outer_predictions_do_not_depend_on_the_rows_they_are_for():
    """Changing what was measured in fold 2 changes no prediction of fold 2, but others."""
    rng, n = np.random.default_rng(3), 2000
    folds = rng.permutation(np.arange(n) % 4)
    signal = rng.normal(size=n)
    psi_true = 0.2 * signal + 0.5 * rng.normal(size=n)
    fits, psi = made_fits(folds, np.random.default_rng(4), signal, psi_true, n)
    first = run({"m": fits}, psi, folds, None, 1)
    other = np.where(folds == 2, -5.0 * psi_true, psi_true)
    fits, psi = made_fits(folds, np.random.default_rng(4), signal, other, n)
    second = run({"m": fits}, psi, folds, None, 1)
    assert np.array_equal(first.gain[folds == 2], second.gain[folds == 2])
    assert not np.array_equal(first.gain[folds == 1], second.gain[folds == 1])


def test_aipw_is_unbiased_whatever_the_means():
    """Exact expectation over arm and outcome of one customer, with means that are quite wrong."""
    e, rate = np.array([0.3, 0.5, 0.2]), np.array([0.1, 0.15, 0.4])
    mu = np.array([[0.7, 0.2, 0.05]])
    expected = np.zeros(2)
    for a in range(3):
        for y in (0.0, 1.0):
            p = e[a] * (rate[a] if y else 1 - rate[a])
            expected += p * aipw(np.array([y]), np.array([a]), mu, e[None, :])[0]
    assert np.allclose(expected, rate[1:] - rate[0])


def test_outcome_means_of_amounts_and_of_yes_no():
    rng = np.random.default_rng(5)
    X, arm = rng.normal(size=(2000, 2)), rng.integers(0, 2, 2000)
    money = 10 + 3 * X[:, 0] + 5 * arm
    mu = outcome_means(X, money + rng.normal(size=2000), arm, 2, X, seed=0)
    assert np.corrcoef(mu[:, 1], X[:, 0])[0, 1] > 0.9
    assert (mu[:, 1] - mu[:, 0]).mean() == pytest.approx(5, abs=0.3)
    y = (rng.random(2000) < 0.2).astype(float)
    assert outcome_means(X, y, arm, 2, X, seed=0).min() > 0
    assert (outcome_means(X, y * 0, arm, 2, X, seed=0) == 0).all()


@pytest.mark.parametrize(
    "calibration",
    [
        Calibration(0.02, 0.5, 0.1),
        Calibration(knots=(-1.0, 0.0, 2.0), values=(-0.01, 0.0, 0.05)),
    ],
)
def test_an_outcome_to_avoid_is_the_same_line_turned_round(calibration):
    score = np.linspace(-2, 3, 50)
    turned = of_outcome(calibration, -1)
    assert np.allclose(turned(-score), -calibration(score))
    assert of_outcome(calibration, 1) == calibration
    assert apply((calibration,), score[:, None]).shape == (50, 1)
