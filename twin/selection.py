"""What epochs and settings are selected by: scores of predicted logits on validation rows.

With m_t(x) = Pr(Y = 1 | x, t) of the model, u(x) = m_1(x) - m_0(x) and the propensity e:

    q_adj        the paper's adjusted Qini coefficient of u(x), in per cent
    likelihood   mean log-likelihood of y under m_t(x)
    r_loss       mean of ((y - m(x)) - (t - e) u(x))^2 with the model's own mean outcome
                 m(x) = e m_1(x) + (1 - e) m_0(x)

Since m(x) + (t - e) u(x) = m_t(x), that R-loss is the mean of (y - m_t(x))^2, whatever e is.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin import checks
from twin.network import Array, uplift_of
from twin.qini import scores_of_checked

Labels = NDArray[np.int8]


class Score(NamedTuple):
    """A score of logits (n, 2), y and t; `sign` times it is the higher, the better."""

    of: Callable[[Array, Labels, Labels], float]
    sign: int


def q_adj(logits: Array, y: Labels, t: Labels) -> float:
    """The paper's selection."""
    return scores_of_checked(y, uplift_of(logits), t).q_adj


def likelihood(logits: Array, y: Labels, t: Labels) -> float:
    """Mean of log m_{yt}, finite for any finite logits."""
    return -float(np.logaddexp(0.0, (1 - 2 * y) * _own(logits, t)).mean())


def r_loss(logits: Array, y: Labels, t: Labels) -> float:
    """Mean of (y - m_t)^2."""
    outcome = np.exp(-np.logaddexp(0.0, -_own(logits, t)))
    return float(np.mean((y - outcome) ** 2))


def _own(logits: Array, t: Labels) -> NDArray[np.float64]:
    """The logit a_t of the arm that a row was in."""
    return np.where(t == 1, logits[:, 1], logits[:, 0]).astype(np.float64)


SCORES = {
    "q_adj": Score(q_adj, 1),
    "likelihood": Score(likelihood, 1),
    "r_loss": Score(r_loss, -1),
}


def score_called(name: str) -> Score:
    """The score of that name; an unknown name is an error."""
    if name not in list(SCORES):
        raise checks.unknown_name("select", name, SCORES)
    return SCORES[name]
