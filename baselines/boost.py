"""Gradient boosting that tunes itself by random search and cross-validation (rlearner's cvboost).

The reference draws 10 settings and scores each by 10 folds with up to 1000 rounds and early
stopping after 10, for trees of depth 3 to 20. What is cut here, to fit one replicate into a minute:
6 settings, 5 folds, depth 3 to 6, and histograms of 64 bins. docs/baselines.md shows the cost.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

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

    `Boost(draws=10, n_folds=10, deepest=20, bins=256)` is the reference's search. `objective` is
    xgboost's name of the loss: squared error, or "binary:logistic" for the probability of a 0/1
    outcome; settings are compared by the same loss.
    """

    draws: int = 6
    n_folds: int = 5
    deepest: int = 6
    bins: int = 64
    threads: int = 1
    objective: str = "reg:squarederror"

    @staticmethod
    def of(method: "Boosted") -> "Boost":
        """The search of `method`, with its threads; a quick run draws two settings."""
        draws = 2 if method.quick else method.boost.draws
        return replace(method.boost, threads=method.threads, draws=draws)

    def fit(
        self, X: Array, y: Array, rng: np.random.Generator, *, weight: Array | None = None
    ) -> "BoostFit":
        """Boosted trees of `y` on `X` by the (weighted) loss of `objective`."""
        import xgboost as xgb

        data = xgb.DMatrix(X, label=y, weight=weight, nthread=self.threads)
        number = rng.permutation(np.arange(len(y)) % self.n_folds)
        # Cut once for all draws, so that xgboost finds the edges of the histograms once.
        folds = [
            Fold(data.slice(np.flatnonzero(number != k)), data.slice(rows), rows)
            for k in np.unique(number)
            for rows in [np.flatnonzero(number == k)]
        ]
        least, chosen, rounds = np.inf, {}, 0
        for _ in range(self.draws):
            params = self._draw(rng)
            error, best_round = _cross_validate(params, folds)
            if error < least:
                least, chosen, rounds = error, params, best_round
        booster = xgb.train(chosen, data, rounds)
        settings = {name: chosen[name] for name in (*SPACE, "max_depth", "gamma")}
        return BoostFit(booster, {**settings, "rounds": rounds}, chosen, folds)

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            **{name: rng.choice(values).item() for name, values in SPACE.items()},
            "max_depth": int(rng.integers(3, self.deepest + 1)),
            "gamma": rng.uniform(0, 0.2),
            "objective": self.objective,
            "tree_method": "hist",
            "max_bin": self.bins,
            "nthread": self.threads,
            "seed": int(rng.integers(2**31)),
        }


class Boosted(Protocol):
    """A method with a search of its own."""

    boost: Boost
    threads: int
    quick: bool


class Fold(NamedTuple):
    """Rows to train on and rows to score, as xgboost takes them, and the numbers of the latter."""

    inside: Any
    outside: Any
    rows: NDArray[np.intp]


def _cross_validate(params: dict[str, Any], folds: list[Fold]) -> tuple[float, int]:
    """The mean error over the folds where it stops falling, and the number of rounds until there.

    The same numbers as `xgboost.cv`, which cuts the folds anew at each call and scores the rows
    that it trains on as well.
    """
    import xgboost as xgb

    boosters = [xgb.Booster(params, [fold.inside, fold.outside]) for fold in folds]
    least, best_round = np.inf, 0
    for rounds in range(1, N_ROUNDS + 1):
        for booster, fold in zip(boosters, folds, strict=True):
            booster.update(fold.inside, rounds - 1)
        error = float(np.mean([_error(b, f) for b, f in zip(boosters, folds, strict=True)]))
        if error < least:
            least, best_round = error, rounds
        elif rounds - best_round >= PATIENCE:
            return least, best_round
    return error, rounds


def _error(booster: Any, fold: Fold) -> float:
    """Root mean square error, or log loss, of the rows left out; xgboost gives it as text."""
    return float(booster.eval(fold.outside).rsplit(":", 1)[1])


@dataclass(frozen=True)
class BoostFit:
    """The best of the settings drawn, fitted on all rows."""

    booster: Any
    settings: dict[str, float]
    params: dict[str, Any]
    folds: list[Fold]

    def predict(self, X: Array) -> NDArray[np.float64]:
        """The fitted mean."""
        return self.booster.inplace_predict(X).astype(np.float64)

    def out_of_fold(self) -> NDArray[np.float64]:
        """Predictions of every training row by the booster that left its fold out."""
        import xgboost as xgb

        predictions = np.empty(sum(len(fold.rows) for fold in self.folds))
        for fold in self.folds:
            booster = xgb.train(self.params, fold.inside, self.settings["rounds"])
            predictions[fold.rows] = booster.predict(fold.outside)
        return predictions
