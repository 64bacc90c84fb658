"""One step of a lane against autograd and against a literal loop over the paper's equations."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="autograd is torch's")

from suite.perf.plain_torch import PlainTwin  # noqa: E402
from twin.lane import Lane, Setting, Workspace  # noqa: E402
from twin.rows import Rows  # noqa: E402

ARCHITECTURES = [
    Setting(hidden=()),
    Setting(hidden=(7,)),
    Setting(hidden=(7,), node_penalty=0.01, scale_start="normal"),
    Setting(hidden=(7, 5)),
    Setting(hidden=(7, 5, 4)),
]


def ids(setting: Setting) -> str:
    return f"{setting.hidden}{'s' if setting.node_penalty is not None else ''}"


def batch(rows: Rows, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rows.X[:64].astype(dtype), rows.y[:64], rows.treatment[:64]


def autograd(
    lane: Lane, X: np.ndarray, y: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Gradients by theta, intercepts and s from the plain torch module."""
    model = PlainTwin(lane)
    setting = lane.setting
    loss = model.loss(
        torch.tensor(X),
        torch.tensor(y).to(torch.float64),
        torch.tensor(t).to(torch.float64),
        augmented=setting.loss == "uplift",
        e=setting.propensity,
    )
    loss.backward()
    flat = [np.concatenate([w.grad.numpy().ravel() for w in group]) for group in
            (model.weights, model.biases)]  # fmt: skip
    return *flat, None if model.s is None else model.s.grad.numpy()


