"""Twins of any backbone, the paper's network, and the way to `TwinUplift` and back."""

import os
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="twin.torch needs torch")

from tests.twin.small import parts, twin  # noqa: E402
from twin.torch import Twin, TwinNet, from_torch  # noqa: E402

SHAPES = {"no hidden layer": (), "one": (7,), "two": (7, 5), "three": (6, 5, 4)}


class TwoPasses(torch.nn.Module):
    """A TwinNet without its fast way: a backbone like anybody's."""

    def __init__(self, net: TwinNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor, treatment: torch.Tensor) -> torch.Tensor:
        assert treatment.shape == (len(x), 1)
        return self.net(x, treatment)


@pytest.mark.parametrize("hidden", SHAPES.values(), ids=SHAPES)
def test_the_fast_way_of_the_network_is_two_passes(hidden):
    torch.manual_seed(0)
    net = TwinNet(4, hidden, scaled=len(hidden) == 1).double()
    if net.scale is not None:
        torch.nn.init.normal_(net.scale)
    x = torch.randn(9, 4, dtype=torch.float64)
    fast, slow = Twin(net)(x), Twin(TwoPasses(net))(x)
    assert fast.shape == (9, 2)
    assert (fast - slow).abs().max() < 1e-12
    gradients = []
    for logits in (fast, slow):
        net.zero_grad()
        logits.square().sum().backward()
        gradients.append([p.grad.clone() for p in net.parameters()])
    for a, b in zip(*gradients, strict=True):
        assert (a - b).abs().max() < 1e-10


def test_a_layer_of_p_plus_one_inputs_by_hand():
    torch.manual_seed(0)
    net = TwinNet(3, (5,))
    x = torch.randn(6, 3)
    W = torch.cat([net.first, net.treatment[:, None]], dim=1)  # p + 1 inputs
    for t in (0, 1):
        inputs = torch.cat([x, torch.full((6, 1), float(t))], dim=1)
        by_hand = net.layers[0](torch.relu(inputs @ W.T + net.intercept))[:, 0]
        assert torch.allclose(Twin(net)(x)[:, t], by_hand, atol=1e-6)


def test_covariates_may_be_a_dictionary():
    class Mixed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = torch.nn.Embedding(3, 2)
            self.output = torch.nn.Linear(4, 1)

        def forward(self, x: dict, treatment: torch.Tensor) -> torch.Tensor:
            return self.output(torch.cat([self.embedding(x["code"]), x["age"], treatment], dim=1))

    x = {"code": torch.tensor([0, 1, 2, 1]), "age": torch.randn(4, 1)}
    logits = Twin(Mixed())(x)
    assert logits.shape == (4, 2)
    assert not torch.equal(logits[:, 0], logits[:, 1])


def test_a_wrong_backbone_is_named():
    class Wide(torch.nn.Linear):
        def forward(self, x: torch.Tensor, treatment: torch.Tensor) -> torch.Tensor:
            return super().forward(x)

    with pytest.raises(ValueError, match=r"Wide gives \(5, 3\) for 5 rows.*\(5,\) or \(5, 1\)"):
        Twin(Wide(2, 3))(torch.zeros(5, 2))
    with pytest.raises(TypeError, match="backbone is a function"):
        Twin(lambda x, t: x)
    with pytest.raises(ValueError, match="X has 3 columns; this network was made for 2"):
        Twin(TwinNet(2, (4,)))(torch.zeros(5, 3))
    with pytest.raises(ValueError, match="factors need exactly one hidden layer"):
        TwinNet(2, (4, 4), scaled=True)
    with pytest.raises(TypeError, match="covariates are a str"):
        Twin(TwoPasses(TwinNet(2)))("text")


@pytest.mark.parametrize("hidden", SHAPES.values(), ids=SHAPES)
def test_to_torch_and_back_predicts_the_same(hidden, rows):
    model = twin(hidden=hidden).fit(*parts(rows))
    net = model.to_torch()
    assert isinstance(net, torch.nn.Module)
    with torch.no_grad():
        outcomes = torch.sigmoid(net(torch.from_numpy(rows.X))).numpy()
    np.testing.assert_allclose(outcomes, model.predict_outcomes(rows.X), rtol=0, atol=1e-6)
    again = from_torch(net)
    np.testing.assert_allclose(again.predict(rows.X), model.predict(rows.X), rtol=0, atol=1e-6)
    assert again.n_active_nodes_ == sum(hidden)


def test_the_papers_size_keeps_the_precision(make_rows):
    """512 nodes and 100 covariates, a fit that has learnt something."""
    rows = make_rows(n=3000, p=100)
    model = twin(hidden=(512,), node_penalty=0.001, epochs=5).fit(*parts(rows))
    with torch.no_grad():
        outcomes = torch.sigmoid(model.to_torch()(torch.from_numpy(rows.X))).numpy()
    np.testing.assert_allclose(outcomes, model.predict_outcomes(rows.X), rtol=0, atol=1e-6)


def test_pruned_nodes_are_gone_and_predictions_stay():
    torch.manual_seed(0)
    net = TwinNet(3, (6,), scaled=True)
    with torch.no_grad():
        net.scale[:] = torch.tensor([1.0, 0.0, -0.5, 0.0, 2.0, 0.0])
    x = torch.randn(8, 3)
    model = from_torch(Twin(net))
    assert model.n_active_nodes_ == 3
    with torch.no_grad():
        expected = torch.sigmoid(Twin(net)(x)).numpy()
        np.testing.assert_allclose(model.predict_outcomes(x.numpy()), expected, atol=1e-6)
        net.scale[:] = 0
        empty = from_torch(Twin(net)).predict(x.numpy())
    np.testing.assert_allclose(empty, 0, atol=1e-12)


def test_only_a_twin_net_becomes_a_twin_uplift():
    with pytest.raises(ValueError, match="a Twin of a TwoPasses; only a Twin of a TwinNet"):
        from_torch(Twin(TwoPasses(TwinNet(2))))
    with pytest.raises(ValueError, match="the module is a Linear"):
        from_torch(torch.nn.Linear(2, 1))
    with pytest.raises(ValueError, match="inputs are a Dropout"):
        from_torch(Twin(TwinNet(2), torch.nn.Dropout()))


@pytest.fixture(scope="module")
def fitted(rows):
    return twin(hidden=(8, 3)).fit(*parts(rows))


@pytest.mark.skipif(find_spec("onnxscript") is None, reason="export needs onnx and onnxscript")
def test_it_exports_to_onnx(fitted, rows, tmp_path):
    path = tmp_path / "twin.onnx"
    torch.onnx.export(fitted.to_torch(), (torch.from_numpy(rows.X),), str(path), verbose=False)
    assert path.stat().st_size > 0
    runtime = pytest.importorskip("onnxruntime", reason="to run what was exported")
    session = runtime.InferenceSession(str(path))
    (logits,) = session.run(None, {session.get_inputs()[0].name: rows.X})
    outcomes = torch.sigmoid(torch.from_numpy(logits)).numpy()
    np.testing.assert_allclose(outcomes, fitted.predict_outcomes(rows.X), rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.skipif(
    not shutil.which(os.environ.get("CXX", "g++")), reason="torch.compile needs a C++ compiler"
)
def test_it_compiles(fitted, rows):
    compiled = torch.compile(fitted.to_torch())
    with torch.no_grad():
        outcomes = torch.sigmoid(compiled(torch.from_numpy(rows.X))).numpy()
    np.testing.assert_allclose(outcomes, fitted.predict_outcomes(rows.X), rtol=0, atol=1e-6)
