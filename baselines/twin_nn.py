"""Twin_NN of every size in the paper, without structured sparsity.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift, Tables 1, 3, 7.

Model. Two twins that share weights: logit m_1t(x) from one hidden layer of m ReLU nodes over
(x, t); uplift loss; L1 penalty on the weights by proximal SGD. See `twin.TwinUplift`.
"""

from typing import ClassVar

from baselines._twin import TwinMethod
from twin.rows import Rows
from twin.search import paper_grid


class TwinNN(TwinMethod):
    """One hidden layer of `nodes` nodes, unless `_hidden` says otherwise."""

    grid: ClassVar = paper_grid(structured=False)
    nodes: ClassVar[int]

    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        return (self.nodes,)


class Twin512(TwinNN):
    """m = 512; also the row without structured sparsity and with L1 of Table 1."""

    name = "twin-512"
    paper_row = "Twin_NN 512"
    nodes = 512


class Twin64(TwinNN):
    """m = 64."""

    name = "twin-64"
    paper_row = "Twin_NN 64"
    nodes = 64


class Twin128(TwinNN):
    """m = 128."""

    name = "twin-128"
    paper_row = "Twin_NN 128"
    nodes = 128


class Twin256(TwinNN):
    """m = 256."""

    name = "twin-256"
    paper_row = "Twin_NN 256"
    nodes = 256


class Twin2p1(TwinNN):
    """m = 2p + 1, the size that Theorem 1 needs to hold the interaction model."""

    name = "twin-2p1"
    paper_row = "Twin_NN 2p+1"

    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        return (2 * train.X.shape[1] + 1,)


class Twin512L2(Twin512):
    """m = 512 with an L2 penalty (Table 1)."""

    name = "twin-512-l2"
    paper_row = "structured=No, R=L2"
    penalty = "l2"


class TwinTwoLayers(TwinNN):
    """Two hidden layers of p + 1 and p nodes."""

    name = "twin-two-layers"
    paper_row = "Twin_NN 2 hidden layers (p+1, p)"

    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        p = train.X.shape[1]
        return (p + 1, p)
