"""An epoch of `TwinTorch` and of the same network in plain torch, scenario 4, one thread."""

import torch

import datasets
from suite.perf.plain_torch import PlainTraining
from twin.lane import Setting
from twin.torch import ProximalSGD, TwinNet, TwinTorch, penalised

from .sampling import Sampled

EPOCHS = 4  # in one fit, so that what a fit costs once is shared
SETTING = Setting(hidden=(512,), learning_rate=0.05, weight_penalty=0.0005)


def optimizer(net: torch.nn.Module) -> ProximalSGD:
    return ProximalSGD(penalised(net, SETTING.weight_penalty), lr=SETTING.learning_rate)


def network(p: int) -> TwinNet:
    return TwinNet(p, SETTING.hidden)


class TorchEpochs(Sampled):
    """Four epochs of 8,000 rows, each scored on 6,000; "plain" is what others would write."""

    params = (["TwinTorch", "plain"],)
    param_names = ("training",)

    def setup_cache(self) -> datasets.Dataset:
        return datasets.load("scenario4")

    def setup(self, data: datasets.Dataset, training: str) -> None:
        torch.set_num_threads(1)
        train, valid = data.train, data.valid
        if training == "plain":
            plain = PlainTraining(SETTING, train, valid, seed=1)
            self.run = lambda: [plain.epoch() for _ in range(EPOCHS)]
            return
        model = TwinTorch(network, optimizer, epochs=EPOCHS, device="cpu", random_state=1)
        validation = valid.X, valid.y, valid.treatment
        self.run = lambda: model.fit(train.X, train.y, train.treatment, validation=validation)

    def time_four_epochs(self, data: datasets.Dataset, training: str) -> None:
        self.run()
