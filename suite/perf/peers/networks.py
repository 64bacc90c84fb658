"""`TwinTorch` beside the same network trained by plain torch."""

import torch

import datasets
from suite.perf.benchmarks.torch_epoch import EPOCHS, SETTING, network, optimizer
from suite.perf.peers.line import Line, announce
from suite.perf.plain_torch import PlainTraining
from suite.perf.timing import best_seconds
from twin.torch import TwinTorch


def lines() -> list[Line]:
    """An epoch, each scored on validation rows; ours with all that a fit does once."""
    announce("TwinTorch")
    torch.set_num_threads(1)
    data = datasets.load("scenario4")
    train, valid = data.train, data.valid
    plain = PlainTraining(SETTING, train, valid, seed=1)
    model = TwinTorch(network, optimizer, epochs=EPOCHS, device="cpu", random_state=1)
    validation = valid.X, valid.y, valid.treatment
    times = best_seconds(
        {
            "ours": lambda: model.fit(train.X, train.y, train.treatment, validation=validation),
            "plain": lambda: [plain.epoch() for _ in range(EPOCHS)],
        },
        rounds=6,
    )
    ours, theirs = (times[name] / EPOCHS for name in ("ours", "plain"))
    what = "TwinTorch", "epoch of TwinTorch", "plain torch with autograd"
    return [Line.at_most(*what, (ours, theirs), 1.1, 1.0)]
