"""Training and predicting on scenario 4 at the paper's size, one thread."""

import numpy as np
from threadpoolctl import threadpool_limits

import datasets
from twin.lane import Lane, Setting
from twin.trainer import Training

from .sampling import Sampled

# lambda_1 = 0 keeps the scaling factors and prunes no node, so that every epoch costs the same.
COMMON = {"learning_rate": 0.05, "weight_penalty": 0.0005}
MODELS = {
    "Twin_mu": Setting(hidden=(), **COMMON),
    "m = 64": Setting(hidden=(64,), node_penalty=0.0, **COMMON),
    "m = 512": Setting(hidden=(512,), node_penalty=0.0, **COMMON),
    "two layers, 256 and 128": Setting(hidden=(256, 128), **COMMON),
}


class Epoch(Sampled):
    """One epoch with its validation score, of all settings of a grid; the first is set-up."""

    params = (list(MODELS), [1, 8])
    param_names = ("model", "settings")

    def setup_cache(self) -> datasets.Dataset:
        return datasets.load("scenario4")

    def setup(self, data: datasets.Dataset, model: str, settings: int) -> None:
        self.training = Training([MODELS[model]] * settings, data.train, data.valid, seed=1)
        self.training.advance(self.training.tracks, epochs=1)

    def time_epoch(self, data: datasets.Dataset, model: str, settings: int) -> None:
        self.training.advance(self.training.tracks, epochs=2)


class Predict(Sampled):
    """The uplift of 8,000 rows by 512 nodes, and by the 64 that a pruned network has left."""

    params = (["full", "pruned"],)
    param_names = ("network",)

    def setup(self, network: str) -> None:
        self.X = np.random.default_rng(0).normal(size=(8000, 100)).astype(np.float32)
        lane = Lane(MODELS["m = 512"], p=100, seed=1)
        if network == "pruned":
            lane.a[64:] = lane.b[64:] = 0
            lane.drop_pruned_nodes()
        self.network = lane.network()

    def time_uplift(self, network: str) -> None:
        with threadpool_limits(1):
            self.network.uplift(self.X)
