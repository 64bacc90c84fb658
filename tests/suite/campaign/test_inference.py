"""Standard errors against what happens when the rows are drawn again and again."""

import numpy as np
import pytest

from suite.campaign.inference import (
    Estimate,
    area,
    covariance,
    critical_value,
    gain_of_best,
    joint,
    ranks,
)

DRAWS = 800
N = 600


def draw(rng: np.random.Generator, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """A score and a noisy gain whose mean is 2 + 3 score: the cut-off is worth a lot."""
    score = rng.normal(size=n)
    return score, 2 + 3 * score + rng.normal(size=n)


def place(score: np.ndarray) -> np.ndarray:
    return ranks(score, np.zeros(len(score), dtype=int), np.arange(len(score)) / len(score))


@pytest.fixture(scope="module")
def truth() -> dict[str, float]:
    score, gain = draw(np.random.default_rng(99), 500_000)
    at = place(score)
    return {
        "best": float(np.mean(gain * (at <= 0.3))),
        "area": float(np.mean(gain * (0.5 - at))),
    }


@pytest.mark.parametrize(
    ("name", "influence"),
    [
        ("best", lambda score, gain: gain_of_best(gain, place(score), 0.3)),
        ("area", lambda score, gain: area(gain, place(score))),
    ],
)
def test_standard_error_is_the_spread_over_draws(name, influence, truth):
    rng = np.random.default_rng(1)
    found = [Estimate.of(influence(*draw(rng))) for _ in range(DRAWS)]
    means = np.array([e.mean for e in found])
    se = np.mean([e.se for e in found])
    assert means.std() == pytest.approx(se, rel=0.08)
    covered = np.mean([e.low <= truth[name] <= e.high for e in found])
    assert 0.925 <= covered <= 0.975


def test_without_the_cut_off_the_error_is_wrong():
    """The spread of gain x treated alone is far from the truth here: the test above can fail."""
    rng = np.random.default_rng(1)
    naive, right = [], []
    for _ in range(100):
        score, gain = draw(rng)
        at = place(score)
        naive.append(Estimate.of(np.where(at <= 0.3, gain, 0.0)).se)
        right.append(Estimate.of(gain_of_best(gain, at, 0.3)).se)
    assert np.mean(naive) > 1.15 * np.mean(right)


def test_clusters_are_counted_once():
    """Rows that are copies of each other give the error of the customers, not of the rows."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=300)
    three_times, groups = np.repeat(values, 3), np.repeat(np.arange(300), 3)
    once = Estimate.of(values)
    assert Estimate.of(three_times, groups).se == pytest.approx(once.se, rel=1e-9)
    assert Estimate.of(three_times).se < 0.6 * once.se


def test_covariance_is_that_of_means():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 3))
    assert np.allclose(covariance(values), np.cov(values.T) / 500)


def test_joint_intervals_hold_together():
    """All of ten correlated means at once, 95 times of 100."""
    rng = np.random.default_rng(4)
    mix = rng.normal(size=(10, 10)) / 3 + 1
    together, apart = [], []
    for number in range(300):
        values = rng.normal(size=(200, 10)) @ mix
        found = joint(values, None, seed=number)
        together.append(all(e.low <= 0 <= e.high for e in found))
        alone = [Estimate.of(column) for column in values.T]
        apart.append(all(e.low <= 0 <= e.high for e in alone))
    assert np.mean(together) >= 0.91
    assert np.mean(apart) < np.mean(together)


def test_critical_value_of_one_and_of_independent_columns():
    assert critical_value(np.eye(1), 0) == pytest.approx(1.96, abs=0.12)
    # The largest of 10 independent |t|: 2.80 (from the normal distribution, 0.95 ** (1 / 10)).
    assert critical_value(np.eye(10), 0) == pytest.approx(2.80, abs=0.12)
    assert critical_value(np.ones((10, 10)), 0) == pytest.approx(1.96, abs=0.12)


def test_ranks_are_within_folds():
    score = np.array([5.0, 4.0, 3.0, 100.0, 200.0, 300.0])
    folds = np.array([0, 0, 0, 1, 1, 1])
    found = ranks(score, folds, np.zeros(6))
    assert np.allclose(found, [1 / 6, 3 / 6, 5 / 6, 5 / 6, 3 / 6, 1 / 6])
