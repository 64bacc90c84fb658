"""The trainer beside plain torch, its own matrix products, smaller lanes and larger problems."""

from collections.abc import Callable
from math import log2

import numpy as np
from threadpoolctl import threadpool_limits

import datasets
from datasets import Dataset
from suite.perf.peers.line import Line, announce, milliseconds
from suite.perf.plain_torch import PlainTraining
from suite.perf.timing import best_seconds
from twin.lane import Setting
from twin.network import CHUNK, chunks
from twin.trainer import Training

SEED = 1
BATCH = 256
# Epochs per turn: a search trains 20 and more at a call, so what a call costs is shared by several.
TURN = 4
# lambda_1 = 0 keeps the scaling factors and prunes no node, so that every epoch costs the same.
TWIN_NN = Setting(hidden=(512,), learning_rate=0.05, weight_penalty=0.0005, node_penalty=0.0)
TWIN_NN_PLAIN = Setting(hidden=(512,), learning_rate=0.05, weight_penalty=0.0005)
TWIN_NN_64 = Setting(hidden=(64,), learning_rate=0.05, weight_penalty=0.0005, node_penalty=0.0)
TWIN_MU = Setting(hidden=(), learning_rate=0.05, weight_penalty=0.0005)


def lines() -> list[Line]:
    """Everything about the trainer, on scenario 4 at the paper's size (8,000 training rows)."""
    data = datasets.load("scenario4")
    with threadpool_limits(1):
        return [*_torch(data), *_products(data), *_lanes(data), *_scaling(data)]


def epochs_of(settings: list[Setting], data: Dataset, *, scored: bool = True) -> Callable[[], None]:
    """A function that trains all settings for `TURN` more epochs at each call."""
    training = Training(
        settings, data.train, data.valid if scored else None, seed=SEED, batch_size=BATCH
    )
    done = 0

    def some_more() -> None:
        nonlocal done
        done += TURN
        training.advance(training.tracks, done)

    return some_more


def repeated(epoch: Callable[[], object]) -> Callable[[], None]:
    """A function that calls `epoch` `TURN` times."""

    def turn() -> None:
        for _ in range(TURN):
            epoch()

    return turn


def epoch_seconds(turns: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of an epoch of each contestant."""
    return {name: taken / TURN for name, taken in best_seconds(turns, rounds).items()}


def _torch(data: Dataset) -> list[Line]:
    announce("Trainer")
    found = []
    products = matrix_products(data.train.X, data.valid.X, TWIN_NN.hidden[0])
    for setting, name in ((TWIN_NN_PLAIN, "epoch without factors"), (TWIN_NN, "epoch of Twin_NN")):
        rows = setting, data.train, data.valid
        plain = {
            name: PlainTraining(*rows, seed=SEED, batch_size=BATCH, loader=name == "loader").epoch
            for name in ("autograd", "loader")
        }
        times = epoch_seconds(
            {
                "ours": epochs_of([setting], data),
                **{name: repeated(epoch) for name, epoch in plain.items()},
                "products": repeated(products),
            },
            rounds=5,
        )
        found += [
            Line.at_least("Trainer", name, peer, (times["ours"], times[key]), goal)
            for key, peer, goal in (
                ("autograd", "plain torch with autograd", 5.0),
                ("loader", "the same with a DataLoader", 10.0),
            )
        ]
    bound = times["products"], times["autograd"]
    what = "Trainer", "its matrix products alone", "plain torch with autograd"
    return [*found, Line.at_least(*what, bound, None)]


def _products(data: Dataset) -> list[Line]:
    products = matrix_products(data.train.X, data.valid.X[:0], TWIN_NN.hidden[0])
    times = epoch_seconds(
        {"ours": epochs_of([TWIN_NN], data, scored=False), "products": repeated(products)},
        rounds=8,
    )
    what = "Trainer", "epoch, not scored", "its matrix products alone"
    return [Line.at_most(*what, (times["ours"], times["products"]), 2.0, 2.0)]


def matrix_products(train_X: np.ndarray, valid_X: np.ndarray, m: int) -> Callable[[], None]:
    """X W and X' H of every batch, X W of the rows to score, and nothing else.

    No training of one hidden layer can do less. (Plain autograd does twice as many, as its twins
    do not share X W.)
    """
    W = np.random.default_rng(SEED).normal(size=(train_X.shape[1], m)).astype(np.float32)
    G, H = np.empty_like(W), np.empty((CHUNK, m), np.float32)

    def run() -> None:
        for first in range(0, len(train_X), BATCH):
            batch = train_X[first : first + BATCH]
            hidden = np.dot(batch, W, out=H[: len(batch)])
            np.dot(batch.T, hidden, out=G)
        for rows in chunks(len(valid_X)):
            np.dot(valid_X[rows], W, out=H[: rows.stop - rows.start])

    return run


def _lanes(data: Dataset) -> list[Line]:
    """The cost of one lane in a grid: of smaller models, and as the grid grows."""
    announce("Grid")
    counts = (1, 16)
    times = epoch_seconds(
        {
            "m = 64": epochs_of([TWIN_NN_64] * 8, data),
            "mu": epochs_of([TWIN_MU] * 8, data),
            **{f"grid of {k}": epochs_of([TWIN_NN] * k, data) for k in counts},
        },
        rounds=3,
    )
    one, many = (times[f"grid of {k}"] / k for k in counts)
    small, linear = (times[key] / 8 for key in ("m = 64", "mu"))
    return [
        Line.at_most("Grid", "lane of m = 64", "lane of m = 512", (small, many), 1 / 4, 1 / 4),
        Line.at_most("Grid", "lane of Twin_mu", "lane of m = 512", (linear, many), 0.1, 0.1),
        Line.at_most("Grid", "setting in a grid of 16", "setting alone", (many, one), 1.15, 1.0),
    ]


def _scaling(data: Dataset) -> list[Line]:
    """Twice the rows, covariates or nodes: 2 to the exponent fitted over three sizes.

    At most 32 updates make an epoch, that is 8,192 rows, so rows are doubled below that.
    """
    announce("Scaling")
    nodes = {
        m: Setting(hidden=(m,), learning_rate=0.05, weight_penalty=0.0005) for m in (256, 1024)
    }
    middle = epochs_of([TWIN_NN_PLAIN], data)
    axes: dict[str, dict[int, Callable[[], None]]] = {
        "n": {
            n: epochs_of([TWIN_NN_PLAIN], datasets.load("scenario4", n=5 * n // 2))
            for n in (2000, 4000)
        }
        | {8000: middle},
        "p": {
            p: middle if p == 100 else epochs_of([TWIN_NN_PLAIN], datasets.load("scenario4", p=p))
            for p in (50, 100, 200)
        },
        "m": {m: epochs_of([nodes[m]], data) for m in nodes} | {512: middle},
    }
    runs = {f"{axis} {size}": run for axis, sizes in axes.items() for size, run in sizes.items()}
    times = epoch_seconds(runs, rounds=5)
    found = []
    for axis, sizes in axes.items():
        at = sorted(sizes)
        taken = [times[f"{axis} {size}"] for size in at]
        exponent = np.polyfit([log2(size) for size in at], [log2(t) for t in taken], 1)[0]
        found.append(
            Line(
                "Scaling",
                f"{axis} = {', '.join(f'{size:,}' for size in at)}",
                "epoch of half the size",
                2**exponent,
                f"{milliseconds(*taken)}, exponent {exponent:.2f}",
                "at most",
                2.0,
                2.0,
            )
        )
    return found
