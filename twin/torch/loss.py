"""The losses of `twin.losses` as a torch module, with the same closed-form gradient."""

from math import log, log1p

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from twin import checks
from twin.losses import is_augmented


class UpliftLoss(nn.Module):
    """Mean loss of logits (n, 2), columns control and treated, given y and treatment (n,), 0/1.

    loss : "uplift" (the paper's augmented loss), "binomial" or its synonym "likelihood".
    propensity : the known constant e = Pr(T = 1).

    It is computed in float64 where the device has it, so that it is finite for any finite logits.
    The gradient is the closed form, which autograd cannot differentiate once more.
    """

    def __init__(self, loss: str = "uplift", propensity: float = 0.5) -> None:
        super().__init__()
        self.loss = loss
        self.augmented = is_augmented(loss)
        self.propensity = checks.propensity_value(propensity)

    def forward(self, logits: Tensor, y: Tensor, treatment: Tensor) -> Tensor:
        check_logits(logits)
        for name, labels in (("y", y), ("treatment", treatment)):
            if labels.shape != logits.shape[:1]:
                raise ValueError(
                    f"{name} has shape {tuple(labels.shape)} beside {len(logits)} rows of logits; "
                    "give one 0/1 value per row, in one dimension"
                )
        return _ClosedForm.apply(logits, y, treatment, self.augmented, self.propensity)

    def extra_repr(self) -> str:
        return f"loss={self.loss!r}, propensity={self.propensity}"


def check_logits(logits: Tensor) -> None:
    """Two logits per row, or an error."""
    if logits.ndim != 2 or logits.shape[1] != 2:
        raise ValueError(
            f"logits have shape {tuple(logits.shape)}; give (n, 2), columns control and treated"
        )


class _ClosedForm(torch.autograd.Function):
    """Loss and gradient in one pass; symbols as in `twin._kernels.row_loss`."""

    @staticmethod
    def forward(ctx, logits: Tensor, y: Tensor, t: Tensor, augmented: bool, e: float) -> Tensor:
        wide = torch.float32 if logits.device.type == "mps" else torch.float64
        s = (2 * y.to(wide) - 1)[:, None]
        arm = torch.stack((1 - t, t), dim=1).to(wide)  # 1 at the logit of the arm that a row is in
        z = s * logits.to(wide)
        log_m = logsigmoid(z)  # log m_{y0}, log m_{y1}
        weight = -arm  # by which log m enters the derivative
        total = -(arm * log_m).sum()
        if augmented:
            joint = log_m + log_m.new_tensor([log1p(-e), log(e)])
            total = 2 * total + joint.logsumexp(dim=1).sum()
            weight = joint.softmax(dim=1) - 2 * arm  # softmax: Pr(T = t | y, x)
        gradient = s * torch.sigmoid(-z) * weight / len(logits)
        ctx.save_for_backward(gradient.to(logits.dtype))
        return total / len(logits)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, upstream: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return upstream.to(gradient.dtype) * gradient, None, None, None, None
