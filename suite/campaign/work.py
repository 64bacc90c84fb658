"""What a unit computes. Only rows outside the left-out folds are learnt from."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import baselines
from suite.campaign.encode import Encoder
from suite.campaign.folds import tuning_rows
from suite.campaign.scores import outcome_means
from suite.campaign.setup import Setup
from suite.campaign.store import packed
from twin.rows import Rows

LARGEST_FIT = 200_000  # rows, when methods are compared
LARGEST_FINAL = 1_000_000  # rows, of the one that was chosen
SHUFFLED_ROWS = 20_000  # of a fold, for drivers
CACHED_ROWS = 100_000  # encoded rows of a file up to this size are kept between units

Answer = tuple[dict[str, NDArray[Any]], dict[str, Any]]


@dataclass(frozen=True)
class Learnt:
    """Rows that may be learnt from, encoded, and the encoder."""

    rows: NDArray[np.intp]
    X: NDArray[np.float32]
    encoder: Encoder

    def at(self, frame: pd.DataFrame) -> NDArray[np.float32]:
        return self.encoder.transform(frame).astype(np.float32)


def pilot(setup: Setup, method: str, rows: int) -> Answer:
    """Seconds of a fit on `rows` rows."""
    rng = np.random.default_rng([setup.seed, 104])
    some = np.sort(rng.permutation(len(setup.outcome))[:rows])
    learnt = _learn(setup, some)
    _fit(setup, method, learnt.rows[:1000], learnt.X[:1000], seed=0)  # compiles
    start = time.process_time()
    found = _fit(setup, method, learnt.rows, learnt.X, seed=0)
    seconds = time.process_time() - start
    for method_of_arm in found:  # one that cannot be kept cannot be chosen, and fails here
        method_of_arm.state()
    return {}, {"cpu_seconds": seconds}


def means(setup: Setup, left_out: Sequence[int]) -> Answer:
    """Outcome means of the left-out rows, by arm; of the money too where there is any."""
    learnt, out = _part(setup, left_out)
    at = learnt.at(setup.frame.iloc[out])
    arrays = {}
    for name, y in (("mu", setup.outcome), ("money", setup.money)):
        if y is not None:
            y = y[learnt.rows].astype(np.float64)
            seed = _seed(setup, "means", left_out)
            arm = setup.arm[learnt.rows]
            arrays[name] = outcome_means(learnt.X, y, arm, setup.arms, at, seed)
    return arrays, {}


def fit(setup: Setup, left_out: Sequence[int], method: str) -> Answer:
    """Scores of the left-out rows, one column for each treatment.

    With one fold left out also its scores with each column shuffled; with the two folds that
    measure segments left out, the scores of the rows that were learnt from.
    """
    learnt, out = _part(setup, left_out)
    seed = _seed(setup, method, left_out)
    fitted = _fit(setup, method, learnt.rows, learnt.X, seed)
    at = setup.frame.iloc[out]
    arrays = {"score": _scores(fitted, learnt.at(at))}
    values = {"settings": [repr(m.settings_) for m in fitted]}
    if len(left_out) == 1:
        some = np.arange(len(out))
        if len(some) > SHUFFLED_ROWS:
            rng = np.random.default_rng([setup.seed, 105])
            some = np.sort(rng.permutation(len(out))[:SHUFFLED_ROWS])
        arrays["shuffled_rows"] = out[some]
        arrays["shuffled"] = _shuffled(setup, fitted, learnt, at.iloc[some], left_out[0])
    if tuple(left_out) == setup.segment_folds:
        arrays["learnt_rows"] = learnt.rows
        arrays["learnt_score"] = _scores(fitted, learnt.X)
    return arrays, values


def _shuffled(
    setup: Setup, fitted: list[baselines.Method], learnt: Learnt, frame: pd.DataFrame, fold: int
) -> NDArray[np.float32]:
    """Scores (columns, rows, treatments) with one column of the file in a random order."""
    rng = np.random.default_rng([setup.seed, 106, fold])
    order = rng.permutation(len(frame))
    found = []
    for name in setup.used:
        moved = frame.copy(deep=False)
        moved[name] = (
            frame[name].to_numpy()[order]
            if frame[name].dtype.kind in "fiub"
            else (frame[name].iloc[order].set_axis(frame.index))
        )
        found.append(_scores(fitted, learnt.at(moved)))
    return np.asarray(found, dtype=np.float32)


def final(setup: Setup, method: str) -> Answer:
    """The state of the encoder and of one method for each treatment, learnt from all rows."""
    rows = _some(setup, np.arange(len(setup.outcome)), LARGEST_FINAL)
    learnt = _learn(setup, rows)
    seed = _seed(setup, method, ())
    fitted = _fit(setup, method, learnt.rows, learnt.X, seed)
    arrays: dict[str, NDArray[Any]] = {}
    states = [packed(m.state(), arrays) for m in fitted]
    return arrays, {"encoder": learnt.encoder.state(), "methods": states}


def _part(setup: Setup, left_out: Sequence[int]) -> tuple[Learnt, NDArray[np.intp]]:
    out = np.isin(setup.folds, left_out)
    key = tuple(left_out)
    learnt = setup.cache.get(key)
    if learnt is None:
        learnt = _learn(setup, _some(setup, np.flatnonzero(~out), LARGEST_FIT))
        if len(out) <= CACHED_ROWS:
            setup.cache[key] = learnt
    return learnt, np.flatnonzero(out)


def _some(setup: Setup, rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng([setup.seed, 107]).permutation(rows)[:most])


def _learn(setup: Setup, rows: NDArray[np.intp]) -> Learnt:
    frame = setup.frame.iloc[rows]
    # Outcome rates of the very rows that are learnt from would pass for effects of the treatment.
    encoder = Encoder(rates=False).fit(setup.columns, frame, setup.outcome[rows], setup.arm[rows])
    return Learnt(rows, encoder.transform(frame).astype(np.float32), encoder)


def _fit(
    setup: Setup,
    method: str,
    rows: NDArray[np.intp],
    X: NDArray[np.float32],
    seed: int,
) -> list[baselines.Method]:
    """One method for each treatment, on its rows and control's.

    Rows for tuning are set apart only where the method looks at them: one that stops or chooses by
    rows it has learnt from would learn them by heart.
    """
    cls, fitted = baselines.method(method), []
    groups = None if setup.groups is None else setup.groups[rows]
    y, arm = setup.outcome[rows], setup.arm[rows]
    tune = tuning_rows(arm, y, groups, setup.seed)
    for a in range(1, setup.arms):
        mine = (arm == 0) | (arm == a)
        e = setup.shares[a] / (setup.shares[0] + setup.shares[a])
        parts = [
            Rows.of(X[part], y[part], (arm[part] == a).astype(np.int8), propensity=e)
            for part in (mine & ~tune if cls.uses_validation else mine, mine & tune)
        ]
        fitted.append(cls(quick=setup.quick).fit(*parts, seed=seed))
    return fitted


def _scores(fitted: list[baselines.Method], X: NDArray[np.float32]) -> NDArray[np.float64]:
    scores = np.column_stack([method.predict(X) for method in fitted])
    if not np.isfinite(scores).all():
        raise ValueError("predicted something that is not a number")
    return scores


def _seed(setup: Setup, what: str, left_out: Sequence[int]) -> int:
    return crc32(f"{setup.seed} {what} {tuple(left_out)}".encode())


TASKS: dict[str, Callable[..., Answer]] = {
    "pilot": pilot,
    "means": means,
    "fit": fit,
    "final": final,
}
