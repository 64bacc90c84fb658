"""What the neural peers share: a small grid, each candidate stopped early, the best by q_adj."""

import itertools
import time
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin.rows import Rows

if TYPE_CHECKING:
    from twin.torch import TwinTorch


# What torch adds up with decides last digits: with these it is the same on every x86-64-v3
# processor, as MKL otherwise takes another way on AMD's than on Intel's. The suite sets them before
# the process of a cell starts; standing here, they are in the key of these methods alone.
TORCH_INSTRUCTIONS = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "COMPATIBLE"}


class NeuralMethod(Method):
    """Trains a network for each setting of the grid and keeps the best by validation q_adj."""

    requires: ClassVar[tuple[str, ...]] = ("torch",)

    @abstractmethod
    def _candidate(
        self, settings: dict[str, Any], train: Rows, valid: Rows, seed: int
    ) -> "TwinTorch":
        """The network of one setting, trained."""

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        start, best = time.perf_counter(), -np.inf
        grid = self.active_grid
        for values in itertools.product(*grid.values()):
            settings = dict(zip(grid, values, strict=True))
            model = self._candidate(settings, train, valid, seed)
            found = {**settings, "epoch": model.best_epoch_}
            score = self._score(valid, model.predict(valid.X), **found)
            if score > best:
                best, self._model, self.settings_ = score, model, found
        # The search ends with a trained network: nothing is fitted after it.
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._model.predict(X)
