"""The Qini measure on a ranking of n rows."""

import numpy as np

from twin.qini import adjusted_qini_score

from .sampling import Sampled


class Qini(Sampled):
    params = ([10_000, 100_000, 1_000_000],)
    param_names = ("rows",)

    def setup(self, rows: int) -> None:
        rng = np.random.default_rng(0)
        self.uplift = rng.normal(size=rows)
        self.treatment = rng.integers(0, 2, rows)
        self.y = rng.random(rows) < 0.3 + 0.1 * self.treatment * np.tanh(self.uplift)

    def time_adjusted_qini_score(self, rows: int) -> None:
        adjusted_qini_score(self.y, self.uplift, self.treatment)
