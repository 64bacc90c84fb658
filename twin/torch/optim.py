"""Proximal SGD for torch: theta = u - v, both 0 or more, so that weights become exactly zero."""

from collections.abc import Iterable
from math import isfinite
from typing import Any

import torch
from torch import Tensor, nn


class ProximalSGD(torch.optim.Optimizer):
    """SGD with the penalty lambda ||theta||_1, by eqs lasso_prox_update1 and lasso_prox_update2.

    Every group has its own `lr` and `penalty` (lambda). A group with a penalty, be it 0, keeps
    u and v for each parameter: they start as its positive and negative part, and a weight whose
    two parts are positive moves at twice the rate. `penalty=None` is plain SGD, for intercepts.
    `penalised` makes the groups of a network.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 0.1,
        penalty: float | None = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "penalty": penalty})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        lr = param_group.get("lr", self.defaults["lr"])
        penalty = param_group.get("penalty", self.defaults["penalty"])
        if not (isfinite(lr) and lr > 0):
            raise ValueError(f"lr is {lr}; it must be above 0")
        if penalty is not None and not (isfinite(penalty) and penalty >= 0):
            raise ValueError(f"penalty is {penalty}; it must be 0 or more, or None for plain SGD")
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One update from the gradients at hand."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            lr, penalty = group["lr"], group["penalty"]
            for theta in group["params"]:
                if theta.grad is None:
                    continue
                if penalty is None:
                    theta.sub_(theta.grad, alpha=lr)
                    continue
                u, v = self._parts(theta)
                u.sub_(theta.grad, alpha=lr).sub_(lr * penalty).clamp_(min=0)
                v.add_(theta.grad, alpha=lr).sub_(lr * penalty).clamp_(min=0)
                torch.sub(u, v, out=theta)
        return loss

    def _parts(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        state = self.state[theta]
        if not state:
            state["u"], state["v"] = theta.clamp(min=0), (-theta).clamp(min=0)
        return state["u"], state["v"]

    @torch.no_grad()
    def set_parts(self, parameter: Tensor, u: Tensor, v: Tensor) -> None:
        """Start `parameter` as u - v, both 0 or more, instead of from its own two parts."""
        for name, part in (("u", u), ("v", v)):
            if part.shape != parameter.shape or bool((part < 0).any()):
                raise ValueError(
                    f"{name} has shape {tuple(part.shape)} and least value {float(part.min())}; "
                    f"give shape {tuple(parameter.shape)} and values of 0 or more"
                )
        self.state[parameter]["u"] = u.to(parameter).clone()
        self.state[parameter]["v"] = v.to(parameter).clone()
        torch.sub(self.state[parameter]["u"], self.state[parameter]["v"], out=parameter)


def penalised(
    module: nn.Module, weight_penalty: float = 0.001, node_penalty: float | None = None
) -> list[dict[str, Any]]:
    """Groups for `ProximalSGD`: weights, scaling factors, and the rest without a penalty.

    Weights are parameters of two and more dimensions and the treatment's weights of a `TwinNet`;
    scaling factors are its `scale`. Biases, intercepts and normalisation go without.
    """
    groups: dict[str, list[Tensor]] = {"weights": [], "factors": [], "rest": []}
    for name, parameter in module.named_parameters():
        last = name.rpartition(".")[2]
        if last == "scale":
            groups["factors"].append(parameter)
        elif parameter.ndim > 1 or last == "treatment":
            groups["weights"].append(parameter)
        else:
            groups["rest"].append(parameter)
    if groups["factors"] and node_penalty is None:
        raise ValueError(
            "the network has scaling factors; give node_penalty (lambda_1), 0 for none"
        )
    penalties = {"weights": weight_penalty, "factors": node_penalty, "rest": None}
    return [
        {"params": found, "penalty": penalties[kind]} for kind, found in groups.items() if found
    ]
