"""Forests: one fit cut at any depth, the libraries' own predictions, and planted effects."""

import numpy as np
import pytest

import baselines
from baselines.forest import _cut, _means
from twin import Rows


def planted(n: int, seed: int, p: int = 8, signal: int = 3) -> Rows:
    """An effect of 0.5 where the column `signal` is positive, none elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)).astype(np.float32)
    treatment = rng.integers(2, size=n)
    uplift = 0.5 * (X[:, signal] > 0)
    return Rows.of(X, rng.random(n) < 0.25 + uplift * treatment, treatment, true_uplift=uplift)


def with_grid(name: str, trees: tuple, depth: tuple) -> type:
    """The method with another grid."""
    return type("Other", (baselines.method(name),), {"grid": {"trees": trees, "depth": depth}})


@pytest.mark.parametrize("name", ["causal-forest", "causal-forest-honest"])
def test_a_causal_forest_recovers_a_step(name):
    rows, test = planted(4000, 1), planted(1000, 2)
    method = with_grid(name, (60,), (4,))().fit(rows, rows, 0)
    predicted = method.predict(test.X)
    high = test.true_uplift > 0
    assert predicted[high].mean() == pytest.approx(0.5, abs=0.06)
    assert predicted[~high].mean() == pytest.approx(0.0, abs=0.06)
    assert np.corrcoef(predicted, test.true_uplift)[0, 1] > 0.9


@pytest.mark.parametrize("name", ["causal-forest", "causal-forest-honest"])
def test_a_causal_forest_predicts_as_econml_does(name, monkeypatch):
    """Our average of node statistics equals econml's own prediction of the same forest."""
    import econml.grf

    made = []

    class Kept(econml.grf.CausalForest):
        def fit(self, *arguments, **keywords):
            made.append(self)
            return super().fit(*arguments, **keywords)

    monkeypatch.setattr(econml.grf, "CausalForest", Kept)
    rows = planted(800, 3)
    method = with_grid(name, (12,), (None,))().fit(rows, rows, 0)
    own = made[0].predict(rows.X.astype(float)).ravel()
    np.testing.assert_allclose(method.predict(rows.X), own, rtol=1e-9, atol=1e-12)
    assert made[0].honest is method.honest
    assert made[0].criterion == "het"


@pytest.mark.parametrize("name", ["causal-forest", "causal-forest-honest", "uplift-forest-kl"])
def test_a_cut_forest_is_a_forest_grown_to_that_depth(name):
    rows = planted(800, 4, p=1, signal=0)  # one column: no random choice of features
    for depth in (1, 2, 3):
        grown = with_grid(name, (6,), (depth,))().fit(rows, rows, 0)
        forest = with_grid(name, (6,), (None,))().fit(rows, rows, 0)
        forest._trees = [_cut(tree, depth) for tree in forest._trees]
        np.testing.assert_allclose(forest.predict(rows.X), grown.predict(rows.X), rtol=1e-9)


def test_cutting_keeps_the_statistics_above_and_overwrites_those_below():
    rows = planted(600, 5)
    forest = with_grid("causal-forest", (1,), (None,))()
    forest.fit(rows, rows, 0)
    (tree,) = forest._trees
    depth = _depths(tree.structure)
    for limit in (0, 1, 3):
        cut = _cut(tree, limit)
        np.testing.assert_array_equal(
            cut.statistics[depth <= limit], tree.statistics[depth <= limit]
        )
        below = depth > limit
        parents = _parents(tree.structure)
        np.testing.assert_array_equal(cut.statistics[below], cut.statistics[parents[below]])
    np.testing.assert_array_equal(_cut(tree, None).statistics, tree.statistics)


def test_candidates_are_means_of_the_first_trees():
    rows = planted(600, 6)
    forest = with_grid("uplift-forest-ed", (5,), (None,))().fit(rows, rows, 0)
    X = forest._coded(rows.X)
    means = {
        (count, depth): mean for count, depth, mean in _means(forest._trees, X, [2, 5], [1, None])
    }
    assert set(means) == {(2, 1), (2, None), (5, 1), (5, None)}
    for (count, depth), mean in means.items():
        cut = [_cut(tree, depth) for tree in forest._trees[:count]]
        each = [tree.statistics[tree.structure.apply(X)] for tree in cut]
        np.testing.assert_allclose(mean, np.mean(each, axis=0))


@pytest.mark.parametrize("name", ["causal-forest", "uplift-forest-kl"])
def test_half_predictions_are_those_of_forests_of_half_the_trees(name):
    rows, test = planted(600, 11), planted(50, 12)
    forest = with_grid(name, (7,), (3,))().fit(rows, rows, 0)
    whole, halves = forest.predict(test.X), forest.half_predictions(test.X)
    trees = forest._trees
    for half, chosen in zip(halves, (trees[::2], trees[1::2]), strict=True):
        forest._trees = chosen
        np.testing.assert_array_equal(half, forest.predict(test.X))
    assert (halves[0] != halves[1]).any()
    forest._trees = trees
    np.testing.assert_array_equal(forest.predict(test.X), whole)


@pytest.mark.parametrize("name", ["uplift-forest-kl", "uplift-forest-ed"])
def test_uplift_forests_split_on_the_planted_variable(name):
    rows = planted(2000, 7, p=4, signal=2)
    forest = with_grid(name, (40,), (None,))().fit(rows, rows, 0)
    roots = np.array([tree.structure.feature[0] for tree in forest._trees])
    # Two of four features are tried at the root: the planted one is among them half of the time.
    assert (roots == 2).mean() > 0.4
    assert np.corrcoef(forest.predict(rows.X), rows.true_uplift)[0, 1] > 0.7


def test_the_two_uplift_forests_differ_by_their_divergence():
    rows = planted(800, 8)
    kl, ed = (
        with_grid(name, (10,), (None,))().fit(rows, rows, 0).predict(rows.X)
        for name in ("uplift-forest-kl", "uplift-forest-ed")
    )
    assert (kl != ed).any()


@pytest.mark.parametrize("name", ["uplift-forest-kl", "causal-forest-honest"])
def test_the_best_candidate_on_validation_rows_is_chosen(name):
    rows, valid = planted(800, 9), planted(600, 10)
    forest = with_grid(name, (5, 20), (1, 3, None))().fit(rows, valid, 0)
    assert forest.n_candidates_ == 6
    best = max(entry["q_adj"] for entry in forest.search_)
    chosen = next(entry for entry in forest.search_ if entry["q_adj"] == best)
    assert forest.settings_ == {"trees": chosen["trees"], "depth": chosen["depth"]}
    assert len(forest._trees) == chosen["trees"]


def _parents(structure) -> np.ndarray:
    parents = np.full(structure.node_count, -1)
    for children in (structure.children_left, structure.children_right):
        inner = children >= 0
        parents[children[inner]] = np.flatnonzero(inner)
    return parents


def _depths(structure) -> np.ndarray:
    parents, depth = _parents(structure), np.zeros(structure.node_count, int)
    for node in range(1, structure.node_count):  # parents come before their children
        depth[node] = depth[parents[node]] + 1
    return depth
