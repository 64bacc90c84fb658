"""S-network: one network for both arms, whose trunk learns a second task at the same time.

Single model with the treatment as an input: the S-learner of Kuenzel, Sekhon, Bickel and Yu (2019),
Metalearners for estimating heterogeneous treatment effects, PNAS. Trunk shared by tasks: Caruana
(1997), Multitask learning, Machine Learning.

Model. A trunk of ELU layers over the covariates; one outcome head over (trunk, t), ELU layers and
one logit, whose difference between t = 1 and t = 0 is the uplift; a linear head on the trunk for
the transformed outcome z = y (t - e) / (e (1 - e)), whose mean given x is the uplift (Athey and
Imbens, 2016, Recursive partitioning for heterogeneous causal effects, PNAS). The loss of a row is
the cross-entropy of the outcome + w (z - head)^2; without the second task (w = 0) it is a plain
S-learner, in which the treatment is easily lost among many covariates.

Settings. No paper has this network: layers, heads, batches and penalty are those of TARNet (Shalit
et al., 2017; see tarnet.py); the values of w are ours. Width and w are chosen on validation rows by
q_adj; stopped early by the likelihood of their outcomes.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from baselines._neural import NeuralMethod
from baselines.tarnet import BATCH, DECAY
from twin.rows import Rows

if TYPE_CHECKING:
    from twin.torch import TwinTorch


class SNetworkMethod(NeuralMethod):
    """The S-network, its width and the weight of the second task chosen on validation rows."""

    name = "s-network"
    grid: ClassVar = {"width": (50, 200), "second_task": (0.0, 0.1)}
    quick_grid: ClassVar = {"width": (50,), "second_task": (0.1,)}

    def _candidate(
        self, settings: dict[str, Any], train: Rows, valid: Rows, seed: int
    ) -> "TwinTorch":
        from baselines._networks import SNetwork, TwoTaskLoss, fitted

        make = partial(SNetwork, width=settings["width"], trunk_layers=3, head_layers=3)
        loss = TwoTaskLoss(settings["second_task"], train.propensity)
        return fitted(
            make, loss, train, valid, seed, batch_size=BATCH, decay=DECAY, quick=self.quick
        )
