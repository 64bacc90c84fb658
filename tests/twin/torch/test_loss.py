"""UpliftLoss beside `twin.losses` and beside autograd of the formula as it is printed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="twin.torch needs torch")

from twin.losses import mean_loss  # noqa: E402
from twin.torch import UpliftLoss  # noqa: E402

PRECISION = {torch.float32: 1e-6, torch.float64: 1e-12}


def rows(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 2, (n, 2)), rng.integers(0, 2, n), rng.integers(0, 2, n)


def printed(a: torch.Tensor, y: torch.Tensor, t: torch.Tensor, e: float) -> torch.Tensor:
    """eq. augmented_loss_function by probabilities, without the constant that e adds."""
    m0, m1 = torch.sigmoid(a).T
    m0, m1 = torch.where(y == 1, m0, 1 - m0), torch.where(y == 1, m1, 1 - m1)
    p1 = e * m1 / (e * m1 + (1 - e) * m0)
    outcome = -torch.log(torch.where(t == 1, m1, m0))
    treatment = -torch.log(torch.where(t == 1, p1, 1 - p1))
    constant = torch.where(t == 1, a.new_tensor(e), a.new_tensor(1 - e)).log()
    return (outcome + treatment + constant).mean()


@pytest.mark.parametrize("dtype", PRECISION, ids=str)
@pytest.mark.parametrize("loss", ["uplift", "binomial", "likelihood"])
@pytest.mark.parametrize("e", [0.5, 0.2])
def test_it_equals_the_numba_loss(dtype, loss, e):
    a, y, t = rows()
    logits = torch.tensor(a, dtype=dtype, requires_grad=True)
    value = UpliftLoss(loss, e)(logits, torch.tensor(y), torch.tensor(t))
    value.backward()
    expected, gradient = mean_loss(logits.detach().numpy(), y, t, loss=loss, propensity=e)
    assert abs(value.item() - expected) < PRECISION[dtype]
    np.testing.assert_allclose(logits.grad.numpy(), gradient, atol=PRECISION[dtype])


@pytest.mark.parametrize("dtype", PRECISION, ids=str)
@pytest.mark.parametrize("e", [0.5, 0.2])
def test_its_gradient_is_that_of_the_printed_formula(dtype, e):
    a, y, t = rows(seed=1)
    y, t = torch.tensor(y), torch.tensor(t)
    ours, plain = (torch.tensor(a, dtype=dtype, requires_grad=True) for _ in range(2))
    value, expected = UpliftLoss("uplift", e)(ours, y, t), printed(plain, y, t, e)
    value.backward()
    expected.backward()
    assert abs(value.item() - expected.item()) < PRECISION[dtype]
    assert (ours.grad - plain.grad).abs().max() < PRECISION[dtype]


@pytest.mark.parametrize("loss", ["uplift", "binomial"])
def test_it_is_finite_for_any_finite_logits(loss):
    largest = torch.finfo(torch.float32).max
    values = torch.tensor([-largest, -100.0, 0.0, 100.0, largest])
    logits = torch.cartesian_prod(values, values).repeat(4, 1).requires_grad_()
    n = len(logits) // 4
    y = torch.tensor([0, 0, 1, 1]).repeat_interleave(n)
    t = torch.tensor([0, 1, 0, 1]).repeat_interleave(n)
    value = UpliftLoss(loss)(logits, y, t)
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(logits.grad).all()


def test_a_gradient_of_the_gradient_is_refused_and_not_zero():
    a, y, t = rows(5)
    logits = torch.tensor(a, requires_grad=True)
    value = UpliftLoss()(logits, torch.tensor(y), torch.tensor(t))
    (first,) = torch.autograd.grad(value, logits, create_graph=True)
    with pytest.raises(RuntimeError, match="does not require grad|once_differentiable"):
        first.sum().backward()


def test_wrong_shapes_and_names_are_named():
    zeros = torch.zeros(4)
    with pytest.raises(ValueError, match=r"logits have shape \(4, 3\)"):
        UpliftLoss()(torch.zeros(4, 3), zeros, zeros)
    with pytest.raises(ValueError, match=r"treatment has shape \(4, 1\) beside 4 rows"):
        UpliftLoss()(torch.zeros(4, 2), zeros, zeros[:, None])
    with pytest.raises(ValueError, match="loss is 'other'"):
        UpliftLoss("other")
    with pytest.raises(ValueError, match="propensity is 1"):
        UpliftLoss(propensity=1.0)
