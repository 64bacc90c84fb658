"""ProximalSGD step by step beside the numba trainer, and its exact zeros."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="twin.torch needs torch")

from twin.lane import Lane, Setting, Workspace, views  # noqa: E402
from twin.torch import ProximalSGD, Twin, TwinNet, UpliftLoss, penalised  # noqa: E402
from twin.trainer import BatchPlan  # noqa: E402

P, STEPS, BATCH = 6, 50, 64
SETTINGS = {
    "no hidden layer": Setting(hidden=(), weight_penalty=0.002),
    "one layer": Setting(hidden=(16,), weight_penalty=0.002),
    "factors": Setting(hidden=(16,), weight_penalty=0.002, node_penalty=0.01),
    "factors from ones": Setting(hidden=(16,), node_penalty=0.02, scale_start="ones"),
    "independent parts": Setting(hidden=(16,), weight_penalty=0.001, weight_start="independent"),
    "two layers, binomial": Setting(hidden=(8, 4), weight_penalty=0.002, loss="binomial"),
    "another propensity": Setting(hidden=(8,), weight_penalty=0.001, propensity=0.3),
}


def same_start(lane: Lane, setting: Setting) -> tuple[TwinNet, ProximalSGD]:
    """A torch network and its optimizer with the weights, u, v, a and b of a lane."""
    net = TwinNet(P, setting.hidden, scaled=setting.node_penalty is not None)
    optimizer = ProximalSGD(
        penalised(net, setting.weight_penalty, setting.node_penalty), lr=setting.learning_rate
    )

    def assign(u: list[np.ndarray], v: list[np.ndarray]) -> None:
        first, *rest = zip(u, v, strict=True)
        if setting.hidden:  # the last row of the first matrix is the treatment's
            pairs = [
                (net.first, *(part[:-1].T for part in first)),
                (net.treatment, *(part[-1] for part in first)),
            ]
            for layer, pair in zip(net.layers, rest, strict=True):
                shaped = (part.T if part.ndim == 2 else part[None] for part in pair)
                pairs.append((layer.weight, *shaped))
        else:
            pairs = [(net.first, *first), (net.treatment, *rest[0])]
        for parameter, *parts in pairs:
            optimizer.set_parts(parameter, *(torch.tensor(part.copy()) for part in parts))

    assign(views(lane.u, lane._shapes), views(lane.v, lane._shapes))
    intercepts = views(lane.intercepts, lane._intercept_shapes)
    with torch.no_grad():
        net.intercept.copy_(torch.tensor(intercepts[0]))
        for layer, value in zip(net.layers, intercepts[1:], strict=True):
            layer.bias.copy_(torch.tensor(value))
    if net.scale is not None:
        optimizer.set_parts(net.scale, torch.tensor(lane.a), torch.tensor(lane.b))
    return net, optimizer


def side_by_side(setting: Setting, rows) -> tuple[TwinNet, Lane, np.ndarray]:
    """Both trained for 50 steps on the same batches; losses (50, 2)."""
    lane = Lane(setting, P, seed=3)
    net, optimizer = same_start(lane, setting)
    criterion = UpliftLoss(setting.loss, setting.propensity)
    plan, space, losses = BatchPlan(len(rows), BATCH, seed=3), Workspace(), []
    steps = (
        order[first : first + BATCH]
        for order in map(plan.rows, range(STEPS))
        for first in range(0, len(order), BATCH)
    )
    for _, batch in zip(range(STEPS), steps, strict=False):
        X, y, t = rows.X[batch], rows.y[batch], rows.treatment[batch]
        expected = lane.step(X, y, t, space)
        optimizer.zero_grad()
        loss = criterion(Twin(net)(torch.tensor(X)), torch.tensor(y), torch.tensor(t))
        loss.backward()
        optimizer.step()
        losses.append((loss.item(), expected))
    return net, lane, np.array(losses)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_fifty_steps_equal_those_of_the_trainer(setting, rows):
    net, lane, losses = side_by_side(setting, rows)
    np.testing.assert_allclose(losses[:, 0], losses[:, 1], rtol=0, atol=2e-6)
    first = views(lane.theta, lane._shapes)[0]
    expected = first[:-1].T if setting.hidden else first
    found = net.first.detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=2e-5)
    if net.scale is not None:
        np.testing.assert_allclose(net.scale.detach().numpy(), lane.s, rtol=1e-3, atol=2e-5)


def test_the_losses_that_the_documentation_shows(rows):
    """docs/torch.md has some of the fifty steps, with six digits."""
    lines = (Path(__file__).parents[3] / "docs" / "torch.md").read_text().splitlines()
    table = {
        cells[0]: [float(cell) for cell in cells[1:]]
        for line in lines
        if (cells := [cell.strip() for cell in line.strip("|").split("|")])[0]
        in ("step", "`twin.torch`", "numba trainer")
    }
    _, _, losses = side_by_side(SETTINGS["factors"], rows)
    shown = losses[np.array(table["step"], dtype=int) - 1].T
    np.testing.assert_allclose([table["`twin.torch`"], table["numba trainer"]], shown, atol=3e-6)


def test_it_reaches_exact_zeros_and_prunes_nodes_for_good(rows):
    setting = Setting(hidden=(16,), weight_penalty=0.01, node_penalty=0.2, scale_start="ones")
    net, lane, _ = side_by_side(setting, rows)
    zero = net.scale.detach().numpy() == 0
    assert zero.sum() > 0
    np.testing.assert_array_equal(zero, lane.s == 0)
    assert (net.first == 0).any()
    assert len(net.pruned().first) == max(1, (~zero).sum())


def test_groups_have_their_own_penalty():
    small, large, free = (torch.nn.Parameter(torch.ones(3)) for _ in range(3))
    optimizer = ProximalSGD(
        [
            {"params": [small], "penalty": 0.5},
            {"params": [large], "penalty": 20.0},
            {"params": [free], "penalty": None},
        ],
        lr=0.1,
    )
    (small.sum() + large.sum() + free.sum()).backward()
    optimizer.step()
    assert torch.allclose(small, torch.tensor(1 - 0.1 * (0.5 + 1) - 0.1 * (1 - 0.5)))
    assert torch.equal(large, torch.zeros(3))
    assert torch.allclose(free, torch.tensor(0.9))


def test_its_state_goes_through_state_dict():
    weight = torch.nn.Parameter(torch.tensor([0.3, -0.2]))
    optimizer = ProximalSGD([weight], lr=0.1, penalty=0.1)
    copy = torch.nn.Parameter(weight.detach().clone())

    def step(parameter: torch.nn.Parameter, by: ProximalSGD) -> None:
        parameter.grad = torch.tensor([1.0, -2.0])
        by.step()

    step(weight, optimizer)
    other = ProximalSGD([copy], lr=0.5, penalty=0.9)
    other.load_state_dict(deepcopy(optimizer.state_dict()))
    with torch.no_grad():
        copy.copy_(weight)
    step(weight, optimizer)
    step(copy, other)
    assert torch.equal(weight, copy)


def test_wrong_values_are_named():
    weight = torch.nn.Parameter(torch.ones(2))
    with pytest.raises(ValueError, match="lr is 0"):
        ProximalSGD([weight], lr=0)
    with pytest.raises(ValueError, match="penalty is -1"):
        ProximalSGD([weight], penalty=-1)
    with pytest.raises(ValueError, match=r"u has shape \(2,\) and least value -1"):
        ProximalSGD([weight]).set_parts(weight, torch.tensor([-1.0, 0.0]), torch.zeros(2))
    with pytest.raises(ValueError, match="give node_penalty"):
        penalised(TwinNet(2, (3,), scaled=True))
