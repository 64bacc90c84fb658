"""The neural peers: their losses by hand, and that nothing but rows and seed decides them."""

import importlib.util
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import baselines

torch = pytest.importorskip("torch", reason="tarnet, dragonnet and s-network need torch")

from baselines._networks import (  # noqa: E402
    AdamOnHeads,
    DragonLoss,
    DragonNet,
    SNetwork,
    TARNet,
    TwoTaskLoss,
)
from twin.torch import Twin, UpliftLoss  # noqa: E402

NAMES = ["dragonnet", "s-network", "tarnet"]
SIZE = {"width": 6, "trunk_layers": 2, "head_layers": 1}


@pytest.fixture
def batch() -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    return torch.randn(20, 3), torch.randint(0, 2, (20,)), torch.randint(0, 2, (20,))


def test_a_row_trains_the_head_of_its_own_arm(batch):
    x, y, _ = batch
    net = Twin(TARNet(3, **SIZE))
    UpliftLoss("binomial")(net(x), y, torch.ones_like(y)).backward()
    control, treated = net.backbone.heads
    assert all((p.grad == 0).all() for p in control.parameters())
    assert any((p.grad != 0).any() for p in treated.parameters())
    assert any((p.grad != 0).any() for p in net.backbone.trunk.parameters())


def test_dragonnets_loss_by_hand(batch):
    x, y, t = batch
    net = Twin(DragonNet(3, **SIZE))
    backbone = net.backbone
    with torch.no_grad():
        backbone.epsilon.fill_(0.3)
        shared = backbone.trunk(x)
        Q = torch.sigmoid(net(x)).numpy().astype(float)
        g = torch.sigmoid(backbone.propensity(shared))[:, 0].numpy().astype(float)
        found = [DragonLoss(beta)(net, x, y, t).item() for beta in (0.0, 2.0)]
    terms = np.zeros((20, 2))
    for i, (y_i, t_i) in enumerate(zip(y.tolist(), t.tolist(), strict=True)):
        q = Q[i, t_i]
        terms[i, 0] = -np.log(q if y_i else 1 - q) - np.log(g[i] if t_i else 1 - g[i])
        bounded = (g[i] + 0.01) / 1.02
        h = 1 / bounded if t_i else -1 / (1 - bounded)
        terms[i, 1] = (y_i - q - 0.3 * h) ** 2
    outcome, targeted = terms.mean(axis=0)
    np.testing.assert_allclose(found, [outcome, outcome + 2 * targeted], rtol=1e-5)


def test_epsilon_is_trained(batch):
    x, y, t = batch
    net = Twin(DragonNet(3, **SIZE))
    DragonLoss(1.0)(net, x, y, t).backward()
    assert net.backbone.epsilon.grad.abs() > 0


def test_the_two_tasks_by_hand(batch):
    x, y, t = batch
    e = 0.3
    net = Twin(SNetwork(3, **SIZE))
    with torch.no_grad():
        found = [TwoTaskLoss(w, e)(net, x, y, t).item() for w in (0.0, 0.5)]
        outcome = UpliftLoss("binomial")(net(x), y, t).item()
        second = net.backbone.second(net.backbone.trunk(x))[:, 0].numpy()
    z = np.where(t == 1, y / e, -y / (1 - e))
    expected = [outcome, outcome + 0.5 * np.mean((z - second) ** 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_s_network_is_one_network_with_t_as_an_input(batch):
    x, *_ = batch
    net = SNetwork(3, **SIZE)
    with torch.no_grad():
        net.heads[0].weight[:, -1] = 0  # the weights of t
        control, treated = net.both(x).T
    assert torch.equal(control, treated)


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_threads_changes_no_number(name, fitted, train, valid, test_rows):
    before = torch.get_num_threads()
    two = baselines.method(name)(quick=True, threads=2).fit(train, valid, 12)
    np.testing.assert_array_equal(two.predict_rows(test_rows), fitted(name).predict_rows(test_rows))
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("name", NAMES)
def test_it_is_no_row_of_the_paper_and_says_what_it_needs(name, monkeypatch):
    method = baselines.method(name)
    assert method.paper_row is None
    assert method.missing() == ()
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda module: None if module == "torch" else real(module)
    )
    assert method.missing() == ("torch",)


def test_listing_methods_imports_no_torch():
    code = "import sys, baselines; baselines.methods(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("network", [TARNet, DragonNet, SNetwork])
def test_the_penalty_is_on_the_weights_of_the_heads_alone(network):
    net = Twin(network(3, **SIZE))
    penalised, rest = AdamOnHeads(0.5)(net).param_groups
    assert (penalised["weight_decay"], rest["weight_decay"]) == (0.5, 0)
    names = {id(parameter): name for name, parameter in net.named_parameters()}
    found = {names[id(parameter)] for parameter in penalised["params"]}
    assert found == {
        name for name in names.values() if ".heads." in name and name.endswith(".weight")
    }
    assert len(found) + len(rest["params"]) == len(names)


@pytest.mark.parametrize("network", [TARNet, DragonNet, SNetwork])
def test_every_network_can_be_made_from_the_number_of_covariates(network):
    made = partial(network, **SIZE)(4)
    assert Twin(made)(torch.zeros(5, 4)).shape == (5, 2)
