"""Networks: any backbone as twins, and the backbone that is the paper's Twin_NN."""

from itertools import pairwise
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn


class Twin(nn.Module):
    """Two passes through one backbone that share every weight and differ only in the treatment.

    `backbone(covariates, treatment)` gives one logit per row, (n,) or (n, 1); `treatment` is a
    float tensor (n, 1) of zeros or ones. `covariates` is whatever the twin is called with: a
    tensor, or a tuple or dictionary of tensors, rows first. The output is (n, 2): control, treated.

    A backbone that can compute the twins faster together has a method `both(covariates)` that
    gives the (n, 2) logits; it is used instead. `inputs`, where given, is a module applied to the
    covariates once, before the twins.
    """

    def __init__(self, backbone: nn.Module, inputs: nn.Module | None = None) -> None:
        super().__init__()
        if not isinstance(backbone, nn.Module):
            raise TypeError(
                f"backbone is a {type(backbone).__name__}; give a torch.nn.Module that maps "
                "(covariates, treatment) to one logit per row"
            )
        self.backbone = backbone
        self.inputs = inputs

    def forward(self, covariates: Any) -> Tensor:
        if self.inputs is not None:
            covariates = self.inputs(covariates)
        if hasattr(self.backbone, "both"):
            return self.backbone.both(covariates)
        first = _first_tensor(covariates)
        zeros = torch.zeros(len(first), 1, device=first.device, dtype=self._dtype(first))
        logits = [self._one_logit(covariates, zeros), self._one_logit(covariates, zeros + 1)]
        return torch.stack(logits, dim=1)

    def _dtype(self, first: Tensor) -> torch.dtype:
        """That of the weights: covariates may be whole numbers."""
        if first.is_floating_point():
            return first.dtype
        floating = (p.dtype for p in self.backbone.parameters() if p.is_floating_point())
        return next(floating, torch.get_default_dtype())

    def _one_logit(self, covariates: Any, treatment: Tensor) -> Tensor:
        logit = self.backbone(covariates, treatment)
        n = len(treatment)
        if not isinstance(logit, Tensor) or logit.shape not in ((n,), (n, 1)):
            found = tuple(logit.shape) if isinstance(logit, Tensor) else type(logit).__name__
            raise ValueError(
                f"the backbone {type(self.backbone).__name__} gives {found} for {n} rows; "
                f"it must give one logit per row, ({n},) or ({n}, 1)"
            )
        return logit.reshape(n)


class TwinNet(nn.Module):
    """The backbone of Twin_NN: p + 1 inputs (x, t), hidden layers of ReLU nodes, one logit.

    `hidden=()` is the interaction model Twin_mu with the inputs x, t x and t. `scaled` gives every
    node of the (only) hidden layer a factor s_k, 1 at the start, that `ProximalSGD` can take to
    exactly 0. Weights start uniform on +-1/sqrt(fan in), as those of `twin.TwinUplift`.
    """

    def __init__(self, p: int, hidden: tuple[int, ...] = (512,), *, scaled: bool = False) -> None:
        super().__init__()
        self.p, self.hidden = p, tuple(hidden)
        if any(isinstance(m, bool) or m != int(m) or m < 1 for m in (p, *self.hidden)):
            raise ValueError(f"p is {p} and hidden {hidden}; give whole numbers, each 1 or more")
        if scaled and len(self.hidden) != 1:
            raise ValueError(
                f"scaled=True with hidden={self.hidden}; factors need exactly one hidden layer"
            )
        width = self.hidden[0] if self.hidden else 2
        self.first = nn.Parameter(torch.empty(width, p))
        self.treatment = nn.Parameter(torch.empty(self.hidden[0] if self.hidden else 1))
        self.intercept = nn.Parameter(torch.empty(self.hidden[0] if self.hidden else 1))
        self.scale = nn.Parameter(torch.ones(width)) if scaled else None
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise((*self.hidden, 1)))
        bound = 1 / sqrt(p + 1 if self.hidden else 2 * p + 1)
        for parameter in (self.first, self.treatment, self.intercept):
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor, treatment: Tensor) -> Tensor:
        """The logit of every row, (n,), under the treatment (n, 1) or (n,)."""
        t = treatment.reshape(-1, 1)
        if not self.hidden:
            main, interaction = self._linear(x)
            return main + t[:, 0] * interaction
        shared, shift = self._first_layer(x)
        return self._from_first(shared + t * shift)

    def both(self, x: Tensor) -> Tensor:
        """The logits of both twins, (n, 2): what does not depend on t is computed once."""
        if x.shape[-1] != self.p:
            raise ValueError(f"X has {x.shape[-1]} columns; this network was made for {self.p}")
        if not self.hidden:
            main, interaction = self._linear(x)
            return torch.stack((main, main + interaction), dim=1)
        shared, shift = self._first_layer(x)
        return self._from_first(torch.stack((shared, shared + shift))).T

    def _linear(self, x: Tensor) -> tuple[Tensor, Tensor]:
        main, interaction = (x @ self.first.T).unbind(dim=1)
        return main + self.intercept, interaction + self.treatment

    def _first_layer(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What enters the nodes without treatment, (n, m), and what a treatment adds, (m,)."""
        if self.scale is None:
            return nn.functional.linear(x, self.first, self.intercept), self.treatment
        # On the weights, which are fewer than the activations of a batch.
        first, intercept = self.first * self.scale[:, None], self.intercept * self.scale
        return nn.functional.linear(x, first, intercept), self.treatment * self.scale

    def _from_first(self, h: Tensor) -> Tensor:
        h = torch.relu(h)
        for layer in self.layers[:-1]:
            h = torch.relu(layer(h))
        return self.layers[-1](h).squeeze(-1)

    @torch.no_grad()
    def pruned(self) -> "TwinNet":
        """A copy without the nodes whose factor is 0, and with the factors multiplied in."""
        if self.scale is None:
            return self
        keep = self.scale != 0
        net = TwinNet(self.p, (max(int(keep.sum()), 1),)).to(self.first)
        if not keep.any():  # every node is gone: one that adds nothing stays, a layer needs one
            keep = torch.arange(len(keep), device=keep.device) == 0
        s = self.scale[keep]
        net.first.copy_(self.first[keep] * s[:, None])
        net.treatment.copy_(self.treatment[keep] * s)
        net.intercept.copy_(self.intercept[keep] * s)
        net.layers[0].weight.copy_(self.layers[0].weight[:, keep])
        net.layers[0].bias.copy_(self.layers[0].bias)
        return net


class Standardise(nn.Module):
    """(x - mean) / scale by the training rows."""

    def __init__(self, mean: Tensor, inverse_scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("inverse_scale", inverse_scale)

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) * self.inverse_scale


def _first_tensor(covariates: Any) -> Tensor:
    while not isinstance(covariates, Tensor):
        if isinstance(covariates, dict):
            covariates = tuple(covariates.values())
        if not isinstance(covariates, tuple | list) or not covariates:
            raise TypeError(
                f"covariates are a {type(covariates).__name__}; "
                "give a tensor, or a tuple or dictionary of tensors"
            )
        covariates = covariates[0]
    return covariates
