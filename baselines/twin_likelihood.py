"""Twin models selected by the likelihood of the outcomes instead of q_adj.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift, has the models,
the grid and the search; the score is this project's choice. q_adj on validation rows is noisy:
among the same candidates the likelihood finds better ones (results/findings/choosing.md). Epoch,
settings that go on and winner are those with the highest mean of log m_{yt}(x) over the validation
rows, m_{yt}(x) = Pr(Y = y | x, t) of the model.
"""

from baselines._twin import TwinMethod
from baselines.twin_mu import TwinMu
from baselines.twin_nn import Twin64


class ByLikelihood(TwinMethod):
    """Selects by the likelihood of the outcomes of the validation rows."""

    paper_row = None
    select = "likelihood"


class Twin64Likelihood(ByLikelihood, Twin64):
    """Twin_NN with m = 64, without structured sparsity."""

    name = "twin-64-likelihood"


class TwinMuLikelihood(ByLikelihood, TwinMu):
    """No hidden layer."""

    name = "twin-mu-likelihood"
