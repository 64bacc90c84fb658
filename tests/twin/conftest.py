"""Small data for the tests of the twin models."""

from collections.abc import Callable

import numpy as np
import pytest

from twin.rows import Rows


def _make_rows(n: int = 600, p: int = 6, seed: int = 0, treated: float = 0.5) -> Rows:
    """Rows whose uplift depends on the first two covariates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)
    t = (rng.random(n) < treated).astype(np.int8)
    logit = 0.5 * X[:, 1] + t * (1.5 * X[:, 0] - X[:, 1])
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(np.int8)
    return Rows.of(X, y, t)


@pytest.fixture(scope="session")
def make_rows() -> Callable[..., Rows]:
    return _make_rows


@pytest.fixture(scope="session")
def rows() -> Rows:
    return _make_rows()


@pytest.fixture(scope="session")
def valid() -> Rows:
    return _make_rows(seed=1)
