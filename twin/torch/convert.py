"""Between the numba models and torch: the same weights, the same predictions."""

import numpy as np
import torch
from torch import Tensor, nn

from twin.estimator import TwinUplift
from twin.network import Network
from twin.torch.modules import Standardise, Twin, TwinNet
from twin.trainer import Scaler


def to_torch(model: TwinUplift) -> Twin:
    """The fitted model as a module: X in its own units (n, p) to logits (n, 2)."""
    model._check_fitted()
    (network,) = model.networks_
    scaler = model.scaler_
    inputs = Standardise(torch.from_numpy(scaler.mean), torch.from_numpy(scaler.inverse_scale))
    return Twin(_net(network, len(scaler.mean)), inputs).eval()


def from_torch(module: nn.Module) -> TwinUplift:
    """A `Twin` of a `TwinNet` as a fitted `TwinUplift`, which needs no torch to predict.

    Without `inputs` the module's covariates are taken as they are. Nodes whose factor is 0 go.
    """
    if not (isinstance(module, Twin) and isinstance(module.backbone, TwinNet)):
        inner = f" of a {type(module.backbone).__name__}" if isinstance(module, Twin) else ""
        raise ValueError(
            f"the module is a {type(module).__name__}{inner}; only a Twin of a TwinNet is a "
            "TwinUplift, other networks predict through TwinTorch"
        )
    net, inputs = module.backbone.pruned(), module.inputs
    if inputs is None:
        scaler = Scaler(np.zeros(net.p, np.float32), np.ones(net.p, np.float32))
    elif isinstance(inputs, Standardise):
        scaler = Scaler(_array(inputs.mean), _array(inputs.inverse_scale))
    else:
        raise ValueError(
            f"the twin's inputs are a {type(inputs).__name__}; a TwinUplift can only standardise: "
            "apply other steps to X first"
        )
    model = TwinUplift(hidden=net.hidden)
    model.networks_, model.scaler_, model.n_features_in_ = (_network(net),), scaler, net.p
    return model


@torch.no_grad()
def _net(network: Network, p: int) -> TwinNet:
    net = TwinNet(p, network.hidden)
    if not network.hidden:
        net.first.copy_(torch.from_numpy(network.matrices[0]))
        net.intercept.fill_(network.output_intercept)
    else:
        net.first.copy_(torch.from_numpy(network.matrices[0].T))
        net.intercept.copy_(torch.from_numpy(network.intercepts[0]))
        *inner, last = net.layers
        weights, biases = network.matrices[1:], network.intercepts[1:]
        for layer, W, b in zip(inner, weights, biases, strict=True):
            layer.weight.copy_(torch.from_numpy(W.T))
            layer.bias.copy_(torch.from_numpy(b))
        last.weight.copy_(torch.from_numpy(network.output)[None])
        last.bias.fill_(network.output_intercept)
    net.treatment.copy_(torch.from_numpy(network.treatment))
    return net


def _network(net: TwinNet) -> Network:
    first, treatment = _array(net.first), _array(net.treatment)
    if not net.hidden:
        return Network(
            (first,), treatment, (), np.empty(0, np.float32), float(net.intercept.item())
        )
    *inner, last = net.layers
    return Network(
        (np.ascontiguousarray(first.T), *(np.ascontiguousarray(_array(w.weight).T) for w in inner)),
        treatment,
        (_array(net.intercept), *(_array(layer.bias) for layer in inner)),
        _array(last.weight)[0],
        float(last.bias.item()),
    )


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().to("cpu", torch.float32).numpy().copy()
