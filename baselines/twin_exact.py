"""Twin_mu optimised exactly instead of by stochastic gradients; not in the paper.

Model. As Twin_mu (Belbahri, Murua, Gandouet and Partovi Nia, 2021): logit m_1t(x) = θ_0 + x'θ_main
+ t (θ_t + x'θ_interaction), uplift loss. The penalised loss is minimised over all training rows by
accelerated proximal gradient along 14 values of λ, and the best by validation q_adj is kept
(`twin.TwinPath`). `twin-mu-refit` estimates the weights that survive each λ again without penalty.
"""

import time
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin import TwinPath
from twin.exact import SMALLEST
from twin.rows import Rows


class TwinMuExact(Method):
    """The penalised optimum."""

    name = "twin-mu-exact"
    grid: ClassVar = {"λ as a share of the largest": tuple(np.geomspace(1, SMALLEST, 14))}
    quick_grid: ClassVar = {"λ as a share of the largest": tuple(np.geomspace(1, SMALLEST, 6))}
    refit: ClassVar[bool] = False

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        start = time.perf_counter()
        (path,) = self.active_grid.values()
        self._path = TwinPath(
            n_lambdas=len(path), refit=self.refit, propensity=train.propensity, random_state=seed
        ).fit(train.X, train.y, train.treatment, (valid.X, valid.y, valid.treatment))
        results = self._path.results_.rename(columns={"valid_q_adj": "q_adj"})
        self.search_ = results.to_dict("records")
        self.settings_ = {"lambda": self._path.best_lambda_}
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._path.predict(X)


class TwinMuRefit(TwinMuExact):
    """Selection by the penalty, estimates without it."""

    name = "twin-mu-refit"
    refit = True
