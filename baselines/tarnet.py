"""TARNet: one representation for all rows, one outcome head for each arm.

Shalit, Johansson and Sontag (2017), Estimating individual treatment effect: generalization bounds
and algorithms, ICML. TARNet is their CFR without the penalty of imbalance, which a randomised
trial does not need.

Model. Phi(x), ELU layers over the covariates, shared; h_0 and h_1, ELU layers over Phi and one
logit each. A row trains the head of its own arm, by the cross-entropy of its outcome; uplift is
sigmoid h_1(Phi(x)) - sigmoid h_0(Phi(x)).

Settings. Layers and widths from the ranges of their supplement (1 to 3 layers; 20, 50, 100 or 200
nodes), heads half as wide; batches of 200 rows, from their range; the squared penalty 0.001 on
the heads of their public code for IHDP. Adam with rate 0.001 instead of their decaying rate.
Stopped early by the likelihood of validation rows, chosen by q_adj on them. Their weights that
level the arms' sizes are left out: the data here have arms of known share.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from baselines._neural import NeuralMethod
from twin.rows import Rows

if TYPE_CHECKING:
    from twin.torch import TwinTorch


class TARNetMethod(NeuralMethod):
    """TARNet, its depth and width chosen on validation rows."""

    name = "tarnet"
    grid: ClassVar = {"layers": (1, 3), "width": (50, 200)}
    quick_grid: ClassVar = {"layers": (1,), "width": (50,)}

    def _candidate(
        self, settings: dict[str, Any], train: Rows, valid: Rows, seed: int
    ) -> "TwinTorch":
        from baselines._networks import TARNet, fitted

        depth = settings["layers"]
        make = partial(TARNet, width=settings["width"], trunk_layers=depth, head_layers=depth)
        return fitted(
            make, "binomial", train, valid, seed, batch_size=200, decay=0.001, quick=self.quick
        )
