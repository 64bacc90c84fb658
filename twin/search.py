"""TwinSearch: a whole grid of settings as one computation, selected by a validation score."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
import pandas as pd

from twin import checks
from twin._progress import Progress
from twin.base import UpliftEstimator, all_or_nothing
from twin.estimator import TwinUplift
from twin.lane import Setting
from twin.network import chunks
from twin.rows import Rows
from twin.selection import score_called
from twin.trainer import SCORED_ROWS, Track, Training

LEARNING_RATES = (0.005, 0.01, 0.05, 0.1, 0.2, 0.3)
PENALTY_CONSTANTS = (0.0, 0.0001, 0.0005, 0.001, 0.005, 0.01)
# After this many epochs the best quarter goes on. No setting stops before epoch 20.
RUNGS = (20, 40)
SURVIVORS = 4
FINALISTS = 20  # compared on all validation rows where these are too many for every epoch


def paper_grid(*, structured: bool, penalty: str = "l1") -> dict[str, tuple]:
    """The paper's grid: 6 learning rates x 6 lambda_1 (if structured) x 6 lambda_2 (if any)."""
    grid: dict[str, tuple] = {"learning_rate": LEARNING_RATES}
    grid["node_penalty"] = PENALTY_CONSTANTS if structured else (None,)
    grid["weight_penalty"] = PENALTY_CONSTANTS if penalty != "none" else (0.0,)
    return grid


