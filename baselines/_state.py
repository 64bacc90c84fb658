"""What a fitted method keeps, as JSON, numpy arrays and xgboost's own format: no code, no pickle.

`pack` turns the private attributes of a method into plain values, `unpack` turns them back. What
JSON cannot say is a dictionary with one key that begins with $:

    $pairs   a dictionary whose keys are no text       $twin    an estimator of the package twin
    $booster xgboost's bytes (ubj)                     $forest  trees, all nodes in one array each
"""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from baselines.forest import Tree
from twin import TwinBoost
from twin.base import UpliftEstimator
from twin.network import Network
from twin.trainer import Scaler


class Unkept(NotImplementedError):
    """A method holds something that has no plain form."""


def pack(value: Any) -> Any:
    """`value` as JSON values, arrays and bytes; `Unkept` if it has no such form."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: pack(item) for key, item in value.items()}
        return {"$pairs": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple) and value and all(isinstance(v, Tree) for v in value):
        return {"$forest": _pack_forest(value)}
    if isinstance(value, list | tuple):
        return [pack(item) for item in value]
    if isinstance(value, UpliftEstimator) and hasattr(value, "networks_"):
        return {"$twin": _pack_twin(value)}
    if isinstance(value, TwinBoost):
        return {"$boost": _pack_boost(value)}
    if type(value).__module__.startswith("xgboost."):
        return {"$booster": bytes(value.save_raw("ubj"))}
    raise Unkept(f"a {type(value).__name__} has no form without code")


def unpack(value: Any) -> Any:
    """What `pack` packed; a ValueError where it makes no sense."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$pairs" in value:
        return {unpack(key): unpack(item) for key, item in value["$pairs"]}
    if "$forest" in value:
        return _unpack_forest(value["$forest"])
    if "$twin" in value:
        return _unpack_twin(value["$twin"])
    if "$boost" in value:
        return _unpack_boost(value["$boost"])
    if "$booster" in value:
        import xgboost as xgb

        booster = xgb.Booster({"nthread": 1})
        booster.load_model(bytearray(value["$booster"]))
        return booster
    return {key: unpack(item) for key, item in value.items()}


def _pack_twin(model: UpliftEstimator) -> dict[str, Any]:
    networks = [{k: np.asarray(a) for k, a in n.arrays().items()} for n in model.networks_]
    scaler = model.scaler_
    return {"mean": scaler.mean, "inverse_scale": scaler.inverse_scale, "networks": networks}


def _unpack_twin(state: dict[str, Any]) -> UpliftEstimator:
    """Any of the estimators predicts by its networks and its scaler."""
    model = UpliftEstimator()
    model.scaler_ = Scaler.from_arrays(state["mean"], state["inverse_scale"])
    p = model.n_features_in_ = len(state["mean"])
    networks = [{k: np.asarray(a) for k, a in arrays.items()} for arrays in state["networks"]]
    model.networks_ = tuple(Network.from_arrays(arrays, p) for arrays in networks)
    return model


def _pack_boost(model: TwinBoost) -> NDArray[np.uint8]:
    """The bytes of its own file, which `load` checks completely."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "boost.npz")
        return np.frombuffer((Path(folder) / "boost.npz").read_bytes(), np.uint8)


def _unpack_boost(content: NDArray[np.uint8]) -> TwinBoost:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "boost.npz").write_bytes(np.asarray(content, np.uint8).tobytes())
        return TwinBoost.load(Path(folder) / "boost.npz")


class Nodes(NamedTuple):
    """A tree's nodes: a row goes left where its feature is at most the threshold."""

    children_left: NDArray[np.int32]  # -1: a leaf
    children_right: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]

    def apply(self, X: NDArray[np.floating]) -> NDArray[np.int32]:
        """The leaf of each row."""
        return _apply(X, *self)


@njit(cache=True)
def _apply(X, left, right, feature, threshold):  # pragma: no cover - compiled
    leaf = np.empty(len(X), np.int32)
    for i in range(len(X)):
        node = 0
        while left[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
        leaf[i] = node
    return leaf


def _pack_forest(trees: list[Tree]) -> dict[str, Any]:
    parts = [_nodes(tree.structure) for tree in trees]
    state = {name: np.concatenate([getattr(p, name) for p in parts]) for name in Nodes._fields}
    state["statistics"] = np.concatenate([tree.statistics for tree in trees])
    return {**state, "sizes": np.array([len(tree.statistics) for tree in trees], np.int64)}


def _nodes(structure: Any) -> Nodes:
    """The structure that a library has grown, or one that was read."""
    left, right = (
        np.asarray(a, np.int32) for a in (structure.children_left, structure.children_right)
    )
    inner = left >= 0
    feature = np.where(inner, structure.feature, 0).astype(np.int32)
    return Nodes(left, right, feature, np.where(inner, structure.threshold, 0.0))


def _unpack_forest(state: dict[str, Any]) -> list[Tree]:
    cuts = np.cumsum(state["sizes"])[:-1]
    parts = [np.split(state[name], cuts) for name in (*Nodes._fields, "statistics")]
    trees = []
    for *nodes, statistics in zip(*parts, strict=True):
        structure = Nodes(*nodes)
        _check_nodes(structure, statistics)
        trees.append(Tree(structure, statistics))
    return trees


def _check_nodes(nodes: Nodes, statistics: NDArray[np.float64]) -> None:
    """Children come after their parent and exist: every walk from the root ends in a leaf."""
    n = len(statistics)
    if n == 0 or any(len(part) != n for part in nodes):
        raise ValueError("a tree's arrays differ in length")
    own = np.arange(n)
    inner = nodes.children_left >= 0
    for child in (nodes.children_left[inner], nodes.children_right[inner]):
        if not ((child > own[inner]) & (child < n)).all():
            raise ValueError("a tree's children are out of range")
    if (nodes.feature < 0).any():
        raise ValueError("a tree splits by a column that does not exist")
