"""Candidates for analysis B: models, each with every score that it could be chosen by.

Ridge regressions with interactions by 20 penalties, and boosted trees for each arm by 3 depths and
7 numbers of rounds. They are cheap, and no model of the paper: what is studied is the choice.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from suite.compute.readings import Probe, Read
from twin.qini import qini_curve
from twin.rows import Rows

PENALTIES = tuple(10.0 ** (k / 4) for k in range(-2, 18))  # 0.3 to 18,000
DEPTHS = (2, 3, 5)
ROUNDS = (5, 10, 20, 40, 60, 90, 130)
RATE = 0.1
LEAST = 1e-3  # of a predicted probability
Floats = NDArray[np.float64]


class Arms(NamedTuple):
    """Predicted response without and with treatment."""

    low: Floats
    high: Floats


class Candidates(Probe):
    """Fits every candidate; its own prediction is that of the first."""

    def readings(self, X: NDArray[np.float32]) -> Mapping[str, Read]:
        return {name: Read(arms.high - arms.low, self._facts[name]) for name, arms in self._arms(X)}

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        self._train(train)
        self._facts = {name: scores(arms, valid) for name, arms in self._arms(valid.X)}

    def _predict(self, X: NDArray[np.float32]) -> Floats:
        _, arms = next(self._arms(X))
        return arms.high - arms.low

    def _train(self, train: Rows) -> None:
        raise NotImplementedError

    def _arms(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Arms]]:
        raise NotImplementedError


class Ridges(Candidates):
    """Least squares of y on x, t and x t, penalised but for the level and the mean effect."""

    name = "candidates-ridge"

    def _train(self, train: Rows) -> None:
        self._center, self._scale = train.X.mean(axis=0), train.X.std(axis=0) + 1e-12
        self._share = train.treatment.mean()
        A = self._design(train.X, train.treatment.astype(float))
        gram, target = A.T @ A, A.T @ train.y
        free = np.ones(len(gram))
        free[:2] = 0.0
        self._weights = [np.linalg.solve(gram + p * np.diag(free), target) for p in PENALTIES]

    def _design(self, X: NDArray[np.float32], t: Floats) -> Floats:
        x, shift = (X - self._center) / self._scale, (t - self._share)[:, None]
        return np.hstack([np.ones_like(shift), shift, x, x * shift])

    def _arms(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Arms]]:
        designs = [self._design(X, np.full(len(X), arm)) for arm in (0.0, 1.0)]
        for penalty, weights in zip(PENALTIES, self._weights, strict=True):
            yield f"ridge, penalty {penalty:.3g}", Arms(*(design @ weights for design in designs))


class Trees(Candidates):
    """Boosted trees for each arm; one training gives every number of rounds."""

    name = "candidates-trees"

    def _train(self, train: Rows) -> None:
        import xgboost as xgb

        shared = {"eta": RATE, "objective": "binary:logistic", "tree_method": "hist"}
        shared |= {"max_bin": 64, "nthread": self.threads, "seed": 0}
        arms = [train.treatment == arm for arm in (0, 1)]
        rows = [xgb.DMatrix(train.X[own], label=train.y[own], nthread=1) for own in arms]
        self._models = {
            depth: [xgb.train({**shared, "max_depth": depth}, own, max(ROUNDS)) for own in rows]
            for depth in DEPTHS
        }

    def _arms(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Arms]]:
        import xgboost as xgb

        rows = xgb.DMatrix(X, nthread=1)
        for depth, models in self._models.items():
            for rounds in ROUNDS:
                found = (m.predict(rows, iteration_range=(0, rounds)) for m in models)
                arms = Arms(*(response.astype(float) for response in found))
                yield f"trees of depth {depth}, {rounds} rounds", arms


def scores(arms: Arms, valid: Rows) -> dict[str, float]:
    """What a candidate could be chosen by on validation rows."""
    uplift, y, t = arms.high - arms.low, valid.y.astype(float), valid.treatment.astype(float)
    curve, share = qini_curve(valid.y, uplift, valid.treatment).scores, t.mean()
    own_mean = share * arms.high + (1 - share) * arms.low
    response = np.clip(np.where(t == 1, arms.high, arms.low), LEAST, 1 - LEAST)
    return {
        "q_adj": curve.q_adj,
        "q": curve.q,
        "r_loss": float(np.mean(((y - y.mean()) - (t - share) * uplift) ** 2)),
        "r_loss_own_mean": float(np.mean(((y - own_mean) - (t - share) * uplift) ** 2)),
        "likelihood": float(np.log(np.where(y == 1, response, 1 - response)).mean()),
    }
