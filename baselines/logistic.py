"""Logistic regression with interactions.

The paper's "Logistic": the twin architecture without a hidden layer, fitted by the binomial loss
(Belbahri et al. 2021, Section "Experiments"). The trainer, the L1 penalty and the grid are those
of Twin_mu, so that the two rows differ by the loss alone.
"""

from typing import ClassVar

from baselines.twin_mu import TwinMu


class Logistic(TwinMu):
    """Twin_mu with the binomial loss."""

    name = "logistic"
    paper_row = "Logistic"
    loss: ClassVar[str] = "binomial"
