"""The twin models for any torch network, on any device (extra `torch`).

`UpliftLoss` is the paper's loss, `Twin` makes two passes that share every weight out of a network
of your own, `ProximalSGD` trains with exact zeros, `TwinTorch` is the estimator around them.
`from_torch` and `TwinUplift.to_torch` lead from here to the other models and back.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"twin.torch needs torch, which cannot be imported ({error}): "
        "pip install 'twin-uplift-suite[torch]'"
    ) from error

from twin.torch.convert import from_torch, to_torch
from twin.torch.estimator import TwinTorch
from twin.torch.loss import UpliftLoss
from twin.torch.modules import Twin, TwinNet
from twin.torch.optim import ProximalSGD, penalised

__all__ = [
    "ProximalSGD",
    "Twin",
    "TwinNet",
    "TwinTorch",
    "UpliftLoss",
    "from_torch",
    "penalised",
    "to_torch",
]
