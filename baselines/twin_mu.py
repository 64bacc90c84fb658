"""Twin_mu: the uplift interaction model, fitted by the uplift loss.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift.

Model. logit m_1t(x) = θ_0 + x'θ_main + t (θ_t + x'θ_interaction), 2p + 1 weights, no hidden layer;
uplift loss with an L1 penalty, trained by proximal SGD. See `twin.TwinUplift`.
"""

from typing import ClassVar

from baselines._twin import TwinMethod
from twin.rows import Rows
from twin.search import paper_grid


class TwinMu(TwinMethod):
    """No hidden layer."""

    name = "twin-mu"
    paper_row = "Twin_mu"
    grid: ClassVar = paper_grid(structured=False)

    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        return ()
