"""Losses: finite anywhere, gradients as autograd's, and the identity of likelihood and binomial."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="autograd is torch's")

from twin.losses import mean_loss  # noqa: E402


def random_rows(n: int = 50, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) * 3, rng.integers(0, 2, n), rng.integers(0, 2, n)


def paper_likelihood(m: torch.Tensor, y: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """eq. log-likelihood_loss_function, term by term; m holds m_10, m_11."""
    m_10, m_11 = m.T
    p_y1 = torch.where(y == 1, m_11 / (m_11 + m_10), (1 - m_11) / (2 - m_11 - m_10))
    terms = y * (m_11 + m_10).log() + (1 - y) * (2 - m_11 - m_10).log()
    return -(terms + t * p_y1.log() + (1 - t) * (1 - p_y1).log()).mean()


@pytest.mark.parametrize("e", [0.5, 0.2, 0.85])
def test_uplift_loss_is_the_augmented_loss(e: float) -> None:
    logits, y, t = random_rows()
    value, gradient = mean_loss(logits, y, t, loss="uplift", propensity=e)
    a = torch.tensor(logits, requires_grad=True)
    Y, T = torch.tensor(y), torch.tensor(t)
    m_10, m_11 = torch.sigmoid(a).T
    m_y1, m_y0 = torch.where(Y == 1, m_11, 1 - m_11), torch.where(Y == 1, m_10, 1 - m_10)
    p_y1 = e * m_y1 / (e * m_y1 + (1 - e) * m_y0)
    m_yt = torch.where(T == 1, m_y1, m_y0)
    posterior = T * p_y1.log() + (1 - T) * (1 - p_y1).log()
    loss = -(m_yt.log() + posterior).mean()
    loss.backward()
    # The closed form leaves out the constant log of the own arm's propensity.
    constant = np.log(np.where(t == 1, e, 1 - e)).mean()
    assert value == pytest.approx(loss.item() + constant, abs=1e-13)
    np.testing.assert_allclose(gradient, a.grad.numpy(), rtol=1e-10, atol=1e-14)


def test_likelihood_is_binomial_up_to_a_constant() -> None:
    """The paper's log-likelihood loss differs from the binomial loss by no function of m."""
    logits, y, t = random_rows()
    a = torch.tensor(logits, requires_grad=True)
    loss = paper_likelihood(torch.sigmoid(a), torch.tensor(y), torch.tensor(t))
    loss.backward()
    for name in ("binomial", "likelihood"):
        value, gradient = mean_loss(logits, y, t, loss=name)
        assert value == pytest.approx(loss.item(), abs=1e-13)
        np.testing.assert_allclose(gradient, a.grad.numpy(), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("loss", ["uplift", "binomial"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finite_for_any_logits(loss: str, dtype: type) -> None:
    grid = np.array([-1e4, -100, -1, 0, 1, 100, 1e4], dtype=dtype)
    logits = np.array([(a, b) for a in grid for b in grid], dtype=dtype)
    for y in (0, 1):
        for t in (0, 1):
            n = len(logits)
            value, gradient = mean_loss(logits, np.full(n, y), np.full(n, t), loss=loss)
            assert np.isfinite(value)
            assert np.isfinite(gradient).all()


def test_bad_arguments_are_named() -> None:
    logits, y, t = random_rows()
    with pytest.raises(ValueError, match="loss is 'hinge'.*uplift, binomial, likelihood"):
        mean_loss(logits, y, t, loss="hinge")
    with pytest.raises(ValueError, match="propensity is 1.0; it must lie strictly between"):
        mean_loss(logits, y, t, propensity=1.0)
    with pytest.raises(ValueError, match="rows differ: logits has 50, y has 49"):
        mean_loss(logits, y[:-1], t)
