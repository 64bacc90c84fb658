"""Twin_NN with structured sparsity: scaling factors that prune whole nodes.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift, Table 1.

Model. As Twin_NN with m = 512, each node k scaled by s_k with penalty λ_1 |s_k|; nodes with s_k = 0
leave the network, m_hat remain. On the weights the penalty λ_2 is L1, L2 or absent.
"""

from typing import ClassVar

from baselines.twin_nn import Twin512
from twin.search import paper_grid


class Twin512Structured(Twin512):
    """L1 on the weights: the paper's best model."""

    name = "twin-512-structured"
    paper_row = "Twin_NN 512 structured"
    grid: ClassVar = paper_grid(structured=True)
    quick_grid: ClassVar = {
        "learning_rate": (0.1,),
        "node_penalty": (0.0, 0.005),
        "weight_penalty": (0.0001,),
    }


class Twin512StructuredL2(Twin512Structured):
    """L2 on the weights."""

    name = "twin-512-structured-l2"
    paper_row = "structured=Yes, R=L2"
    penalty = "l2"


class Twin512StructuredNone(Twin512Structured):
    """No penalty on the weights."""

    name = "twin-512-structured-none"
    paper_row = "structured=Yes, R=0"
    grid: ClassVar = paper_grid(structured=True, penalty="none")
    quick_grid: ClassVar = {"learning_rate": (0.1,), "node_penalty": (0.0, 0.005)}
    penalty = "none"
