"""TwinTorch: training, selection, batches, errors, scikit-learn's manners."""

import math
import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="twin.torch needs torch")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

from tests.twin.small import parts  # noqa: E402
from twin.qini import adjusted_qini_score  # noqa: E402
from twin.torch import (  # noqa: E402
    ProximalSGD,
    Twin,
    TwinNet,
    TwinTorch,
    UpliftLoss,
    from_torch,
    penalised,
)


def small_net(p: int) -> TwinNet:
    return TwinNet(p, (8,))


def proximal(net: torch.nn.Module, lr: float = 0.1) -> ProximalSGD:
    return ProximalSGD(penalised(net, 0.0005, 0.0005), lr=lr)


def model(**changes) -> TwinTorch:
    start = {"module": small_net, "epochs": 4, "random_state": 1, "device": "cpu"}
    return TwinTorch(**{**start, **changes})


class Dropping(torch.nn.Module):
    """A backbone with randomness of its own."""

    def __init__(self, p: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(p + 1, 8), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1)
        )

    def forward(self, x: torch.Tensor, treatment: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([x, treatment], dim=1))


def adam(net: torch.nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(net.parameters(), lr=0.02)


def test_it_learns_and_keeps_the_best_epoch(make_rows):
    train, valid, test = (make_rows(n=2000, seed=s) for s in (0, 1, 2))
    fitted = model(epochs=30, optimizer=proximal).fit(*parts(train), validation=parts(valid))
    truth = 1 / (1 + np.exp(-(1.5 * test.X[:, 0] - 0.5 * test.X[:, 1]))) - 1 / (
        1 + np.exp(-0.5 * test.X[:, 1])
    )
    assert np.corrcoef(fitted.predict(test.X), truth)[0, 1] > 0.9
    scores = fitted.history_["valid_q_adj"]
    assert fitted.best_score_ == scores.max() == scores[fitted.best_epoch_]
    again = adjusted_qini_score(valid.y, fitted.predict(valid.X), valid.treatment)
    assert again == pytest.approx(fitted.best_score_)  # the weights of that epoch, not the last
    assert fitted.score(*parts(test)) > 0


def test_the_likelihood_can_choose_the_epoch(rows, valid):
    fitted = model(select_by="likelihood").fit(*parts(rows), validation=parts(valid))
    logits = torch.logit(torch.tensor(fitted.predict_outcomes(valid.X)))
    labels = torch.tensor(valid.y), torch.tensor(valid.treatment)
    by_hand = -UpliftLoss("binomial")(logits, *labels).item()
    assert fitted.best_score_ == pytest.approx(by_hand, abs=1e-6)


def test_patience_ends_the_training(rows, valid):
    fitted = model(epochs=200, patience=3, optimizer=partial(proximal, lr=0.5)).fit(
        *parts(rows), validation=parts(valid)
    )
    assert len(fitted.history_) == fitted.best_epoch_ + 3 < 200


@pytest.mark.parametrize("module", [small_net, Dropping])
def test_the_same_seed_gives_the_same_numbers(module, rows):
    def predictions(seed: int, **changes) -> np.ndarray:
        torch.manual_seed(np.random.default_rng().integers(1000))  # nothing outside counts
        fitted = model(module=module, optimizer=adam, random_state=seed, **changes)
        return fitted.fit(*parts(rows), validation=0.3).predict(rows.X)

    np.testing.assert_array_equal(predictions(1), predictions(1))
    assert not np.array_equal(predictions(1), predictions(2))


def test_it_leaves_random_numbers_threads_and_the_module_alone(rows):
    backbone = Dropping(rows.X.shape[1])
    before = {name: value.clone() for name, value in backbone.state_dict().items()}
    torch.manual_seed(5)
    expected, threads = torch.rand(3), torch.get_num_threads()
    torch.manual_seed(5)
    model(module=backbone, optimizer=adam).fit(*parts(rows)).predict(rows.X)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads
    for name, value in backbone.state_dict().items():
        assert torch.equal(value, before[name])


def test_the_default_is_the_papers_network(rows):
    fitted = TwinTorch(epochs=1, random_state=0, device="cpu").fit(*parts(rows))
    assert fitted.n_active_nodes_ == 512
    same = from_torch(fitted.module_)
    np.testing.assert_allclose(same.predict(rows.X), fitted.predict(rows.X), atol=1e-6)


def test_factors_prune_nodes(rows):
    strong = lambda net: ProximalSGD(penalised(net, 0.001, 0.3), lr=0.1)  # noqa: E731
    fitted = model(module=TwinNet(6, (16,), scaled=True), optimizer=strong, epochs=20)
    fitted.fit(*parts(rows))
    assert 0 <= fitted.n_active_nodes_ < 16
    same = from_torch(fitted.module_)
    np.testing.assert_allclose(same.predict(rows.X), fitted.predict(rows.X), atol=1e-6)
    with pytest.raises(AttributeError, match="this is a Dropping"):
        _ = model(module=Dropping).fit(*parts(rows)).n_active_nodes_


def test_batches_for_data_that_do_not_fit_in_memory(make_rows):
    train, valid = make_rows(n=2000), make_rows(n=1000, seed=1)
    torch.manual_seed(0)
    backbone = TwinNet(6, (8,))
    batches = [
        (train.X[i : i + 100], train.y[i : i + 100], train.treatment[i : i + 100])
        for i in range(0, 2000, 100)
    ]
    fitted = model(module=backbone, epochs=20, optimizer=adam)
    fitted.fit_batches(batches, validation=parts(valid))
    assert fitted.score(*parts(valid)) > 1
    assert len(fitted.history_) == 20
    as_arrays = model(
        module=backbone, epochs=1, optimizer=adam, standardise=False, batch_size=2000
    ).fit(*parts(train))
    one = model(module=backbone, epochs=1, optimizer=adam).fit_batches([parts(train)])
    np.testing.assert_allclose(one.predict(valid.X), as_arrays.predict(valid.X), atol=1e-6)


def test_batches_that_cannot_work_are_named(rows):
    backbone = TwinNet(6, (4,))
    once = (batch for batch in [parts(rows)])
    with pytest.raises(ValueError, match="no batches in epoch 2.*not a generator"):
        model(module=backbone).fit_batches(once)
    treated = rows.treatment == 1
    with pytest.raises(ValueError, match="treatment is 1 in every batch"):
        model(module=backbone).fit_batches([tuple(a[treated] for a in parts(rows))])
    with pytest.raises(ValueError, match="for batches give a torch module"):
        model().fit_batches([parts(rows)])


def test_callbacks_see_every_epoch(rows, capsys):
    seen = []
    model(callbacks=(seen.append,), verbose=True).fit(*parts(rows), validation=0.3)
    assert [entry["epoch"] for entry in seen] == [1, 2, 3, 4]
    assert all(math.isfinite(entry["loss"]) for entry in seen)
    assert "100%" in capsys.readouterr().err


def test_scikit_learns_manners(rows):
    original = model(epochs=2)
    copy = clone(original)
    assert copy.get_params()["module"] is small_net
    with pytest.raises(NotFittedError, match="TwinTorch is not fitted"):
        copy.predict(rows.X)
    fitted = copy.fit(*parts(rows))
    same = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(same.predict(rows.X), fitted.predict(rows.X))
    with pytest.raises(ValueError, match="X has 5 columns; TwinTorch was fitted on 6"):
        fitted.predict(rows.X[:, :5])
    with pytest.raises(NotImplementedError, match="state_dict"):
        fitted.save("model")


def nothing_finite(net: torch.nn.Module, X, y, t) -> torch.Tensor:
    return net(X).sum() * float("nan")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"device": "cuda:99"}, "device is 'cuda:99', which cannot be used here"),
        ({"device": "nonsense"}, "device is 'nonsense'"),
        ({"epochs": 0}, "epochs is 0"),
        ({"patience": 3}, "patience is 3 without validation rows"),
        ({"select_by": "auc"}, "select_by is 'auc'"),
        ({"loss": nothing_finite}, "the loss is nan in epoch 1; choose a smaller"),
        ({"loss": "other"}, "loss is 'other'"),
    ],
)
def test_errors_name_cause_and_remedy(changes, says, rows):
    with pytest.raises(ValueError, match=says):
        model(**changes).fit(*parts(rows))


