"""The two bounds of every simulated table: the true uplift and a random ranking.

Oracle predicts u*(x), known for simulated rows only; on average no ranking has a higher q.
Random gives every row an independent uniform number; its q is 0 on average. The number is a hash
of the row and the seed, so that a row has the same one wherever it stands.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin.rows import Rows


class Oracle(Method):
    """The true uplift itself."""

    name = "oracle"
    uses_validation = False
    reads_truth = True

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        _truth(train)

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        raise ValueError(
            "oracle knows the uplift of simulated rows, not of covariates; "
            "use predict_rows(rows) with rows of a scenario"
        )

    def state(self) -> dict[str, Any]:
        """The truth cannot be kept."""
        raise NotImplementedError("oracle cannot be kept in a file: it has learnt nothing")

    def predict_rows(self, rows: Rows) -> NDArray[np.float64]:
        """u* of the rows."""
        return _truth(rows)


class Random(Method):
    """A random ranking."""

    name = "random"
    uses_validation = False

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        rng = np.random.default_rng(seed)
        # Odd, so that every bit of a covariate reaches the hash.
        self._keys = rng.integers(2**64, size=train.X.shape[1], dtype=np.uint64) | np.uint64(1)

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        bits = np.ascontiguousarray(X).view(np.uint32).astype(np.uint64)
        mixed = (bits * self._keys).sum(axis=1, dtype=np.uint64)
        # The last step of SplitMix64 spreads the bits of the sum.
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        return (mixed ^ (mixed >> np.uint64(31))) / 2.0**64


def _truth(rows: Rows) -> NDArray[np.float64]:
    if rows.true_uplift is None:
        raise ValueError(
            "oracle needs rows whose true uplift is known (Rows.of(..., true_uplift=...)), "
            "such as those of the scenarios; leave it out for real data"
        )
    return rows.true_uplift