@pytest.mark.parametrize("setting", ARCHITECTURES, ids=ids)
@pytest.mark.parametrize(("loss", "e"), [("uplift", 0.5), ("uplift", 0.8), ("binomial", 0.5)])
def test_gradients_equal_autograd(setting: Setting, loss: str, e: float, rows: Rows) -> None:
    """A step without penalty moves each weight by -eta times autograd's gradient."""
    setting = replace(setting, loss=loss, propensity=e, penalty="none", learning_rate=1.0)
    if setting.node_penalty is not None:
        setting = replace(setting, node_penalty=0.0)
    lane = Lane(setting, rows.X.shape[1], seed=3, dtype=np.float64)
    X, y, t = batch(rows)
    expected = autograd(lane, X, y, t)
    theta, intercepts = lane.theta.copy(), lane.intercepts.copy()
    a_b = None if lane.a is None else (lane.a.copy(), lane.b.copy())
    lane.step(X, y, t, Workspace(np.float64))
    for before, after, gradient in zip(
        (theta, intercepts), (lane.theta, lane.intercepts), expected[:2], strict=True
    ):
        error = np.linalg.norm((before - after) - gradient) / np.linalg.norm(gradient)
        assert error < 1e-8
    if a_b is not None:
        literal = [np.maximum(a_b[0] - expected[2], 0), np.maximum(a_b[1] + expected[2], 0)]
        np.testing.assert_allclose((lane.a, lane.b), literal, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("start", ["parts", "independent"])
@pytest.mark.parametrize("setting", ARCHITECTURES, ids=ids)
def test_update_is_the_papers(setting: Setting, start: str, rows: Rows) -> None:
    """eqs lasso_prox_update1/2 coordinate by coordinate, for three steps in a row."""
    eta, lam, lam1 = 0.1, 0.02, 0.03
    setting = replace(setting, weight_start=start, learning_rate=eta, weight_penalty=lam)
    if setting.node_penalty is not None:
        setting = replace(setting, node_penalty=lam1)
    lane = Lane(setting, rows.X.shape[1], seed=5, dtype=np.float64)
    X, y, t = batch(rows)
    for _ in range(3):
        gradient, _, ds = autograd(lane, X, y, t)
        u, v = lane.u.copy(), lane.v.copy()
        for j, g in enumerate(gradient):
            u[j] = max(0.0, u[j] - eta * (lam + g))
            v[j] = max(0.0, v[j] - eta * (lam - g))
        if ds is not None:
            a = [max(0.0, x - eta * (lam1 + g)) for x, g in zip(lane.a, ds, strict=True)]
            b = [max(0.0, x - eta * (lam1 - g)) for x, g in zip(lane.b, ds, strict=True)]
        lane.step(X, y, t, Workspace(np.float64))
        np.testing.assert_allclose(lane.u, u, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(lane.v, v, rtol=1e-9, atol=1e-13)
        np.testing.assert_array_equal(lane.theta, lane.u - lane.v)
        if ds is not None:
            np.testing.assert_allclose(lane.a, a, rtol=1e-9, atol=1e-13)
            np.testing.assert_allclose(lane.b, b, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    ("penalty", "weight_penalty", "factor"),
    [("none", 0.0, 1.0), ("l2", 0.05, 1.0), ("l1", 0.0, 2.0)],
)
def test_step_against_torch_sgd(
    penalty: str, weight_penalty: float, factor: float, rows: Rows
) -> None:
    """Plain and L2 steps are torch's SGD; with u, v well above 0 theta moves at twice the rate."""
    setting = Setting(
        hidden=(7,), penalty=penalty, weight_penalty=weight_penalty, learning_rate=0.1
    )
    lane = Lane(setting, rows.X.shape[1], seed=2, dtype=np.float64)
    if penalty == "l1":
        lane.u += 10.0
        lane.v += 10.0
    model = PlainTwin(lane)
    groups = [
        # torch's weight_decay is 2 lambda for the penalty lambda ||theta||^2
        {
            "params": model.weights.parameters(),
            "lr": factor * 0.1,
            "weight_decay": 2 * weight_penalty,
        },
        {"params": model.biases.parameters(), "lr": 0.1},
    ]
    optimiser = torch.optim.SGD(groups)
    X, y, t = batch(rows)
    Y, T = (torch.tensor(a).to(torch.float64) for a in (y, t))
    model.loss(torch.tensor(X), Y, T, augmented=True, e=0.5).backward()
    optimiser.step()
    lane.step(X, y, t, Workspace(np.float64))
    expected = np.concatenate([w.detach().numpy().ravel() for w in model.weights])
    np.testing.assert_allclose(lane.theta, expected, rtol=1e-10, atol=1e-12)
    biases = np.concatenate([b.detach().numpy().ravel() for b in model.biases])
    np.testing.assert_allclose(lane.intercepts, biases, rtol=1e-10, atol=1e-12)


def test_pinned_part_moves_at_the_single_rate(rows: Rows) -> None:
    """With v pinned at 0 and no push on it, theta moves by eta (g + lambda)."""
    eta, lam = 0.01, 0.5  # lambda above every |g|: no v can leave 0
    setting = Setting(hidden=(), learning_rate=eta, weight_penalty=lam)
    lane = Lane(setting, rows.X.shape[1], seed=2, dtype=np.float64)
    lane.u[:], lane.v[:] = 1.0, 0.0
    lane.theta[:] = 1.0
    X, y, t = batch(rows)
    gradient, *_ = autograd(lane, X, y, t)
    pinned = gradient < lam
    assert pinned.sum() > 3
    lane.step(X, y, t, Workspace(np.float64))
    np.testing.assert_allclose(lane.theta[pinned], (1.0 - eta * (gradient + lam))[pinned])
    assert (lane.v[pinned] == 0).all()


def test_pruned_nodes_leave_and_change_nothing(rows: Rows) -> None:
    """Dropping nodes with a = b = 0 changes neither the logits nor the steps to come."""
    setting = Setting(hidden=(8,), node_penalty=0.01, weight_penalty=0.001, scale_start="ones")
    X, y, t = batch(rows, np.float32)

    def lane() -> Lane:
        made = Lane(setting, rows.X.shape[1], seed=4)
        made.a[[1, 5]] = 0.0
        made._arrange()
        return made

    full, small = lane(), lane()
    small.drop_pruned_nodes()
    assert (full.n_active_nodes, small.n_active_nodes) == (8, 6)
    for _ in range(5):
        np.testing.assert_allclose(
            full.network().logits(X), small.network().logits(X), rtol=1e-5, atol=1e-6
        )
        full.step(X, y, t, Workspace())
        small.step(X, y, t, Workspace())
    assert (full.a[[1, 5]] == 0).all()
    assert (full.b[[1, 5]] == 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": "l3"}, "penalty is 'l3'.*l1, l2, none"),
        ({"loss": "mse"}, "loss is 'mse'"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; it must be above 0"),
        ({"weight_penalty": -1.0}, "weight_penalty is -1.0"),
        ({"weight_penalty": 0.1, "penalty": "none"}, "with penalty='none'"),
        ({"node_penalty": -0.1}, "node_penalty is -0.1"),
        ({"node_penalty": 0.1, "hidden": (3, 3)}, "with 2 hidden layers"),
        ({"hidden": (0,)}, r"hidden is \(0,\)"),
        ({"propensity": 1.5}, "propensity is 1.5"),
        ({"weight_start": "zero"}, "weight_start is 'zero'"),
        ({"scale_start": "zero"}, "scale_start is 'zero'"),
    ],
)
def test_bad_settings_are_named(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Setting(**change)


def test_starts_differ_only_where_they_should() -> None:
    """All starts of one seed share the drawn weights; 'parts' is the one with |theta| = u + v."""
    lanes = {
        (w, s): Lane(Setting(hidden=(5,), node_penalty=0.0, weight_start=w, scale_start=s), 4, 9)
        for w, s in itertools.product(("parts", "independent"), ("ones", "normal"))
    }
    parts = lanes["parts", "ones"]
    np.testing.assert_array_equal(np.abs(parts.theta), parts.u + parts.v)
    np.testing.assert_array_equal(parts.s, 1.0)
    np.testing.assert_array_equal(parts.u, lanes["parts", "normal"].u)
    np.testing.assert_array_equal(np.abs(parts.theta), lanes["independent", "ones"].u)
