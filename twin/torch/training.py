"""The training loop of `TwinTorch`: epochs over arrays or batches, the best one is kept."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from twin.qini import adjusted_qini_score
from twin.torch.loss import UpliftLoss, check_logits
from twin.trainer import BatchPlan

PREDICTED_ROWS = 8192  # rows in one pass of prediction: memory stays level in n
Batch = tuple[Any, Tensor, Tensor]


@dataclass(frozen=True)
class Scored:
    """Validation rows on the device, and how an epoch is scored on them."""

    covariates: Tensor
    y: NDArray[np.int8]
    treatment: NDArray[np.int8]
    by: str  # "q_adj" or "likelihood"

    def score(self, net: nn.Module) -> float:
        """Higher is better: q_adj, or the mean log-likelihood of the outcomes."""
        logits = predicted_logits(net, self.covariates)
        if not bool(torch.isfinite(logits).all()):
            return float("nan")
        if self.by == "likelihood":
            y, t = (torch.from_numpy(a).to(logits.device) for a in (self.y, self.treatment))
            return -float(UpliftLoss("binomial")(logits, y, t))
        outcomes = torch.sigmoid(logits.double()).cpu().numpy()
        return float(adjusted_qini_score(self.y, outcomes[:, 1] - outcomes[:, 0], self.treatment))


@dataclass(eq=False)
class Epochs:
    """What is remembered of a training: an entry per epoch, and the weights of the best one."""

    history: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0
    best_score: float = -inf
    checkpoint: dict[str, Tensor] | None = None


def train(
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    loss: Callable[[nn.Module, Any, Tensor, Tensor], Tensor],
    batches: Callable[[int], Iterable[Batch]],
    *,
    epochs: int,
    patience: int | None,
    scored: Scored | None,
    after_epoch: Sequence[Callable[[dict[str, float]], object]],
) -> Epochs:
    """Trains `net` in place and leaves it with the weights of the best epoch."""
    kept = Epochs()
    for epoch in range(epochs):
        mean_loss = _one_epoch(net, optimizer, loss, batches(epoch), epoch + 1)
        score = scored.score(net) if scored else 0.0
        if not isfinite(mean_loss) or isnan(score):
            raise ValueError(
                f"the loss is {mean_loss} in epoch {epoch + 1}"
                f"{' and predictions are not finite' if isnan(score) else ''}; "
                "choose a smaller learning rate, or look for covariates that are not scaled"
            )
        entry = {"loss": mean_loss}
        if scored:
            entry[f"valid_{scored.by}"] = score
        kept.history.append(entry)
        if scored is None or score > kept.best_score:
            kept.best_epoch, kept.best_score = epoch + 1, score
            if scored:
                kept.checkpoint = copy.deepcopy(net.state_dict())
        for callback in after_epoch:
            callback({"epoch": epoch + 1, **entry})
        if patience is not None and epoch + 1 - kept.best_epoch >= patience:
            break
    if kept.checkpoint is not None:
        net.load_state_dict(kept.checkpoint)
    net.eval()
    return kept


def _one_epoch(net, optimizer, loss, batches, epoch: int) -> float:
    net.train()
    total, count = None, 0
    for X, y, t in batches:
        optimizer.zero_grad()
        value = loss(net, X, y, t)
        value.backward()
        optimizer.step()
        # No .item() here: on a GPU it would wait for every batch.
        total = value.detach() if total is None else total + value.detach()
        count += 1
    if total is None:
        raise ValueError(
            f"there are no batches in epoch {epoch}; give something that can be walked through "
            "once for every epoch, such as a list or a DataLoader, not a generator"
        )
    return float(total) / count


class ArrayBatches:
    """The batches of an epoch from tensors, in the order that `twin.trainer` takes them."""

    def __init__(self, X: Tensor, y: Tensor, t: Tensor, batch_size: int, seed: int) -> None:
        self.tensors = X, y, t
        self.plan = BatchPlan(len(y), min(batch_size, len(y)), seed)

    def __call__(self, epoch: int) -> Iterator[Batch]:
        order = torch.from_numpy(self.plan.rows(epoch)).to(self.tensors[0].device)
        # Gathered once per epoch: batches are then slices, which cost nothing.
        X, y, t = (column.index_select(0, order) for column in self.tensors)
        size = self.plan.batch_size
        for first in range(0, len(order), size):
            rows = slice(first, first + size)
            yield X[rows], y[rows], t[rows]


@torch.no_grad()
def predicted_logits(net: nn.Module, X: Any) -> Tensor:
    """Logits (n, 2) of all rows, in evaluation mode."""
    net.eval()
    if not isinstance(X, Tensor):
        logits = net(X)
        check_logits(logits)
        return logits
    parts = []
    for rows in X.split(PREDICTED_ROWS):
        parts.append(net(rows))
        check_logits(parts[-1])
    return torch.cat(parts)


def find_device(name: str | torch.device) -> torch.device:
    """The device of that name, "auto" for the fastest here; one that is absent is an error."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        mps = getattr(torch.backends, "mps", None)
        return torch.device("mps" if mps is not None and mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0][:120]
        raise ValueError(
            f"device is {str(name)!r}, which cannot be used here ({reason}); give 'cpu' or 'auto'"
        ) from None
    return device


@contextmanager
def own_randomness(seed: int, device: torch.device, threads: int) -> Iterator[None]:
    """Torch's random numbers from `seed` on `threads` threads; the caller's come back after it."""
    devices = [device] if device.type == "cuda" else []
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed % 2**63)
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)
