"""Training many settings ("lanes") on the same rows at once.

All lanes walk through the same batches, epoch by epoch: rows are gathered and standardised once per
epoch for all of them, and each lane then trains on its own. Nothing of one lane enters another's
numbers, so a lane alone, in a grid, in another order or on another thread ends the same.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import ceil, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from twin import _kernels, checks
from twin._denormals import flushed_denormals
from twin.lane import Lane, Setting, Workspace
from twin.network import Network, chunks
from twin.rows import Rows
from twin.selection import score_called

# The training budget counts updates: an epoch is a pass over the rows, but at most 32 updates
# (8,192 rows at batch 256). So a larger sample costs more only where it is read and scored.
EPOCH_UPDATES = 32
# Epochs and settings are compared on at most this many validation rows, drawn once by the seed;
# a search compares its finalists on all of them.
SCORED_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Scaler:
    """Standardises covariates by the mean and standard deviation of the training rows."""

    mean: NDArray[np.float32]
    inverse_scale: NDArray[np.float32]

    @classmethod
    def of(cls, X: NDArray[np.float32]) -> "Scaler":
        """From the training rows; a constant column keeps its scale."""
        mean = X.mean(axis=0, dtype=np.float64)
        square = np.zeros(X.shape[1])
        for rows in chunks(len(X)):
            centred = X[rows] - mean
            square += np.einsum("ij,ij->j", centred, centred)
        scale = np.sqrt(square / len(X))
        scale[scale <= 1e-7 * np.abs(mean)] = 1.0  # constant but for rounding
        scale[scale == 0] = 1.0
        with np.errstate(over="ignore"):
            inverse = (1 / scale).astype(np.float32)
        if not np.isfinite(inverse).all():
            j = int(np.argmin(np.isfinite(inverse)))
            raise ValueError(
                f"column {j} of X has standard deviation {scale[j]:.3g}, too small for float32; "
                "multiply it by a large number first"
            )
        return cls(mean.astype(np.float32), inverse)

    @classmethod
    def from_arrays(cls, mean: NDArray[Any], inverse_scale: NDArray[Any]) -> "Scaler":
        """A scaler that was saved; anything else is an error."""
        checks.stored_array(mean, "mean", (max(1, mean.size),), np.float32)
        checks.stored_array(inverse_scale, "inverse_scale", mean.shape, np.float32)
        if not (inverse_scale > 0).all():
            raise ValueError("inverse_scale holds values that are not above 0")
        return cls(mean, inverse_scale)

    def standardised_rows(
        self, X: NDArray[np.float32], order: NDArray[np.integer], out: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The rows of X at `order`, standardised, in `out`."""
        _kernels.gather_standardised(X, order, self.mean, self.inverse_scale, out)
        return out

    def standardised(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """X, standardised."""
        return self.standardised_rows(X, np.arange(len(X)), np.empty_like(X))


@dataclass(frozen=True)
class BatchPlan:
    """Which rows make the batches of an epoch: permutations of all n rows, one after the other."""

    n: int
    batch_size: int
    seed: int

    @property
    def updates(self) -> int:
        """Updates per epoch."""
        return min(ceil(self.n / self.batch_size), EPOCH_UPDATES)

    def rows(self, epoch: int) -> NDArray[np.integer]:
        """The rows of epoch 0, 1, ... in the order of their batches."""
        size = min(self.n, self.batch_size * EPOCH_UPDATES)
        first, last = epoch * size, (epoch + 1) * size
        passes = range(first // self.n, (last - 1) // self.n + 1)
        joined = np.concatenate([_permutation(self.n, self.seed, k) for k in passes])
        start = first - passes[0] * self.n
        return joined[start : start + size]


_last_permutation: dict[tuple[int, int, int], NDArray[np.integer]] = {}


def _permutation(n: int, seed: int, index: int) -> NDArray[np.integer]:
    """Permutation number `index`; the last one is kept, as large data use it for many epochs."""
    key = (n, seed, index)
    found = _last_permutation.get(key)
    if found is None:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1, index)))
        found = rng.permutation(n)
        _last_permutation.clear()
        _last_permutation[key] = found
    return found


