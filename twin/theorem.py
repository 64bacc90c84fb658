"""Theorem 1: the interaction model is a one-hidden-layer twin network with 2p + 1 nodes."""

import numpy as np
from numpy.typing import ArrayLike

from twin.network import Network


def equivalent_network(theta: ArrayLike, intercept: float, c: float) -> Network:
    """The network of 2p + 1 ReLU nodes that equals the interaction model for all x in [0, c]^p.

    `theta` holds theta_1..theta_2p+1 in the order of eq. neural_network_1: main effects,
    interactions with t, treatment. Node j <= p passes x_j on; node p + j is
    ReLU(x_j + c t - c), which is t x_j as long as 0 <= x_j <= c; the last node is t.
    """
    theta = np.asarray(theta, dtype=np.float64)
    if theta.ndim != 1 or len(theta) < 3 or len(theta) % 2 == 0:
        raise ValueError(f"theta has shape {theta.shape}; it must hold 2p + 1 coefficients, p >= 1")
    if not 0 < c < np.inf:
        raise ValueError(f"c is {c}; it must be positive and finite, as x lies in [0, c]^p")
    p = len(theta) // 2
    identity = np.eye(p)
    return Network(
        matrices=(np.hstack([identity, identity, np.zeros((p, 1))]),),
        treatment=np.concatenate([np.zeros(p), np.full(p, c), [1.0]]),
        intercepts=(np.concatenate([np.zeros(p), np.full(p, -c), [0.0]]),),
        output=theta,
        output_intercept=float(intercept),
    )
