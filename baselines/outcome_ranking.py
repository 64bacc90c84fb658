"""Ranking by the outcome alone: P(Y = 1 | x), the treatment never used.

No uplift is estimated. The row shows what a table's measure gives to somebody who only knows who
responds anyway: where those who respond often are also those who are moved, this ranking has a
positive q, and a model has shown that it learned uplift only by what it has above this row.
"Response" or "propensity" modelling is the practice that uplift models are to replace: Radcliffe
and Surry (2011), Real-world uplift modelling with significance-based uplift trees, Stochastic
Solutions white paper; Fernández-Loría and Provost (2022), Causal decision making and causal effect
estimation are not the same ... and why it matters, INFORMS Journal on Data Science 1(1), say when
it is a good ranking. Boosting: Chen and Guestrin (2016), XGBoost, KDD.

Algorithm. Boosted trees of y on x with logistic loss on all training rows, both arms together.
Their settings are chosen by cross-validation inside the training rows (`boost`); validation rows
stay unused.

The prediction is a probability, to be read as a ranking: as an uplift it is not calibrated.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.contract import Method
from twin.rows import Rows


class OutcomeRanking(Method):
    """One boosted model of the outcome, blind to the treatment."""

    name = "outcome-ranking"
    uses_validation = False
    requires = ("xgboost",)
    boost: ClassVar[Boost] = Boost(objective="binary:logistic")

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        boost = Boost.of(self)
        fit = boost.fit(train.X, train.y, np.random.default_rng(seed))
        self._booster, self.settings_ = fit.booster, fit.settings

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        return self._booster.inplace_predict(X)