class TwinSearch(UpliftEstimator):
    """Trains every setting of a grid on the same rows and keeps the best by a validation score.

    Parameters
    ----------
    hidden, loss, penalty, batch_size, epochs, propensity, weight_start, scale_start,
    random_state : as in `TwinUplift`; a grid may vary any of the first three and of the starts.
    grid : name -> values; None is the paper's grid (216 settings with one hidden layer).
    halving : settings clearly behind stop early: after 20 and after 40 epochs the best quarter
        goes on, and after 20 also the best setting of every node_penalty, so that halving does
        not favour networks that prune nothing. False trains all to the end.
    committee : predict with the mean of this many best settings instead of the single best.
    select : the validation score that chooses epochs, settings that go on, the winner and the
        committee: "q_adj" (the paper's), "likelihood" of the outcomes, or "r_loss", the R-loss
        with the model's own mean outcome (least is best). `twin.selection` has the formulas.
    threads : settings trained at the same time. It changes the time, not the numbers.
    verbose : show a progress bar.

    Attributes
    ----------
    best_params_, best_epoch_, best_estimator_ : the winner.
    best_score_ : the winner's validation score, as in `results_`; lower is better for "r_loss".
    results_ : DataFrame, one row per setting, in the order of the grid. The score is in the
        column `valid_q_adj`, `valid_likelihood` or `valid_r_loss`.
    n_active_nodes_ : nodes left in the winner.
    """

    def __init__(
        self,
        hidden: tuple[int, ...] = (512,),
        loss: str = "uplift",
        penalty: str = "l1",
        grid: Mapping[str, Sequence[Any]] | None = None,
        batch_size: int = 256,
        epochs: int = 100,
        halving: bool = True,
        committee: int = 1,
        propensity: float | str = 0.5,
        weight_start: str = "parts",
        scale_start: str = "normal",
        random_state: int | None = None,
        threads: int = 1,
        verbose: bool = False,
        select: str = "q_adj",
    ) -> None:
        self.hidden = hidden
        self.loss = loss
        self.penalty = penalty
        self.grid = grid
        self.batch_size = batch_size
        self.epochs = epochs
        self.halving = halving
        self.committee = committee
        self.propensity = propensity
        self.weight_start = weight_start
        self.scale_start = scale_start
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose
        self.select = select

    @all_or_nothing
    def fit(self, X: Any, y: Any, treatment: Any, validation: Any = 0.3) -> Self:
        """Search on rows X, y, treatment; `validation` as in `TwinUplift.fit` (needed here)."""
        checks.whole_number(self.epochs, "epochs", 1)
        if validation is None:
            raise ValueError("validation is None; a search needs (X, y, treatment) or a fraction")
        if not isinstance(self.threads, int) or self.threads < 1:
            raise ValueError(f"threads is {self.threads!r}; it must be at least 1")
        if not isinstance(self.committee, int) or self.committee < 1:
            raise ValueError(f"committee is {self.committee!r}; it must be at least 1")
        train, valid = self._check_fit_input(X, y, treatment, validation)
        settings = self._settings()
        training = Training(
            settings,
            train,
            valid,
            seed=self.seed_,
            batch_size=self.batch_size,
            threads=self.threads,
            select=self.select,
        )
        self._train(training)
        self.scaler_ = training.scaler
        if len(valid) > SCORED_ROWS:
            self._rescore(training, valid)
        self._select(training.tracks)
        return self

    def _grid(self) -> Mapping[str, Sequence[Any]]:
        if self.grid is not None:
            return self.grid
        return paper_grid(structured=len(checks.layers(self.hidden)) == 1, penalty=self.penalty)

    def _settings(self) -> list[Setting]:
        grid = self._grid()
        known = {f.name for f in fields(Setting)} - {"propensity"}
        if not isinstance(grid, Mapping):
            raise ValueError(f"grid is {grid!r:.60}; give a dictionary of names and values")
        for name, values in grid.items():
            if name not in known:
                raise ValueError(f"grid has no such setting {name!r}; it may vary {sorted(known)}")
            listed = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
            if not listed or not len(values):
                raise ValueError(f"grid[{name!r}] is {values!r}; give a sequence of values")
        if not grid:
            raise ValueError("grid is empty; give at least one setting with its values")
        common = {
            "hidden": checks.layers(self.hidden),
            "loss": self.loss,
            "penalty": self.penalty,
            "propensity": self.propensity_,
            "weight_start": self.weight_start,
            "scale_start": self.scale_start,
        }
        return [
            Setting(**{**common, **dict(zip(grid, values, strict=True))})
            for values in itertools.product(*grid.values())
        ]

    def _train(self, training: Training) -> None:
        tracks = list(training.tracks)
        rungs = [r for r in RUNGS if self.halving and r < self.epochs]
        with Progress(len(tracks) * self.epochs, self.verbose) as bar:

            def report() -> None:
                best = max(training.tracks, key=lambda t: t.best_score)
                done = sum(len(t.loss) for t in training.tracks)
                bar.update(done, f"best validation {self.select} {self._score_of(best):.4f}")

            for index, until in enumerate([*rungs, self.epochs]):
                training.advance(tracks, until, report)
                if until < self.epochs:
                    tracks = survivors(tracks, every_node_penalty=index == 0)

    def _rescore(self, training: Training, valid: Rows) -> None:
        """Finalists, compared so far on a part of the validation rows, meet on all of them."""
        ranked = ranking(training.tracks)
        for track in ranked[:FINALISTS]:
            logits = np.concatenate(
                [
                    track.checkpoint.logits(self.scaler_.standardised(valid.X[rows]))
                    for rows in chunks(len(valid))
                ]
            )
            track.best_score = training.score(logits, valid)
        for track in ranked[FINALISTS:]:
            track.checkpoint = None  # out: its score is of other rows

    def _select(self, tracks: Sequence[Track]) -> None:
        self.results_ = pd.DataFrame([self._result(track) for track in tracks])
        ranked = ranking(tracks)
        if not ranked:
            rates = sorted({t.setting.learning_rate for t in tracks})
            raise ValueError(
                f"every setting diverged in its first epoch (learning rates {rates}); "
                "give smaller learning rates"
            )
        best = ranked[0]
        self.networks_ = tuple(t.checkpoint for t in ranked[: self.committee])
        self.best_score_, self.best_epoch_ = self._score_of(best), best.best_epoch
        self.best_params_ = {name: getattr(best.setting, name) for name in self._grid()}
        self.best_estimator_ = self._winner(best)

    def _score_of(self, track: Track) -> float:
        """The score of a track's best epoch with its own sign: the R-loss is positive."""
        return score_called(self.select).sign * track.best_score

    def _result(self, track: Track) -> dict[str, Any]:
        trained, kept = len(track.loss), track.checkpoint
        status = "finished" if trained >= self.epochs else f"stopped after {trained}"
        return {
            **{f.name: getattr(track.setting, f.name) for f in fields(Setting)},
            f"valid_{self.select}": self._score_of(track) if kept is not None else float("nan"),
            "best_epoch": track.best_epoch,
            "epochs": trained,
            "active_nodes": sum(kept.hidden) if kept is not None else 0,
            "train_loss": track.loss[-1],
            "status": f"diverged in {trained}" if track.diverged else status,
        }

    def _winner(self, best: Track) -> TwinUplift:
        """The single best model as a `TwinUplift`."""
        names = [f.name for f in fields(Setting)]
        model = TwinUplift(
            **{name: getattr(best.setting, name) for name in names},
            batch_size=self.batch_size,
            epochs=self.epochs,
            random_state=self.seed_,
        )
        model.networks_, model.scaler_ = (best.checkpoint,), self.scaler_
        for name in ("n_features_in_", "feature_names_in_", "propensity_", "seed_", "best_epoch_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        return model


def ranking(tracks: Sequence[Track]) -> list[Track]:
    """The tracks with a checkpoint, best validation score first."""
    return sorted((t for t in tracks if t.checkpoint is not None), key=lambda t: -t.best_score)


def survivors(tracks: Sequence[Track], *, every_node_penalty: bool) -> list[Track]:
    """The best quarter by validation score, in the order given; diverged settings never go on."""
    alive = sorted((t for t in tracks if not t.diverged), key=lambda t: -t.best_score)
    chosen = alive[: -(-len(tracks) // SURVIVORS)]
    if every_node_penalty:
        leaders: dict[float | None, Track] = {}
        for track in alive:
            leaders.setdefault(track.setting.node_penalty, track)
        chosen += leaders.values()
    kept = {id(track) for track in chosen}
    return [t for t in tracks if id(t) in kept]
