"""Scenarios as strata, re-splits of real data, calibration: worked examples and simulations."""

import math

import numpy as np
import pytest
from scipy import stats

from suite.compare import calibration, resplits, strata
from suite.compare.resplits import corrected, nadeau_bengio, pooled_rows
from suite.compare.verdicts import AGREES, HIGHER, TOO_FEW, UNDECIDED, resplit_verdict


def test_strata_worked_example() -> None:
    found = strata.stratified([[0.1, 0.3], [0.2, 0.6]])
    assert (found.mean, found.error, found.df) == pytest.approx((0.3, 0.1118, 1.4706), abs=5e-5)
    assert found.p_above() == pytest.approx(0.0790, abs=5e-5)


def test_one_stratum_is_the_paired_t_test() -> None:
    values = [0.1, 0.4, 0.3, 0.9]
    expected = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    assert strata.stratified([values]).p_above() == pytest.approx(expected)
    with pytest.raises(ValueError, match="at least 2"):
        strata.stratified([[0.1], [0.2, 0.3]])


def test_differences_become_shares_of_what_can_be_had() -> None:
    first, second = strata.relative([[1.0, 2.0], [1.0, 1.0]], [10.0, 2.0])
    assert first.tolist() == [0.1, 0.2]
    assert second.tolist() == [0.5, 0.5]


def test_resplits_worked_example() -> None:
    values = [1.0, 1.2, 1.4, 1.2]
    assert np.std(values, ddof=1) / 2 == pytest.approx(0.0816, abs=5e-5)
    assert nadeau_bengio(values) == pytest.approx(0.1633, abs=5e-5)
    rows = [[0.3, 0.0, 0.4, 0.0], [0.3, 0.2, 0.0, 0.0]]
    assert pooled_rows(rows) == pytest.approx(0.3742, abs=5e-5)
    assert corrected(0.008) == pytest.approx(0.032)


def test_sizes_are_compared_by_their_standard_errors() -> None:
    a, b = [1.0, 1.2, 1.4, 1.2], [0.2, 0.6, 0.4]
    found = resplits.between_sets(a, b)
    assert found.mean == pytest.approx(0.8)
    assert found.error == pytest.approx(math.hypot(nadeau_bengio(a), nadeau_bengio(b)))
    assert (found.df, found.n) == (2, 3)


def test_verdicts_on_real_data_take_both_errors() -> None:
    values = [0.20, 0.21, 0.19, 0.205, 0.195]
    found = resplit_verdict(values, 0.19, 0.002)
    assert found.word == AGREES
    error = math.hypot(nadeau_bengio(values), 0.008)
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 4) * error)
    assert resplit_verdict(values, 0.1, 0.002).word == HIGHER
    assert resplit_verdict(values, 0.19, 0.02).word == UNDECIDED
    assert resplit_verdict(values[:4], 0.19, 0.002).word == TOO_FEW


COUNTS = {
    "predicted": [0.5, 0.1],
    "treated": [50, 50],
    "control": [50, 50],
    "treated_responses": [35, 20],
    "control_responses": [15, 18],
}


def test_calibration_worked_example() -> None:
    found = calibration.calibration(**COUNTS)
    assert found.slope == pytest.approx(0.9)
    assert found.slope_error == pytest.approx(0.3370, abs=5e-5)
    assert found.bias == pytest.approx(0.08)
    assert found.error == pytest.approx(-0.0478, abs=5e-5)
    assert found.p == pytest.approx(0.4626, abs=5e-5)


def test_without_responses_slope_and_bias_remain() -> None:
    slope, bias = calibration.slope_and_bias([0.5, 0.1], [100, 100], [0.4, 0.04])
    assert (slope, bias) == pytest.approx((0.9, 0.08))


def test_bins_without_spread_are_not_calibrated() -> None:
    assert calibration.calibration(**COUNTS | {"treated": [1, 50]}) is None
    for predicted in ([0.1, 0.1], [0.1, 0.1 + 1e-12]):
        found = calibration.calibration(**COUNTS | {"predicted": predicted})
        assert (found.slope, found.slope_error) == (None, None)
        assert found.bias == pytest.approx(0.1 - 0.22)
        assert calibration.slope_and_bias(predicted, [100, 100], [0.4, 0.04])[0] is None


def test_true_uplifts_are_found_calibrated() -> None:
    """Over simulated test sets: slope 1, bias 0, error 0, p uniform; a doubled spread is seen."""
    rng = np.random.default_rng(6)
    uplift = np.linspace(0.3, -0.1, 10)
    arms = np.full(10, 300)
    found, doubled = [], []
    for _ in range(300):
        treated = rng.binomial(arms, 0.3 + uplift / 2)
        control = rng.binomial(arms, 0.3 - uplift / 2)
        found.append(calibration.calibration(uplift, arms, arms, treated, control))
        doubled.append(calibration.calibration(2 * uplift, arms, arms, treated, control))
    slopes = [one.slope for one in found]
    assert np.mean(slopes) == pytest.approx(1, abs=0.02)
    assert np.std(slopes) == pytest.approx(np.mean([one.slope_error for one in found]), rel=0.15)
    assert np.mean([one.p < 0.05 for one in found]) == pytest.approx(0.05, abs=0.04)
    assert np.mean([one.error * abs(one.error) for one in found]) == pytest.approx(0, abs=2e-4)
    assert np.mean([one.slope for one in doubled]) == pytest.approx(0.5, abs=0.01)
    biases = [one.bias for one in found]
    assert calibration.calibrated(slopes, biases) == "yes"
    assert calibration.calibrated([one.slope for one in doubled], biases) == "no"
    assert calibration.calibrated([0.5, 1.5, 1.0], [0.0, 0.001, -0.001]) == "open"
