"""Small estimators for tests, as scikit-learn users would make them."""

from typing import Any

from twin import TwinSearch, TwinUplift
from twin.rows import Rows

SMALL = {"learning_rate": (0.05, 0.2), "node_penalty": (0.0, 0.01), "weight_penalty": (0.001,)}


def twin(**changes: Any) -> TwinUplift:
    return TwinUplift(**{"hidden": (8,), "epochs": 4, "random_state": 1, **changes})


def search(**changes: Any) -> TwinSearch:
    start = {"hidden": (8,), "grid": SMALL, "epochs": 4, "random_state": 1}
    return TwinSearch(**{**start, **changes})


def parts(rows: Rows) -> tuple:
    return rows.X, rows.y, rows.treatment
