"""Small data and one fitted copy of every method, shared by the tests of this folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import baselines
from baselines import Method
from twin import Rows


def simulate(n: int, seed: int, p: int = 6) -> Rows:
    """Rows with a main effect of x1 and an effect of the treatment that x2 moderates."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)).astype(np.float32)
    X[:, 1::2] = X[:, 1::2] > 0
    treatment = rng.integers(2, size=n)
    uplift = 0.5 * X[:, 1] - 0.1
    rate = np.clip(0.35 + 0.1 * X[:, 0] + uplift * treatment, 0, 1)
    return Rows.of(X, rng.random(n) < rate, treatment, true_uplift=uplift)


@pytest.fixture(scope="session")
def train() -> Rows:
    return simulate(600, seed=1)


@pytest.fixture(scope="session")
def valid() -> Rows:
    return simulate(400, seed=2)


@pytest.fixture(scope="session")
def test_rows() -> Rows:
    return simulate(200, seed=3)


@pytest.fixture(scope="session")
def fitted(train: Rows, valid: Rows) -> Callable[[str], Method]:
    """A method fitted on the small data with its quick grid; fitted once a session."""
    done: dict[str, Method] = {}

    def get(name: str) -> Method:
        if name not in done:
            done[name] = baselines.method(name)(quick=True).fit(train, valid, 12)
        return done[name]

    return get


@dataclass(frozen=True)
class Extract:
    """A draw of scenario 4 and how the R packages rank its test rows."""

    train: Rows
    valid: Rows
    test: Rows
    ranks: dict[str, np.ndarray]

    def spearman(self, predicted: np.ndarray, predictor: str) -> float:
        """Rank correlation between predictions of the test rows and those of an R package."""
        return float(spearmanr(predicted, self.ranks[predictor])[0])


@pytest.fixture(scope="session")
def extract() -> Extract:
    """See make_reference_extract.py."""
    with np.load(Path(__file__).with_name("reference_extract.npz")) as file:
        arrays = dict(file)
    parts = {
        part: Rows.of(
            arrays[f"{part}_X"].T / np.float32(4), arrays[f"{part}_y"], arrays[f"{part}_treatment"]
        )
        for part in ("train", "valid", "test")
    }
    ranks = dict(zip(arrays["predictors"].tolist(), arrays["ranks"], strict=True))
    return Extract(**parts, ranks=ranks)
