"""Bins of numbers, categories and missing values; folds."""

import numpy as np
import pandas as pd
import pytest

from twin.boost.bins import MOST_BINS, MOST_LEVELS, Bins
from twin.boost.inputs import _folds


def test_few_values_have_a_bin_each_and_missing_values_their_own() -> None:
    x = np.array([3.0, 1.0, np.nan, 2.0, 1.0, 3.0])
    bins = Bins.of(x[:, None])
    assert bins.apply(x[:, None])[:, 0].tolist() == [2, 0, 3, 1, 0, 2]
    np.testing.assert_allclose(bins.edges[0], [1.5, 2.5])
    np.testing.assert_allclose(bins.mean[0, :3], [1, 2, 3])
    np.testing.assert_allclose(bins.share[0], [2 / 6, 1 / 6, 2 / 6, 1 / 6])
    seen = x[~np.isnan(x)]
    np.testing.assert_allclose(bins.z[0], [*((np.array([1, 2, 3]) - 2) / seen.std()), 0])
    assert bins.labels(0) == [1.0, 2.0, 3.0, "missing"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_values_are_cut_into_equal_shares(dtype: type) -> None:
    X = np.random.default_rng(0).exponential(size=(20_000, 1)).astype(dtype)
    bins = Bins.of(X)
    B = bins.apply(X)[:, 0]
    counts = np.bincount(B)
    assert len(counts) == MOST_BINS
    assert counts.max() - counts.min() <= 2
    for b in range(MOST_BINS):  # bins are intervals, and their means are means
        inside = X[b == B, 0]
        low = -np.inf if b == 0 else bins.edges[0][b - 1]
        high = np.inf if b == MOST_BINS - 1 else bins.edges[0][b]
        assert low < inside.min()
        assert inside.max() <= high
        assert bins.mean[0, b] == pytest.approx(inside.mean(dtype=float))
    shuffled = Bins.of(np.random.default_rng(1).permutation(X))
    np.testing.assert_array_equal(shuffled.edges[0], bins.edges[0])


def test_a_frequent_value_and_a_constant() -> None:
    rng = np.random.default_rng(2)
    frequent = np.where(rng.random(5000) < 0.9, 7.0, rng.random(5000))
    bins = Bins.of(np.column_stack([frequent, np.full(5000, 1e9), np.full(5000, np.nan)]))
    B = bins.apply(np.column_stack([frequent, np.full(5000, 1e9), np.full(5000, np.nan)]))
    assert len(np.unique(B[frequent == 7, 0])) == 1
    assert np.bincount(B[:, 0]).min() > 0
    assert bins.n_bins.tolist()[1:] == [1, 1]
    assert (bins.z[1:] == 0).all()
    assert set(B[:, 1]) == {0}
    assert set(B[:, 2]) == {1}  # missing


def test_categories_by_type_by_name_and_however_they_are_typed() -> None:
    frame = pd.DataFrame(
        {
            "shop": pd.Categorical(["b", "a", None, "b"]),
            "code": [3, 1, 3, 2],
            "flag": [True, False, True, True],
            "size": pd.array([1.5, None, 2.5, 1.5], dtype="Float64"),
        }
    )
    bins = Bins.of(frame, categories=["code"])
    assert bins.levels == (("a", "b"), ("1.0", "2.0", "3.0"), None, None)
    expected = [[1, 2, 1, 0], [0, 0, 0, 2], [2, 2, 1, 1], [1, 1, 1, 0]]
    assert bins.apply(frame).tolist() == expected
    as_text = frame.assign(shop=["b", "a", None, "b"], code=[3.0, 1.0, 3.0, 2.0])
    assert bins.apply(as_text).tolist() == expected
    new = frame.assign(shop=["z"] * 4, code=[9] * 4)
    assert set(bins.apply(new)[:, 0]) == {2}
    assert set(bins.apply(new)[:, 1]) == {3}
    assert bins.categorical.tolist() == [True, True, False, False]


def test_the_rarest_of_too_many_levels_count_as_missing() -> None:
    codes = np.concatenate([np.arange(400), np.arange(200)])
    bins = Bins.of(codes[:, None], categories=[0])
    B = bins.apply(codes[:, None])[:, 0]
    assert bins.n_bins[0] == MOST_LEVELS
    assert (B[codes < 200] < MOST_LEVELS).all()
    assert (B == MOST_LEVELS).sum() == 400 - MOST_LEVELS


@pytest.mark.parametrize("fraction", [None, 0.25])
def test_folds_spread_arms_and_outcomes_evenly(fraction: float | None) -> None:
    rng = np.random.default_rng(3)
    t, y = (rng.random(1000) < 0.15).astype(int), (rng.random(1000) < 0.05).astype(int)
    fold = _folds(y, t, 5, fraction, np.random.default_rng(0))
    assert (fold < 0).sum() == (0 if fraction is None else 250)
    for stratum in range(4):
        counts = np.bincount(fold[(2 * t + y == stratum) & (fold >= 0)], minlength=5)
        assert counts.max() - counts.min() <= 1
    if fraction is not None:
        for label in (t, y):
            assert label[fold < 0].mean() == pytest.approx(label.mean(), abs=0.005)
