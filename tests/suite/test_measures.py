"""The numbers of a record against their definitions."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from suite.compute import measures
from twin.rows import Rows


def brute_true_qini(uplift: np.ndarray, truth: np.ndarray, bins: int = 10) -> float:
    """Average over all orders of tied rows: every row takes the mean truth of its tied group."""
    n = len(uplift)
    smooth = np.array([truth[uplift == value].mean() for value in uplift])
    order = sorted(range(n), key=lambda i: -uplift[i])
    area, last_phi, last = 0.0, 0.0, 0.0
    for k in range(1, bins + 1):
        m = -(-k * n // bins)
        phi = m / n
        height = sum(smooth[i] for i in order[:m]) / n - phi * truth.mean()
        area += (height + last) / 2 * (phi - last_phi)
        last_phi, last = phi, height
    return 100 * area


@pytest.mark.parametrize("n", [20, 53, 200])
@pytest.mark.parametrize("levels", [2, 7, 10_000])
def test_true_qini_follows_its_definition(n: int, levels: int) -> None:
    rng = np.random.default_rng([n, levels])
    truth = rng.normal(size=n)
    uplift = rng.integers(0, levels, n).astype(float)
    expected = brute_true_qini(uplift, truth)
    assert measures.true_qini(uplift, truth) == pytest.approx(expected, abs=1e-12)


def test_the_oracle_has_the_highest_true_qini_and_a_constant_none() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=500)
    best = measures.true_qini(truth, truth)
    assert all(measures.true_qini(rng.normal(size=500), truth) < best for _ in range(50))
    assert abs(measures.true_qini(np.zeros(500), truth)) < 1e-12


@pytest.mark.parametrize("levels", [3, 1000])
def test_rank_correlation_is_spearman_s(levels: int) -> None:
    rng = np.random.default_rng(levels)
    a, b = rng.integers(0, levels, 300).astype(float), rng.normal(size=300)
    assert measures.rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert measures.rank_correlation(np.ones(5), np.arange(5.0)) == 0


def test_a_bin_without_an_arm_is_null_in_the_record() -> None:
    n = 40
    treatment = np.array([1] * 4 + [0, 1] * 18)
    rows = Rows.of(np.zeros((n, 1)), np.arange(n) % 2, treatment)
    bins, curve = measures.bin_table(rows, -np.arange(n, dtype=float))
    assert bins[0].observed is None
    assert bins[0].control == 0
    assert bins[1].observed is not None
    assert len(curve.phi) == len(curve.gain) == 11


def test_measures_against_the_truth_need_the_truth() -> None:
    rows = Rows.of(np.zeros((4, 1)), [0, 1, 0, 1], [0, 0, 1, 1])
    assert measures.truth(rows, np.arange(4.0)) is None


def test_a_bin_holds_the_responses_of_its_arms() -> None:
    rng = np.random.default_rng(0)
    n = 200
    treatment, y = np.arange(n) % 2, rng.integers(0, 2, n)
    bins, _ = measures.bin_table(
        Rows.of(np.zeros((n, 1)), y, treatment), -np.arange(n, dtype=float)
    )
    for index, b in enumerate(bins):
        part = slice(20 * index, 20 * index + 20)
        assert b.treated_responses == (y[part] * treatment[part]).sum()
        assert b.control_responses == (y[part] * (1 - treatment[part])).sum()
