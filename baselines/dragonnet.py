"""DragonNet with targeted regularisation.

Shi, Blei and Veitch (2019), Adapting neural networks for the estimation of treatment effects,
NeurIPS.

Model. A trunk Z(x) of three ELU layers; on it two outcome heads Q(0, x) and Q(1, x) of two ELU
layers and one logit, and a propensity head g(x) that is linear in Z. The loss of a row is the
cross-entropy of the outcome + that of the treatment + beta times the targeted regularisation
(y - Q(t, x) - epsilon (t / g - (1 - t) / (1 - g)))^2, with epsilon trained beside the weights.

Settings. Those of their public code (claudiashi57/dragonnet): 200 nodes in the layers of the trunk
and 100 in those of the heads, batches of 64 rows, Adam with rate 0.001, the squared penalty 0.01 on
the weights of the heads beside a loss summed over the batch, weight 1 for the treatment's loss and
beta = 1, g moved away from 0 and 1 by (g + 0.01) / 1.02 in the targeted regularisation. Ours: the
other values of the grid (50 nodes, beta = 0.1), the cross-entropy instead of their squared error as
outcomes here are 0/1, torch's starting weights, epsilon from 0 (theirs from a small random number).
Left out: a rate halved where the loss stays level, and the second phase of SGD with rate 0.00001.
Stopped early by the likelihood of the validation rows' outcomes (theirs: by the whole loss), width
and beta chosen on these rows by q_adj.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from baselines._neural import NeuralMethod
from twin.rows import Rows

if TYPE_CHECKING:
    from twin.torch import TwinTorch

BATCH = 64


class DragonNetMethod(NeuralMethod):
    """DragonNet, its width and the weight of targeted regularisation chosen on validation rows."""

    name = "dragonnet"
    grid: ClassVar = {"width": (50, 200), "targeted": (0.1, 1.0)}
    quick_grid: ClassVar = {"width": (50,), "targeted": (1.0,)}

    def _candidate(
        self, settings: dict[str, Any], train: Rows, valid: Rows, seed: int
    ) -> "TwinTorch":
        from baselines._networks import DragonLoss, DragonNet, fitted

        make = partial(DragonNet, width=settings["width"], trunk_layers=3, head_layers=2)
        return fitted(
            make,
            DragonLoss(settings["targeted"]),
            train,
            valid,
            seed,
            batch_size=BATCH,
            decay=2 * 0.01 / BATCH,  # 0.01 ||w||^2 beside a sum, in terms of the mean
            quick=self.quick,
        )
