"""Runs one unit: trains a grid once and reads every rule of selection off the same training."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import datasets
from suite.measures import score, truth
from suite.study.plan import NODES, Unit
from twin import TwinPath
from twin.lane import Setting
from twin.rows import Rows
from twin.search import RUNGS, paper_grid, survivors
from twin.trainer import Track, Training

EPOCHS = 100
COMMITTEES: dict[str, tuple[int, float]] = {  # name -> at most K members, least share of the best
    "single": (1, 0.0),
    "5 best": (5, 0.0),
    "10 best": (10, 0.0),
    "20 best": (20, 0.0),
    "within 10 %": (20, 0.9),
    "within 20 %": (20, 0.8),
}


@dataclass
class Candidate:
    """A setting at one moment of its training: validation q_adj and predictions so far."""

    setting: Setting
    best_score: float
    uplift: NDArray[np.float64]
    nodes: int
    diverged: bool = False


def run_unit(unit: Unit) -> dict[str, Any]:
    """The record of a unit: one row a rule of selection, with its measures on the test rows."""
    start = time.perf_counter()
    data = datasets.load(unit.scenario, **unit.load_options())
    seed = unit.replicate
    if unit.kind == "exact":
        rows = list(_exact(data.train, data.valid, data.test))
    else:
        rows = list(_grid(unit, data, seed))
    return {
        "key": unit.key,
        "unit": vars(unit),
        "oracle": _measures(data.test, data.test.true_uplift),
        "rows": rows,
        "seconds": round(time.perf_counter() - start, 1),
    }


def _exact(train: Rows, valid: Rows, test: Rows) -> Iterable[dict[str, Any]]:
    for loss in ("uplift", "binomial"):
        for refit in (False, True):
            model = TwinPath(loss=loss, refit=refit).fit(
                train.X, train.y, train.treatment, (valid.X, valid.y, valid.treatment)
            )
            yield {
                "rule": f"{loss}, {'refit' if refit else 'penalised'}",
                "valid_q_adj": model.best_score_,
                **_measures(test, model.predict(test.X)),
            }


def _grid(unit: Unit, data: datasets.Dataset, seed: int) -> Iterable[dict[str, Any]]:
    hidden = (NODES[unit.kind],) if unit.kind in NODES else ()
    common = {
        "hidden": hidden,
        "loss": "binomial" if unit.kind == "logistic" else "uplift",
        "weight_start": unit.weight_start,
        "scale_start": unit.scale_start,
    }
    grid = paper_grid(structured=bool(hidden))
    settings = [
        Setting(**common, learning_rate=rate, node_penalty=lam1, weight_penalty=lam2)
        for rate in grid["learning_rate"]
        for lam1 in grid["node_penalty"]
        for lam2 in grid["weight_penalty"]
    ]
    training = Training(settings, data.train, data.valid, seed=seed)
    watch = Watch(training, data.test)
    if unit.full:
        for until in (*RUNGS, EPOCHS):
            training.advance(training.tracks, until, watch)
            watch.snapshot(until)
        yield from _rows("full", "best epoch", watch.stages[EPOCHS], data.test)
        yield from _rows("full", "last epoch", watch.last(), data.test)
        halved = simulate_halving(watch.stages)
    else:
        tracks = training.tracks
        for index, until in enumerate((*RUNGS, EPOCHS)):
            training.advance(tracks, until, watch)
            tracks = survivors(tracks, every_node_penalty=index == 0)
        watch.snapshot(EPOCHS)
        halved = watch.stages[EPOCHS]
    yield from _rows("halving", "best epoch", halved, data.test)


class Watch:
    """Predicts the test rows whenever a track improves, and remembers where each one stood."""

    def __init__(self, training: Training, test: Rows) -> None:
        self.training = training
        self._X = training.scaler.standardised(test.X)
        self._seen = [0] * len(training.tracks)  # best epoch predicted last
        self._uplift: list[NDArray[np.float64]] = [np.zeros(len(test))] * len(training.tracks)
        self.stages: dict[int, list[Candidate]] = {}

    def __call__(self) -> None:
        for i, track in enumerate(self.training.tracks):
            if track.best_epoch != self._seen[i]:
                self._seen[i] = track.best_epoch
                self._uplift[i] = track.checkpoint.uplift(self._X)

    def snapshot(self, epoch: int) -> None:
        self.stages[epoch] = [
            Candidate(t.setting, t.best_score, u, _nodes(t), t.checkpoint is None)
            for t, u in zip(self.training.tracks, self._uplift, strict=True)
        ]

    def last(self) -> list[Candidate]:
        """Every track as its last epoch left it."""
        return [
            Candidate(
                t.setting,
                t.valid_q_adj[-1],
                t.lane.network().uplift(self._X),
                t.lane.n_active_nodes,
            )
            for t in self.training.tracks
            if not t.diverged
        ]


def simulate_halving(stages: dict[int, list[Candidate]]) -> list[Candidate]:
    """What halving would have kept of a full training: each setting as it was when it stopped."""
    alive = list(range(len(stages[EPOCHS])))
    kept: dict[int, Candidate] = {}
    for index, until in enumerate((*RUNGS, EPOCHS)):
        stage = stages[until]
        kept |= {i: stage[i] for i in alive}
        chosen = {
            id(c) for c in survivors([stage[i] for i in alive], every_node_penalty=index == 0)
        }
        alive = [i for i in alive if id(stage[i]) in chosen]
    return [kept[i] for i in sorted(kept)]


def _rows(
    schedule: str, epoch: str, candidates: list[Candidate], test: Rows
) -> Iterable[dict[str, Any]]:
    ranked = sorted((c for c in candidates if not c.diverged), key=lambda c: -c.best_score)
    for name, (most, share) in COMMITTEES.items():
        if name != "single" and epoch == "last epoch":
            continue
        members = [c for c in ranked[:most] if c.best_score >= share * ranked[0].best_score]
        yield {
            "rule": f"{schedule}, {epoch}, {name}",
            "members": len(members),
            "nodes": members[0].nodes,
            "valid_q_adj": ranked[0].best_score,
            "best": {
                name: getattr(ranked[0].setting, name)
                for name in ("learning_rate", "node_penalty", "weight_penalty")
            },
            **_measures(test, np.mean([c.uplift for c in members], axis=0)),
        }


def _measures(test: Rows, uplift: NDArray[np.float64]) -> dict[str, float]:
    found, noise_free = score(test, uplift), truth(test, uplift)
    return {
        "q": found.q,
        "q_adj": found.q_adj,
        "true_q": noise_free.q,
        "spearman": noise_free.spearman,
    }


def _nodes(track: Track) -> int:
    return sum(track.checkpoint.hidden) if track.checkpoint is not None else 0
