"""The networks of the neural peers, and the search that all of them share. It needs torch."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from twin.rows import Rows
from twin.torch import TwinTorch, UpliftLoss

LEARNING_RATE = 0.001  # of both papers' public code
EPOCHS, PATIENCE = 100, 10  # of at most 32 updates each: 3,200 at most
QUICK_EPOCHS = 5


def layers(inputs: int, *sizes: int) -> nn.Sequential:
    """Linear layers, each with an ELU after it."""
    parts: list[nn.Module] = []
    for size in sizes:
        parts += [nn.Linear(inputs, size), nn.ELU()]
        inputs = size
    return nn.Sequential(*parts)


class TARNet(nn.Module):
    """A trunk for all rows and a head for each arm."""

    def __init__(self, p: int, *, width: int, trunk_layers: int, head_layers: int) -> None:
        super().__init__()
        half = width // 2
        self.trunk = layers(p, *[width] * trunk_layers)
        self.heads = nn.ModuleList(
            nn.Sequential(*layers(width, *[half] * head_layers), nn.Linear(half, 1))
            for _ in range(2)
        )

    def both(self, x: Tensor) -> Tensor:
        """Logits (n, 2) of control and treated."""
        return self.from_trunk(self.trunk(x))

    def from_trunk(self, shared: Tensor) -> Tensor:
        """The logits from what the trunk gives."""
        return torch.cat([head(shared) for head in self.heads], dim=1)


class DragonNet(TARNet):
    """TARNet with a propensity head on the trunk and the epsilon of targeted regularisation."""

    def __init__(self, p: int, *, width: int, trunk_layers: int, head_layers: int) -> None:
        super().__init__(p, width=width, trunk_layers=trunk_layers, head_layers=head_layers)
        self.propensity = nn.Linear(width, 1)
        self.epsilon = nn.Parameter(torch.zeros(1))


class SNetwork(nn.Module):
    """A trunk, one outcome head that takes (trunk, t), and a second task on the trunk."""

    def __init__(self, p: int, *, width: int, trunk_layers: int, head_layers: int) -> None:
        super().__init__()
        half = width // 2
        self.trunk = layers(p, *[width] * trunk_layers)
        self.heads = nn.Sequential(*layers(width + 1, *[half] * head_layers), nn.Linear(half, 1))
        self.second = nn.Linear(width, 1)

    def both(self, x: Tensor) -> Tensor:
        """Logits (n, 2) of control and treated."""
        return self.from_trunk(self.trunk(x))

    def from_trunk(self, shared: Tensor) -> Tensor:
        """The logits from what the trunk gives."""
        zeros = shared.new_zeros(len(shared), 1)
        return torch.cat([self.heads(torch.cat([shared, zeros + t], dim=1)) for t in (0, 1)], dim=1)


@dataclass(frozen=True)
class DragonLoss:
    """Outcome + propensity + `targeted` times the targeted regularisation of Shi et al. (2019)."""

    targeted: float

    def __call__(self, net: nn.Module, X: Tensor, y: Tensor, t: Tensor) -> Tensor:
        backbone = net.backbone
        shared = backbone.trunk(X)
        logits = backbone.from_trunk(shared)
        score = backbone.propensity(shared)[:, 0]
        t_float = t.to(score.dtype)
        outcome = UpliftLoss("binomial")(logits, y, t)
        treated = nn.functional.binary_cross_entropy_with_logits(score, t_float)
        # As the authors do: away from 0 and 1, so that the clever covariate stays bounded.
        g = (torch.sigmoid(score) + 0.01) / 1.02
        own = torch.sigmoid(torch.where(t == 1, logits[:, 1], logits[:, 0]))
        moved = own + backbone.epsilon * (t_float / g - (1 - t_float) / (1 - g))
        return outcome + treated + self.targeted * (y - moved).square().mean()


@dataclass(frozen=True)
class TwoTaskLoss:
    """Outcome + `weight` times the squared error of the transformed outcome."""

    weight: float
    e: float

    def __call__(self, net: nn.Module, X: Tensor, y: Tensor, t: Tensor) -> Tensor:
        shared = net.backbone.trunk(X)
        outcome = UpliftLoss("binomial")(net.backbone.from_trunk(shared), y, t)
        transformed = y * (t - self.e) / (self.e * (1 - self.e))  # its mean given x is the uplift
        second = net.backbone.second(shared)[:, 0]
        return outcome + self.weight * (transformed - second).square().mean()


@dataclass(frozen=True)
class AdamOnHeads:
    """Adam with a squared penalty on the weights of the heads alone, not on their biases."""

    decay: float

    def __call__(self, net: nn.Module) -> torch.optim.Optimizer:
        weights = [p for p in net.backbone.heads.parameters() if p.ndim > 1]
        known = {id(parameter) for parameter in weights}
        rest = [p for p in net.parameters() if id(p) not in known]
        groups = [{"params": weights, "weight_decay": self.decay}, {"params": rest}]
        return torch.optim.Adam(groups, lr=LEARNING_RATE, foreach=True)


def fitted(
    make: Callable[[int], nn.Module],
    loss: str | Callable[..., Tensor],
    train: Rows,
    valid: Rows,
    seed: int,
    *,
    batch_size: int,
    decay: float,
    quick: bool,
) -> TwinTorch:
    """One candidate, stopped early by the likelihood of the validation rows' outcomes."""
    model = TwinTorch(
        make,
        AdamOnHeads(decay),
        loss,
        device="cpu",  # where the same seed gives the same numbers, and on one thread always
        threads=1,
        batch_size=batch_size,
        epochs=QUICK_EPOCHS if quick else EPOCHS,
        patience=PATIENCE,
        select_by="likelihood",
        propensity=train.propensity,
        random_state=seed,
    )
    return model.fit(
        train.X, train.y, train.treatment, validation=(valid.X, valid.y, valid.treatment)
    )
