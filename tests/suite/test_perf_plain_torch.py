"""The plain torch training does what the trainer does, so that the two may be compared."""

import numpy as np
import pytest

import datasets
from suite.perf.plain_torch import PlainTraining
from twin.lane import Setting
from twin.trainer import Training

SETTINGS = {
    "no hidden layer": Setting(hidden=(), weight_penalty=0.001),
    "one layer": Setting(hidden=(16,), weight_penalty=0.001),
    "scaling factors": Setting(hidden=(16,), weight_penalty=0.001, node_penalty=0.001),
    "other starts": Setting(
        hidden=(16,), node_penalty=0.0, weight_start="independent", scale_start="ones"
    ),
    "binomial, two layers": Setting(hidden=(8, 4), weight_penalty=0.001, loss="binomial"),
}


@pytest.fixture(scope="module")
def data() -> datasets.Dataset:
    return datasets.load("scenario4", n=2000, p=10)


@pytest.mark.parametrize("loader", [False, True], ids=["indexing", "DataLoader"])
@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_same_weights_and_scores(setting: Setting, loader: bool, data: datasets.Dataset) -> None:
    """Same start, batches, updates and scores; float32 sums in another order aside."""
    rows = data.train, data.valid
    training = Training([setting], *rows, seed=5, batch_size=64)
    training.advance(training.tracks, 3)
    plain = PlainTraining(setting, *rows, seed=5, batch_size=64, loader=loader)
    losses = [plain.epoch() for _ in range(3)]
    (track,) = training.tracks
    theta = np.concatenate([W.detach().numpy().ravel() for W in plain.model.weights])
    np.testing.assert_allclose(theta, track.lane.theta, rtol=1e-3, atol=1e-5)
    # The trainer leaves out the constant -log e of the augmented loss.
    constant = -np.log(setting.propensity) if setting.loss == "uplift" else 0.0
    np.testing.assert_allclose(losses, np.add(track.loss, constant), rtol=1e-5)
    np.testing.assert_allclose(plain.valid_q_adj, track.scores, rtol=0.05, atol=0.05)
    if setting.node_penalty is not None:
        np.testing.assert_allclose(plain.model.s.detach().numpy(), track.lane.s, atol=1e-4)


def test_only_the_papers_penalty(data: datasets.Dataset) -> None:
    with pytest.raises(ValueError, match="penalty='l1'"):
        PlainTraining(Setting(penalty="l2"), data.train, None, seed=0)
