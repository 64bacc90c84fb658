"""TwinBoost: a fit at the paper's size, and the prediction of a million rows with its memory."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil

import datasets

from .sampling import Sampled

if TYPE_CHECKING:
    from twin import TwinBoost

ROWS = 1_000_000


def fitted(data: datasets.Dataset) -> "TwinBoost":
    """With given validation rows, on one thread."""
    from twin import TwinBoost  # here, so that commits without it can be measured for the rest

    train, valid = data.train, data.valid
    return TwinBoost(random_state=0).fit(
        train.X, train.y, train.treatment, validation=(valid.X, valid.y, valid.treatment)
    )


class Fit:
    """CPU seconds and memory of one fit on scenario 4, 8,000 rows and 100 covariates."""

    timeout = 600

    def setup_cache(self) -> dict[str, float]:
        fitted(datasets.load("scenario4", replicate=100, n=1000, p=10))  # compiles
        data = datasets.load("scenario4", replicate=100)
        Path("/proc/self/clear_refs").write_text("5")  # the peak of memory counts from here (Linux)
        held, start = psutil.Process().memory_info().rss, time.process_time()
        fitted(data)
        seconds = time.process_time() - start
        peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
        return {"seconds": seconds, "bytes": 1024 * int(peak) - held}

    setup_cache.timeout = 600

    def track_seconds(self, result: dict[str, float]) -> float:
        return result["seconds"]

    track_seconds.unit = "seconds"

    def track_memory(self, result: dict[str, float]) -> float:
        """The peak during the fit beyond what the process held before."""
        return result["bytes"]

    track_memory.unit = "bytes"


class Predict(Sampled):
    """The calibrated uplift of a million rows of 12 covariates, one thread."""

    def setup_cache(self) -> "TwinBoost":
        return fitted(datasets.load("scenario4", replicate=100, n=10_000, p=12))

    setup_cache.timeout = 600

    def setup(self, model: "TwinBoost") -> None:
        self.X = np.random.default_rng(0).normal(size=(ROWS, 12)).astype(np.float32)

    def time_million_rows(self, model: "TwinBoost") -> None:
        model.predict(self.X)

    def peakmem_million_rows(self, model: "TwinBoost") -> None:
        model.predict(self.X)
