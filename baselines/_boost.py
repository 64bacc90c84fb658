"""Gradient boosting that tunes itself by random search and cross-validation (rlearner's cvboost).

The reference draws 10 settings and scores each by 10 folds with up to 1000 rounds and early
stopping after 10, for trees of depth 3 to 20. What is cut here, to fit one replicate into a minute:
6 settings, 5 folds, depth 3 to 6, and histograms of 64 bins. docs/baselines.md shows the cost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

N_ROUNDS = 1000
PATIENCE = 10
SPACE: dict[str, tuple[float, ...]] = {
    "subsample": (0.5, 0.75, 1.0),
    "colsample_bytree": (0.6, 0.8, 1.0),
    "eta": (0.005, 0.01, 0.015, 0.025, 0.05, 0.08, 0.1, 0.2),
    "min_child_weight": tuple(range(1, 21)),
    "max_delta_step": tuple(range(1, 11)),
}


@dataclass(frozen=True)
class Boost:
    """How much to search: `draws` settings, each scored by `n_folds` folds.

    `Boost(draws=10, n_folds=10, deepest=20, bins=256)` is the reference's search.
    """

    draws: int = 6
    n_folds: int = 5
    deepest: int = 6
    bins: int = 64
    threads: int = 1

    def fit(
        self, X: Array, y: Array, rng: np.random.Generator, *, weight: Array | None = None
    ) -> "BoostFit":
        """Boosted regression trees of `y` on `X` by (weighted) squared error."""
        import xgboost as xgb

        data = xgb.DMatrix(X, label=y, weight=weight, nthread=self.threads)
        fold = rng.permutation(np.arange(len(y)) % self.n_folds)
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]
        least, chosen, rounds = np.inf, {}, 0
        for _ in range(self.draws):
            params = self._draw(rng)
            log = xgb.cv(
                params,
                data,
                N_ROUNDS,
                folds=splits,
                early_stopping_rounds=PATIENCE,
                as_pandas=False,
            )
            errors = log["test-rmse-mean"]  # up to the best round
            if errors[-1] < least:
                least, chosen, rounds = errors[-1], params, len(errors)
        booster = xgb.train(chosen, data, rounds)
        settings = {name: chosen[name] for name in (*SPACE, "max_depth", "gamma")}
        return BoostFit(booster, {**settings, "rounds": rounds}, chosen, data, splits)

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            **{name: rng.choice(values).item() for name, values in SPACE.items()},
            "max_depth": int(rng.integers(3, self.deepest + 1)),
            "gamma": rng.uniform(0, 0.2),
            "objective": "reg:squarederror",
            "tree_method": "hist",
            "max_bin": self.bins,
            "nthread": self.threads,
            "seed": int(rng.integers(2**31)),
        }


@dataclass(frozen=True)
class BoostFit:
    """The best of the settings drawn, fitted on all rows."""

    booster: Any
    settings: dict[str, float]
    params: dict[str, Any]
    data: Any
    splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]]

    def predict(self, X: Array) -> NDArray[np.float64]:
        """The fitted mean."""
        return self.booster.inplace_predict(X).astype(np.float64)

    def out_of_fold(self) -> NDArray[np.float64]:
        """Predictions of every training row by the booster that left its fold out."""
        import xgboost as xgb

        predictions = np.empty(self.data.num_row())
        for inside, outside in self.splits:
            booster = xgb.train(self.params, self.data.slice(inside), self.settings["rounds"])
            predictions[outside] = booster.predict(self.data.slice(outside))
        return predictions
