"""Refits of the text under Table 1: a network that has m_hat nodes from the start.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift. The question is
whether pruning finds a size or a solution: the structured network of the same replicate (without
penalty on the weights, or with L1) gives m_hat, and a plain Twin_NN of that size is trained anew.
The paper prints m = 218 and m = 340, the average m_hat of its 20 replicates; here each replicate
has its own.
"""

from typing import ClassVar

import baselines
from baselines._twin import TwinMethod
from twin.rows import Rows
from twin.search import paper_grid


class Refit(TwinMethod):
    """A plain Twin_NN with as many nodes as `upstream` kept."""

    grid: ClassVar = paper_grid(structured=False)

    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        if self.upstream_result is not None:
            m_hat = self.upstream_result["n_active_nodes"]
        else:
            first = baselines.method(self.upstream)(threads=self.threads, quick=self.quick)
            m_hat = first.fit(train, valid, seed).n_active_nodes_
        return (max(1, int(m_hat)),)  # a network needs a node, even where all were pruned


class RefitNoneL2(Refit):
    """m_hat of the structured network without penalty on the weights; L2."""

    name = "twin-refit-none-l2"
    paper_row = "refit m=218 L2"
    upstream = "twin-512-structured-none"
    penalty = "l2"


class RefitNoneL1(RefitNoneL2):
    """The same with L1."""

    name = "twin-refit-none-l1"
    paper_row = "refit m=218 L1"
    penalty = "l1"


class RefitL1L2(Refit):
    """m_hat of the structured network with L1 on the weights; L2."""

    name = "twin-refit-l1-l2"
    paper_row = "refit m=340 L2"
    upstream = "twin-512-structured"
    penalty = "l2"


class RefitL1L1(RefitL1L2):
    """The same with L1."""

    name = "twin-refit-l1-l1"
    paper_row = "refit m=340 L1"
    penalty = "l1"
