"""Segments in words: the rules of a small tree that imitates the model.

The tree is grown on rows and scores of one part of the file and measured on another, which neither
the model nor the tree has seen.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

MOST = 6
DEPTH = 3
SMALLEST_SHARE = 0.05
SMALLEST_ROWS = 500
LEVELS = 12  # of a category that may get a rule of their own

Condition = dict[str, Any]  # column, test (below, from, is, not), value, missing (do they pass)


def grow(frame: pd.DataFrame, score: NDArray[np.float64]) -> list[list[Condition]]:
    """The leaves of the tree, each as the conditions that lead to it; none without any split."""
    columns, features = [], []
    for name in frame.columns:
        for about, feature in _features(frame[name]):
            columns.append((str(name), *about))
            features.append(feature)
    smallest = max(SMALLEST_ROWS, int(np.ceil(SMALLEST_SHARE * len(frame))))
    if not features or len(frame) < 2 * smallest or np.ptp(score) == 0:
        return []
    tree = DecisionTreeRegressor(
        max_depth=DEPTH, max_leaf_nodes=MOST, min_samples_leaf=smallest, random_state=0
    ).fit(np.column_stack(features).astype(np.float32), score)
    return [leaf for leaf in _leaves(tree.tree_, columns, 0, []) if leaf]


def _features(column: pd.Series) -> list[tuple[tuple[str, Any, Any], NDArray[np.float64]]]:
    """((kind, level, fill), numbers): a number or date as it is, a level as 0/1."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        counts = column.value_counts()
        levels = list(counts.index[counts > 0][:LEVELS])
        if len(levels) == 2 and not column.isna().any():  # "yes" rather than "not no"
            return [(("level", levels[0], levels[1]), (column == levels[0]).to_numpy(float))]
        return [(("level", level, None), (column == level).to_numpy(float)) for level in levels]
    numbers, kind = as_numbers(column)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return []
    fill = float(np.median(known))
    whole = bool((known == np.round(known)).all())
    return [((kind, whole, fill), np.where(np.isnan(numbers), fill, numbers))]


def as_numbers(column: pd.Series) -> tuple[NDArray[np.float64], str]:
    """A number or a date (days since 1970) as float64, NaN where missing."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        days = column.to_numpy("datetime64[D]").astype(np.int64).astype(np.float64)
        return np.where(column.isna(), np.nan, days), "date"
    return column.to_numpy(np.float64, na_value=np.nan), "number"


def _leaves(
    tree: Any, columns: list[tuple[Any, ...]], node: int, path: list[Condition]
) -> list[list[Condition]]:
    if tree.children_left[node] < 0:
        return [path]
    name, kind, detail, fill = columns[tree.feature[node]]
    if kind == "level":
        high = {"test": "is", "value": detail, "missing": False}
        low = {"test": "not", "value": detail, "missing": True}
        if fill is not None:
            low = {"test": "is", "value": fill, "missing": False}
    else:
        cut = _rounded(float(tree.threshold[node]), whole=detail)
        low, high = (
            {"test": test, "value": cut, "kind": kind, "missing": passes}
            for test, passes in (("below", fill < cut), ("from", fill >= cut))
        )
    return [
        leaf
        for child, step in ((tree.children_left, low), (tree.children_right, high))
        for leaf in _leaves(tree, columns, child[node], [*path, {"column": name, **step}])
    ]


def _rounded(cut: float, whole: bool) -> float:
    """A cut that one can say: whole numbers between whole numbers, else three digits."""
    return float(np.ceil(cut)) if whole else float(f"{cut:.3g}")


def members(conditions: list[Condition], frame: pd.DataFrame) -> NDArray[np.bool_]:
    """The rows that pass all conditions."""
    inside = np.ones(len(frame), dtype=bool)
    for condition in conditions:
        column, value = frame[condition["column"]], condition["value"]
        if condition["test"] in ("is", "not"):
            passes = (column == value).to_numpy(bool)
            inside &= passes if condition["test"] == "is" else ~passes
            continue
        numbers, _ = as_numbers(column)
        passes = numbers < value if condition["test"] == "below" else numbers >= value
        inside &= np.where(np.isnan(numbers), condition["missing"], passes)
    return inside


def words(conditions: list[Condition]) -> str:
    """ "has_app = yes and age under 35"; of several limits of a column the tightest."""
    by_column: dict[str, list[Condition]] = {}
    for condition in conditions:
        by_column.setdefault(condition["column"], []).append(condition)
    return " and ".join(_column_words(name, found) for name, found in by_column.items())


def _column_words(name: str, conditions: list[Condition]) -> str:
    levels = [c["value"] for c in conditions if c["test"] == "is"]
    if levels:
        return f"{name} = {levels[0]}"
    others = [str(c["value"]) for c in conditions if c["test"] == "not"]
    if others:
        return f"{name} not {' or '.join(others)}"
    date = conditions[0]["kind"] == "date"
    below = min((c["value"] for c in conditions if c["test"] == "below"), default=None)
    at_least = max((c["value"] for c in conditions if c["test"] == "from"), default=None)
    if date:
        say = [] if at_least is None else [f"from {_day(at_least)}"]
        return " ".join([name, *say, *([] if below is None else [f"before {_day(below)}"])])
    if at_least is None:
        return f"{name} under {below:,g}"
    if below is None:
        return f"{name} {at_least:,g} or more"
    return f"{name} {at_least:,g} to under {below:,g}"


def _day(days: float) -> str:
    return str(np.datetime64(int(days), "D"))
