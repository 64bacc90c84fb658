"""What must hold in an environment that has the wheel with the extra `torch`; see `wheel`."""

import sys
from functools import partial

import numpy as np
import torch

from twin import TwinUplift
from twin.torch import TwinNet, TwinTorch, UpliftLoss, from_torch


def check(size: int) -> None:
    """Loss, estimator, and the way to `TwinUplift` and back."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5)).astype(np.float32)
    treatment = rng.integers(0, 2, 3000)
    y = rng.random(3000) < 0.4 + 0.4 * treatment * np.tanh(2 * X[:, 0])

    loss = UpliftLoss()(torch.zeros(2, 2), torch.tensor([0, 1]), torch.tensor([1, 0]))
    assert abs(loss.item() - np.log(2)) < 1e-6, loss  # Pr(T | y, x) is the propensity: it adds 0

    net = partial(TwinNet, hidden=(16,))  # made in fit, from its random_state
    model = TwinTorch(net, epochs=60, patience=20, random_state=0, device="cpu")
    model.fit(X, y, treatment, validation=0.3)
    found = np.corrcoef(model.predict(X), np.tanh(2 * X[:, 0]))[0, 1]
    assert found > 0.8, f"correlation with the true uplift is {found}"

    fitted = TwinUplift(hidden=(16,), epochs=5, random_state=0).fit(X, y, treatment)
    net = fitted.to_torch()
    assert isinstance(net, torch.nn.Module)
    with torch.no_grad():
        outcomes = torch.sigmoid(net(torch.from_numpy(X))).numpy()
    there = np.abs(outcomes - fitted.predict_outcomes(X)).max()
    back = np.abs(from_torch(net).predict(X) - fitted.predict(X)).max()
    assert max(there, back) < 1e-6, (there, back)
    learnt = f"correlation with the truth {found:.2f}, to torch and back {there:.0e}"
    print(f"with torch {torch.__version__}: {size} MB; {learnt}")


if __name__ == "__main__":
    check(int(sys.argv[1]))
