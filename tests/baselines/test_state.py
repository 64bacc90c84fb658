"""What a method keeps: the same predictions from plain values, or a clear word that it cannot."""

import json

import numpy as np
import pytest

import baselines
from baselines._state import Nodes, _check_nodes, pack, unpack
from baselines.forest import Tree

# It knows the truth of simulated rows, and nothing else; torch's modules are code.
UNKEPT = ("oracle", "tarnet", "dragonnet", "s-network")


def plain(value, path="state"):
    """Nothing but JSON values, numeric arrays and bytes; the arrays are returned as lists."""
    if isinstance(value, np.ndarray):
        assert value.dtype.kind in "biuf", path
        return None
    if isinstance(value, bytes):
        return None
    if isinstance(value, dict):
        return {k: plain(v, f"{path}.{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v, path) for v in value]
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", sorted(baselines.methods()))
def test_state_predicts_the_same_or_says_that_it_cannot(name, fitted, test_rows):
    method = fitted(name)
    if name in UNKEPT:
        with pytest.raises(NotImplementedError, match=f"{name} cannot be kept in a file"):
            method.state()
        return
    state = method.state()
    plain(state)
    again = type(method).from_state(state)
    np.testing.assert_allclose(
        again.predict(test_rows.X), method.predict(test_rows.X), rtol=0, atol=1e-12
    )


def test_a_method_that_is_not_fitted_has_no_state():
    with pytest.raises(ValueError, match="not fitted yet"):
        baselines.method("r-lasso")().state()


def test_what_has_no_plain_form_is_named(fitted):
    method = type(fitted("r-lasso")).from_state(fitted("r-lasso").state())
    method._extra = {1, 2}
    with pytest.raises(NotImplementedError, match="r-lasso cannot be kept in a file: a set"):
        method.state()


def test_state_cannot_replace_code(fitted):
    state = fitted("r-lasso").state()
    state["own"]["_predict"] = 3
    with pytest.raises(ValueError, match="no attribute '_predict'"):
        baselines.method("r-lasso").from_state(state)


def test_a_read_tree_walks_like_brute_force():
    rng = np.random.default_rng(0)
    left = np.array([1, 3, -1, -1, 5, -1, -1], np.int32)
    right = np.array([2, 4, -1, -1, 6, -1, -1], np.int32)
    nodes = Nodes(left, right, np.array([0, 1, 0, 0, 2, 0, 0], np.int32), rng.normal(size=7))
    X = rng.normal(size=(100, 3))

    def walk(x):
        node = 0
        while left[node] >= 0:
            is_left = x[nodes.feature[node]] <= nodes.threshold[node]
            node = left[node] if is_left else right[node]
        return node

    assert nodes.apply(X).tolist() == [walk(x) for x in X]
    statistics = rng.normal(size=(7, 1))
    (tree,) = unpack(pack([Tree(nodes, statistics)]))
    assert np.array_equal(tree.structure.apply(X), nodes.apply(X))


@pytest.mark.parametrize(("child", "what"), [(0, "out of range"), (9, "out of range")])
def test_a_tree_with_a_circle_or_a_hole_is_refused(child, what):
    left, right = np.array([1, -1, -1], np.int32), np.array([child, -1, -1], np.int32)
    nodes = Nodes(left, right, np.zeros(3, np.int32), np.zeros(3))
    with pytest.raises(ValueError, match=what):
        _check_nodes(nodes, np.zeros((3, 1)))
