"""The ports with other settings than their own: those of R, or the larger search of R."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.boost import Boost
from baselines.causal_forest import CausalForest, HonestCausalForest
from baselines.forest import Forest
from baselines.qini_based import QiniBased
from baselines.r_lasso import RLasso
from baselines.r_xgboost import RXGBoost
from baselines.uplift_forest import EDUpliftForest, KLUpliftForest
from baselines.x_lasso import XLasso
from baselines.x_xgboost import XXGBoost
from suite.compute import measures
from suite.compute.readings import Probe, Read

# The reference's draws and folds; its depth, up to 20, would take an hour per replicate.
FULL_BOOST = Boost(draws=10, n_folds=10, deepest=10)
EVERY_VALUE = 8000  # bins: as many as training rows


class InHalves(Forest, Probe):
    """A forest that also says how far its trees agree."""

    def readings(self, X: NDArray[np.float32]) -> Mapping[str, Read]:
        """The ranking by every other tree, and its Spearman correlation with that by the rest."""
        one, other = self.half_predictions(X)
        return {"every other tree": Read(one, {"halves": measures.rank_correlation(one, other)})}


# The reference's larger search. Each class has the name of its port, and "-uncut".


class KLUncut(KLUpliftForest):
    name, bins = "uplift-forest-kl-uncut", EVERY_VALUE


class EDUncut(EDUpliftForest):
    name, bins = "uplift-forest-ed-uncut", EVERY_VALUE


class CausalUncut(CausalForest):
    name, trees_for_m = "causal-forest-uncut", 500
    grid: ClassVar = {"trees": (2000,), "depth": (3, 5, 8, None)}


class HonestUncut(HonestCausalForest):
    name, trees_for_m = "causal-forest-honest-uncut", 500
    grid: ClassVar = {"trees": (2000,), "depth": (3, 5, 8, None)}


class RBoostUncut(RXGBoost):
    name, boost = "r-xgboost-uncut", FULL_BOOST


class XBoostUncut(XXGBoost):
    name, boost = "x-xgboost-uncut", FULL_BOOST


# R's fixed settings. `of_r` is the predictor of the R package in the reference's files.


class RLassoAsR(RLasso):
    name, of_r = "r-lasso-as-r", "rlasso"


class XLassoAsR(XLasso):
    name, of_r = "x-lasso-as-r", "xlasso"


class CausalAsR(InHalves, CausalForest):
    name, of_r = "causal-forest-as-r", "grf_adaptive"
    grid: ClassVar = {"trees": (500,), "depth": (None,)}


class HonestAsR(InHalves, HonestCausalForest):
    name, of_r = "causal-forest-honest-as-r", "grf_honest"
    grid: ClassVar = {"trees": (500,), "depth": (None,)}


class KLAsR(InHalves, KLUpliftForest):
    name, of_r = "uplift-forest-kl-as-r", "upliftRF_KL"
    grid: ClassVar = {"trees": (100,), "depth": (None,)}


class EDAsR(InHalves, EDUpliftForest):
    name, of_r = "uplift-forest-ed-as-r", "upliftRF_ED"
    grid: ClassVar = {"trees": (100,), "depth": (None,)}


class QiniAsR(QiniBased):
    name, of_r = "qini-based-as-r", "qLHS"


# As many trees as grf grows.


class CausalOf2000(CausalAsR):
    name, trees_for_m = "causal-forest-of-2000", 500
    grid: ClassVar = {"trees": (2000,), "depth": (None,)}


class HonestOf2000(HonestAsR):
    name, trees_for_m = "causal-forest-honest-of-2000", 500
    grid: ClassVar = {"trees": (2000,), "depth": (None,)}
