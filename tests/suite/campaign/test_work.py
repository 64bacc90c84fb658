"""What a method is handed to learn from."""

from types import SimpleNamespace

import numpy as np
import pytest

import baselines
from suite.campaign import work


@pytest.mark.parametrize("uses_validation", [True, False])
def test_rows_that_stop_or_choose_are_not_learnt_from(monkeypatch, uses_validation):
    given = []

    class Listener:
        def __init__(self, quick):
            pass

        def fit(self, train, valid, seed):
            given.extend([set(train.X[:, 0]), set(valid.X[:, 0])])
            return self

    Listener.uses_validation = uses_validation
    monkeypatch.setattr(baselines, "method", lambda name: Listener)
    n = 400
    rng = np.random.default_rng(3)
    arm, y = rng.integers(0, 2, n), rng.integers(0, 2, n).astype(np.int8)
    setup = SimpleNamespace(
        outcome=y, arm=arm, arms=2, shares=(0.5, 0.5), groups=None, seed=0, quick=False
    )
    numbers = np.arange(n, dtype=np.float32)
    work._fit(setup, "listener", np.arange(n), numbers[:, None], 0)
    train, valid = given
    assert valid
    assert train == (set(numbers) - valid if uses_validation else set(numbers))
