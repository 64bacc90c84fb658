"""The rule of luck, S16, on worked examples."""

import numpy as np
import pytest

from suite.compare import luck


def test_optimism_is_net_of_the_oracle_s() -> None:
    method = {0: (4.0, 3.0), 1: (3.0, 3.5), 2: (9.0, 0.0)}
    oracle = {0: (5.0, 4.5), 1: (4.0, 4.0)}
    assert luck.optimism(method, oracle) == pytest.approx([0.5, -0.5])


def test_the_random_ranking_has_a_positive_mean() -> None:
    q = np.random.default_rng(5).normal(size=200)
    null = luck.null_scores(list(np.maximum(q, 0)))
    assert null.mean > 0.3
    assert null.high > 1.3
    assert luck.null_scores([]) is None