@dataclass(eq=False)
class Track:
    """A lane and what is remembered of its training: one entry per epoch, and the best epoch.

    Without validation rows every epoch replaces the checkpoint, so the last one stays.
    """

    lane: Lane
    loss: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)  # of validation rows; higher is better
    active_nodes: list[int] = field(default_factory=list)
    best_epoch: int = 0  # counted from 1; 0: no finite epoch yet
    best_score: float = -inf
    checkpoint: Network | None = None
    diverged: bool = False

    @property
    def setting(self) -> Setting:
        return self.lane.setting


class Training:
    """Lanes in training on `train`, scored after every epoch on `valid` where there is one.

    `select` names the score (see `twin.selection`) that the best epoch is chosen by.
    """

    def __init__(
        self,
        settings: Sequence[Setting],
        train: Rows,
        valid: Rows | None,
        *,
        seed: int,
        batch_size: int = 256,
        threads: int = 1,
        select: str = "q_adj",
    ) -> None:
        self._score = score_called(select)
        batch_size = checks.whole_number(batch_size, "batch_size", 1)
        checks.both_arms(train.treatment)
        self.train, self.valid, self.threads = train, valid, threads
        if valid is not None and len(valid) > SCORED_ROWS:
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(3,)))
            self.valid = valid.take(np.sort(rng.permutation(len(valid))[:SCORED_ROWS]))
        self.scaler = Scaler.of(train.X)
        self.plan = BatchPlan(len(train), min(batch_size, len(train)), seed)
        self.tracks = [Track(Lane(s, train.X.shape[1], seed)) for s in settings]
        self._valid_X = None if valid is None else self.scaler.standardised(self.valid.X)
        self._spaces = [Workspace() for _ in range(threads)]

    def advance(
        self, tracks: Sequence[Track], epochs: int, after_epoch: Callable[[], None] | None = None
    ) -> None:
        """Train `tracks` until each has seen `epochs` epochs or has diverged."""
        groups = [tracks[i :: self.threads] for i in range(self.threads)]
        start = min((len(t.loss) for t in tracks if not t.diverged), default=epochs)
        X = np.empty((len(self.plan.rows(0)), self.train.X.shape[1]), dtype=np.float32)
        with threadpool_limits(1), ThreadPoolExecutor(self.threads) as pool:
            for epoch in range(start, epochs):
                order = self.plan.rows(epoch)
                batches = (
                    self.scaler.standardised_rows(self.train.X, order, X),
                    self.train.y[order],
                    self.train.treatment[order],
                )
                jobs = list(zip(groups, self._spaces, strict=True))
                if self.threads == 1:
                    self._train_group(epoch, batches, *jobs[0])
                else:
                    tasks = [pool.submit(self._train_group, epoch, batches, *job) for job in jobs]
                    for task in tasks:
                        task.result()
                if after_epoch:
                    after_epoch()

    def score(self, logits: NDArray[np.floating], rows: Rows) -> float:
        """What models are compared by: the higher, the better."""
        return self._score.sign * self._score.of(logits, rows.y, rows.treatment)

    def _train_group(
        self, epoch: int, batches: tuple, tracks: Sequence[Track], space: Workspace
    ) -> None:
        with flushed_denormals(), np.errstate(all="ignore"):  # divergence is looked for
            for track in tracks:
                if not track.diverged and len(track.loss) == epoch:
                    self._train_epoch(track, batches, space)

    def _train_epoch(self, track: Track, batches: tuple, space: Workspace) -> None:
        X, y, t = batches
        lane, size, total = track.lane, self.plan.batch_size, 0.0
        for first in range(0, len(y), size):
            rows = slice(first, first + size)
            total += lane.step(X[rows], y[rows], t[rows], space)
        track.loss.append(total / self.plan.updates)
        if not isfinite(total):
            track.diverged = True
            return
        lane.drop_pruned_nodes()
        track.active_nodes.append(lane.n_active_nodes)
        self._remember(track)

    def _remember(self, track: Track) -> None:
        """Score the epoch, and keep its weights if they are the ones to keep."""
        network = track.lane.network()
        score = 0.0
        if self.valid is not None:
            logits = network.logits(self._valid_X)
            if np.isnan(logits).any():
                track.diverged = True
                return
            score = self.score(logits, self.valid)
            track.scores.append(score)
        if self.valid is None or score > track.best_score:
            track.best_epoch, track.best_score = len(track.loss), score
            track.checkpoint = network
