"""TARNet: one representation for all rows, one outcome head for each arm.

Shalit, Johansson and Sontag (2017), Estimating individual treatment effect: generalization bounds
and algorithms, ICML. TARNet is their CFR without the penalty of imbalance, which a randomised
trial does not need.

Model. Phi(x), ELU layers over the covariates, shared; h_0 and h_1, ELU layers over Phi and one
logit each. A row trains the head of its own arm, by the cross-entropy of its outcome; uplift is
sigmoid h_1(Phi(x)) - sigmoid h_0(Phi(x)).

Settings. Those of the example for IHDP in their public code (clinicalml/cfrnet): three layers of
200 nodes, then three of 100 in each head; batches of 100 rows, Adam with rate 0.001, the squared
penalty 0.0001 on the weights of the heads, about 3,000 updates. Ours: the smaller sizes of the grid
(one layer, 50 nodes, heads half as wide), the cross-entropy instead of the example's squared error
(their code has both), torch's starting weights, a rate that does not decay (theirs loses 3% every
100 updates). Left out: the division of Phi by its norm, which serves the penalty of imbalance, and
the weights that level the arms' sizes. Stopped early by the likelihood of the validation rows'
outcomes, chosen by q_adj on them.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from baselines._neural import NeuralMethod
from twin.rows import Rows

if TYPE_CHECKING:
    from twin.torch import TwinTorch


BATCH, DECAY = 100, 0.0001


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
            make, "binomial", train, valid, seed, batch_size=BATCH, decay=DECAY, quick=self.quick
        )
