"""The twin model written plainly from the paper's equations, as a torch module with autograd."""

import torch
from torch import Tensor, nn

from twin.lane import Lane, views


class PlainTwin(nn.Module):
    """Two passes through one network of inputs (x, t); parameters copied from a `Lane`."""

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self.depth = len(lane.hidden)
        arrays = views(lane.theta, lane._shapes)
        self.weights = nn.ParameterList(torch.tensor(a) for a in arrays)
        self.biases = nn.ParameterList(
            torch.tensor(b) for b in views(lane.intercepts, lane._intercept_shapes)
        )
        self.s = nn.Parameter(torch.tensor(lane.s)) if lane.a is not None else None

    def logit(self, X: Tensor, t: float) -> Tensor:
        if self.depth == 0:
            W, treatment = self.weights
            return X @ W[:, 0] + t * (X @ W[:, 1]) + t * treatment[0] + self.biases[0][0]
        h = torch.cat([X, torch.full((len(X), 1), t, dtype=X.dtype)], dim=1)
        for i, (W, b) in enumerate(zip(self.weights[:-1], self.biases[:-1], strict=True)):
            z = h @ W + b
            if i == 0 and self.s is not None:
                z = self.s * z
            h = torch.relu(z)
        return h @ self.weights[-1] + self.biases[-1][0]

    def loss(self, X: Tensor, y: Tensor, t: Tensor, *, augmented: bool, e: float) -> Tensor:
        """eq. augmented_loss_function with p_{yt} for a constant propensity e, or the binomial."""
        m1, m0 = torch.sigmoid(self.logit(X, 1.0)), torch.sigmoid(self.logit(X, 0.0))
        m_t = torch.where(t == 1, m1, m0)
        loss = -(y * m_t.log() + (1 - y) * (1 - m_t).log())
        if augmented:
            m_y1, m_y0 = torch.where(y == 1, m1, 1 - m1), torch.where(y == 1, m0, 1 - m0)
            p_y1 = e * m_y1 / (e * m_y1 + (1 - e) * m_y0)
            loss = loss - (t * p_y1.log() + (1 - t) * (1 - p_y1).log())
        return loss.mean()