def test_a_learning_rate_that_diverges_says_when(rows):
    def wild(net: torch.nn.Module) -> torch.optim.Optimizer:
        return torch.optim.SGD(net.parameters(), lr=1e30)

    with pytest.raises(ValueError, match=r"in epoch \d.*smaller learning rate"):
        model(optimizer=wild, epochs=20).fit(*parts(rows), validation=0.3)


def test_a_loss_that_is_not_finite_any_more_says_since_when(rows):
    last = {"epoch": 0}

    def breaks_in_epoch_3(net: torch.nn.Module, X, y, t) -> torch.Tensor:
        return UpliftLoss()(net(X), y, t) * (float("nan") if last["epoch"] == 2 else 1)

    with pytest.raises(ValueError, match="the loss is nan in epoch 3; choose a smaller"):
        model(loss=breaks_in_epoch_3, callbacks=(last.update,)).fit(*parts(rows))


def test_a_fit_that_fails_leaves_the_model_as_it_was(rows):
    fitted = model().fit(*parts(rows))
    before = fitted.predict(rows.X)
    fitted.set_params(loss=nothing_finite, module=TwinNet(3, (4,)))
    fewer = rows.X[:, :3], rows.y, rows.treatment
    for fit in (lambda: fitted.fit(*fewer), lambda: fitted.fit_batches([fewer])):
        with pytest.raises(ValueError, match="the loss is nan"):
            fit()
        np.testing.assert_array_equal(fitted.predict(rows.X), before)


