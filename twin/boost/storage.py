"""Fitted TwinBoost models in one .npz file: plain arrays and JSON, all of it checked on loading."""

import json
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from twin.boost.bins import MOST_LEVELS, Bins
from twin.boost.heads import Head
from twin.boost.trees import LEAF

if TYPE_CHECKING:
    from twin.boost.estimator import TwinBoost

FORMAT = 1  # raised when older code could misread a newer file
KIND = "TwinBoost"
HEAD_ARRAYS = ("table", "feature", "left", "value", "weight")
DTYPES = {"feature": np.int32, "left": np.uint64}  # float64 otherwise


def save(model: "TwinBoost", path: str | Path) -> None:
    """Write `model`; an earlier file at `path` stays until the new one is complete."""
    bins = model.bins_
    about = {
        "format": FORMAT,
        "class": KIND,
        "version": _own_version(),
        "params": model.get_params(),
        "named": hasattr(model, "feature_names_in_"),
        "names": bins.names,
        "levels": bins.levels,
        "c": model.c_,
        "constants": [model.f_.constant, model.d_.constant],
        "calibration": model.calibration_,
        "choices": model.choices_,
        "validation_loss": model.validation_loss_,
        "propensity": model.propensity_,
        "seed": model.seed_,
    }
    text = json.dumps(about, default=lambda value: value.tolist())  # numpy's numbers
    arrays = {name: getattr(bins, name) for name in ("mean", "z", "share")}
    arrays["edges"] = np.concatenate([*bins.edges, np.empty(0)])
    arrays["edge_counts"] = np.array([len(edges) for edges in bins.edges])
    arrays["gains"] = model.gains_
    for name, head in (("f", model.f_), ("d", model.d_)):
        arrays |= {f"{name}_{array}": getattr(head, array) for array in HEAD_ARRAYS}
    partial = Path(f"{path}.partial")
    try:
        with partial.open("wb") as file:  # a handle, so that numpy appends no suffix
            np.savez_compressed(file, about=np.array(text), **arrays)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load(cls: type["TwinBoost"], path: str | Path) -> "TwinBoost":
    """The model in the file at `path`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
        kind, number = about["class"], about["format"]
    except FileNotFoundError:
        raise ValueError(f"no saved model at {path}") from None
    except (KeyError, TypeError, AttributeError, ValueError, OSError, EOFError, BadZipFile,
            NotImplementedError) as error:  # fmt: skip
        raise ValueError(f"{path} is not a saved twin model ({error})") from None
    if kind != KIND:
        raise ValueError(f"{path} holds a {kind}; load it with {kind}.load")
    if not isinstance(number, int) or number > FORMAT:
        raise ValueError(
            f"{path} has format {number} (written by version {about.get('version')}); "
            f"this version reads up to {FORMAT}: upgrade twin-uplift-suite"
        )
    try:
        return _model(cls, about, arrays)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(f"{path} is a damaged {KIND} model ({error})") from None


def _model(cls: type["TwinBoost"], about: dict[str, Any], arrays: dict[str, Any]) -> "TwinBoost":
    params = about["params"]
    unknown = set(params) - set(cls().get_params())
    _require(not unknown, f"unknown parameters {sorted(unknown)}")
    model = cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in params.items()})
    bins = _bins(about, arrays)
    width = bins.z.shape
    f, d = (
        _head(name, float(constant), arrays, width)
        for name, constant in zip("fd", about["constants"], strict=True)
    )
    numbers = about["calibration"]
    _require(list(numbers) == list("abgh"), "calibration is not a, b, g, h")
    plain = [about["c"], about["validation_loss"], about["propensity"], f.constant, d.constant]
    _require(np.isfinite([*numbers.values(), *plain]).all(), "a number is not finite")
    gains = _array(arrays, "gains", (2, len(bins.names)))
    model.bins_, model.f_, model.d_, model.c_ = bins, f, d, float(about["c"])
    model.calibration_ = {name: float(value) for name, value in numbers.items()}
    model.gains_, model.choices_ = gains, dict(about["choices"])
    model.validation_loss_ = float(about["validation_loss"])
    model.propensity_, model.seed_ = float(about["propensity"]), int(about["seed"])
    model.n_features_in_ = len(bins.names)
    if about["named"]:
        model.feature_names_in_ = np.asarray(bins.names, dtype=object)
    return model


def _bins(about: dict[str, Any], arrays: dict[str, Any]) -> Bins:
    names = tuple(str(name) for name in about["names"])
    levels = tuple(None if v is None else tuple(map(str, v)) for v in about["levels"])
    p = len(names)
    _require(p > 0 and len(levels) == p, f"{p} names and {len(levels)} lists of levels")
    counts = _array(arrays, "edge_counts", (p,), np.int64)
    _require(counts.min() >= 0 and counts.max() < MOST_LEVELS, "edge_counts out of range")
    ends = np.cumsum(counts)
    flat = _array(arrays, "edges", (int(ends[-1]),))
    edges = tuple(flat[a:b] for a, b in pairwise([0, *ends.tolist()]))
    for cuts, known in zip(edges, levels, strict=True):
        _require(np.all(np.diff(cuts) > 0), "edges do not rise")
        _require(known is None or len(cuts) == 0, "a category has edges")
        _require(known is None or len(known) <= MOST_LEVELS, "a category has too many levels")
    sizes = [
        len(e) + 1 if known is None else len(known) for e, known in zip(edges, levels, strict=True)
    ]
    shape = (p, max(sizes) + 1)
    return Bins(
        names,
        edges,
        levels,
        _array(arrays, "mean", shape, finite=False),
        _array(arrays, "z", shape),
        _array(arrays, "share", shape),
    )


def _head(name: str, constant: float, arrays: dict[str, Any], shape: tuple[int, int]) -> Head:
    trees, nodes = arrays[f"{name}_feature"].shape
    _require(nodes & (nodes + 1) == 0 and nodes > 0, f"a tree has {nodes} nodes")
    shapes = {"table": shape, "left": (trees, nodes, 4)}
    found = {
        array: _array(
            arrays, f"{name}_{array}", shapes.get(array, (trees, nodes)),
            DTYPES.get(array, np.float64),
        )
        for array in HEAD_ARRAYS
    }  # fmt: skip
    feature = found["feature"]
    _require(feature.min(initial=LEAF) >= LEAF, "a split of no covariate")
    _require(feature.max(initial=LEAF) < shape[0], "a split of an unknown covariate")
    # Nodes of the last level have no children.
    _require(np.all(feature[:, nodes // 2 :] == LEAF), "a split without children")
    return Head(constant, **found)


def _array(
    arrays: dict[str, Any],
    name: str,
    shape: tuple[int, ...],
    dtype: Any = np.float64,
    finite: bool = True,
) -> Any:
    array = arrays[name]
    _require(array.dtype == dtype, f"{name} has type {array.dtype}")
    _require(array.shape == shape, f"{name} has shape {array.shape} instead of {shape}")
    _require(not finite or np.isfinite(array).all(), f"{name} is not finite")
    return np.ascontiguousarray(array)


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)


def _own_version() -> str:
    try:
        return version("twin-uplift-suite")
    except PackageNotFoundError:  # used from a checkout that is not installed
        return "unknown"
