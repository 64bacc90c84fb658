"""The twin model written plainly from the paper's equations: a torch module with autograd.

It is what the trainer's numbers are tested against, and what its speed is compared with.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from twin.lane import Lane, Setting, views
from twin.qini import adjusted_qini_score
from twin.rows import Rows
from twin.trainer import BatchPlan, Scaler


class PlainTwin(nn.Module):
    """Two passes through one network of inputs (x, t); parameters copied from a `Lane`."""

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self.depth = len(lane.hidden)
        arrays = lane.weights()
        self.weights = nn.ParameterList(torch.tensor(a) for a in arrays)
        self.biases = nn.ParameterList(
            torch.tensor(b) for b in views(lane.intercepts, lane._intercept_shapes)
        )
        self.s = nn.Parameter(torch.tensor(lane.s)) if lane.a is not None else None

    def logit(self, X: Tensor, t: float) -> Tensor:
        if self.depth == 0:
            W, treatment = self.weights
            return X @ W[0] + t * (X @ W[1]) + t * treatment[0] + self.biases[0][0]
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

    def uplift(self, X: Tensor) -> Tensor:
        """u(x) = m_11(x) - m_10(x)."""
        return torch.sigmoid(self.logit(X, 1.0)) - torch.sigmoid(self.logit(X, 0.0))


class PlainTraining:
    """Proximal SGD (L1) of a `PlainTwin` from the start and on the batches of a `Lane`.

    `loader` takes the batches through a DataLoader, as most torch programs do, instead of
    indexing the tensors. Every epoch ends with q_adj on `valid`, where there is one.
    """

    def __init__(
        self,
        setting: Setting,
        train: Rows,
        valid: Rows | None,
        *,
        seed: int,
        batch_size: int = 256,
        loader: bool = False,
    ) -> None:
        if setting.penalty != "l1":
            raise ValueError(f"the plain training knows penalty='l1' only, not {setting.penalty!r}")
        scaler = Scaler.of(train.X)
        self.setting, self.valid, self.loader = setting, valid, loader
        lane = Lane(setting, train.X.shape[1], seed)
        self.model = PlainTwin(lane)
        self.plan = BatchPlan(len(train), min(batch_size, len(train)), seed)
        self.data = tuple(
            torch.from_numpy(a.astype(np.float32, copy=False))
            for a in (scaler.standardised(train.X), train.y, train.treatment)
        )
        self.valid_X = None if valid is None else torch.from_numpy(scaler.standardised(valid.X))
        self.parts = list(self._parts(lane))
        self.epochs, self.valid_q_adj = 0, []

    def _parts(self, lane: Lane) -> Iterator[tuple[nn.Parameter, Tensor, Tensor, float]]:
        """Every penalised parameter is a difference of two parts, both 0 or more: u - v, a - b."""
        u, v = (views(part, lane._shapes) for part in (lane.u, lane.v))
        for theta, *parts in zip(self.model.weights, u, v, strict=True):
            yield theta, *map(torch.tensor, parts), self.setting.weight_penalty
        if self.model.s is not None:
            yield self.model.s, *map(torch.tensor, (lane.a, lane.b)), self.setting.node_penalty

    def epoch(self) -> float:
        """One epoch; returns the mean loss of its batches."""
        order, total, count = torch.from_numpy(self.plan.rows(self.epochs)), 0.0, 0
        for X, y, t in self._batches(order):
            loss = self.model.loss(
                X, y, t, augmented=self.setting.loss == "uplift", e=self.setting.propensity
            )
            loss.backward()
            self._update()
            total, count = total + loss.item(), count + 1
        self.epochs += 1
        if self.valid is not None:
            with torch.no_grad():
                uplift = self.model.uplift(self.valid_X).numpy()
            self.valid_q_adj.append(adjusted_qini_score(self.valid.y, uplift, self.valid.treatment))
        return total / count

    def _batches(self, order: Tensor) -> Iterable[Sequence[Tensor]]:
        size = self.plan.batch_size
        if self.loader:
            return DataLoader(TensorDataset(*self.data), batch_size=size, sampler=order.tolist())
        return (
            tuple(column[order[first : first + size]] for column in self.data)
            for first in range(0, len(order), size)
        )

    @torch.no_grad()
    def _update(self) -> None:
        """eqs lasso_prox_update1/2; plain SGD for the intercepts."""
        eta = self.setting.learning_rate
        for theta, u, v, lam in self.parts:
            u.sub_(theta.grad + lam, alpha=eta).clamp_(min=0)
            v.sub_(lam - theta.grad, alpha=eta).clamp_(min=0)
            torch.sub(u, v, out=theta)
        for b in self.model.biases:
            b.sub_(b.grad, alpha=eta)
        self.model.zero_grad()