class Wide(torch.nn.Linear):
    """No backbone: it gives three numbers per row."""

    def forward(self, x: torch.Tensor, treatment: torch.Tensor) -> torch.Tensor:
        return super().forward(x)


class WideTwins(Wide):
    """The same in the fast way for both twins."""

    def both(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x, x)


@pytest.mark.parametrize(
    ("backbone", "says"),
    [
        (Wide(6, 3), r"Wide gives \(256, 3\) for 256 rows; it must give one logit per row"),
        (WideTwins(6, 3), r"logits have shape \(256, 3\); give \(n, 2\)"),
    ],
)
def test_an_output_of_the_wrong_shape_is_named(backbone, says, rows):
    with pytest.raises(ValueError, match=says):
        model(module=backbone, optimizer=adam).fit(*parts(rows))


def test_one_arm_alone_is_an_error(rows):
    with pytest.raises(ValueError, match="only treated rows"):
        model().fit(rows.X, rows.y, np.ones(len(rows)))


def test_a_twin_is_taken_as_it_is(rows):
    torch.manual_seed(0)
    net = Twin(TwinNet(6, (4,)), torch.nn.Hardtanh())
    fitted = model(module=net).fit(*parts(rows))
    huge = np.full((1, 6), 1e6, np.float32)
    np.testing.assert_array_equal(fitted.predict(huge), fitted.predict(2 * huge))


def test_twin_needs_no_torch():
    code = (
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch': raise ModuleNotFoundError(f'no {name}', name=name)\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        "import twin, numpy as np\n"
        "X = np.random.default_rng(0).normal(size=(60, 2)); t = np.arange(60) % 2\n"
        "model = twin.TwinUplift((), epochs=1).fit(X, np.arange(60) % 3 == 0, t)\n"
        "model.predict(X)\n"
        "try:\n    model.to_torch()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'twin-uplift-suite[torch]'" in done.stdout
