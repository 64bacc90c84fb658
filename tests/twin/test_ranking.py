"""Counts at the edges of bins: by buckets or by sorting, the same bit for bit."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin import _ranking
from twin.qini import qini_curve

_spec = importlib.util.spec_from_file_location(
    "brute_force", Path(__file__).with_name("brute_force.py")
)
brute_force = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(brute_force)

CONVENTIONS = ("paper", "tools4uplift", "twincausal")


# Rankings of every kind, from n standard normal numbers.
KINDS = {
    "continuous": lambda x: x,
    "tied": np.round,
    "two values": lambda x: (x > 1.5).astype(float),
    "constant": lambda x: np.full(len(x), 0.25),
    "ascending": np.sort,
    "descending": lambda x: -np.sort(x),
    "periodic": lambda x: np.where(np.arange(len(x)) % 2, x, 1000.0),  # a sample sees one half
    "heavy tails": np.tan,
    "extremes": lambda x: np.clip(x, -5, 5) * 3e307,
    "signed zeros": lambda x: np.where(x > 0.5, 0.0, np.where(x < -0.5, -0.0, np.sign(x) * 5e-324)),
    "float32": lambda x: x.astype(np.float32),
}


def simulated(kind: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, scores and treatment with rows of both arms."""
    rng = np.random.default_rng(seed)
    t = rng.integers(0, 2, n).astype(np.int8)
    t[:2] = 0, 1
    y = (rng.random(n) < 0.2 + 0.3 * t).astype(np.int8)
    return y, KINDS[kind](rng.normal(size=n)), t


@pytest.fixture
def by_passes(monkeypatch) -> None:
    """Small samples and small data: each row takes the way of many rows."""
    monkeypatch.setattr(_ranking, "MANY", 1)
    monkeypatch.setattr(_ranking, "SAMPLE", 40)


def same(ours, exact) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(ours, exact, strict=True))


@pytest.mark.usefixtures("by_passes")
@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_counts_equal_brute_force(kind):
    @settings(max_examples=40, deadline=None)
    @given(n=st.integers(2, 1500), seed=st.integers(0, 2**32), data=st.data())
    def check(n, seed, data):
        y, s, t = simulated(kind, n, seed)
        some = st.lists(st.integers(0, n - 1), min_size=1, max_size=12).map(np.array)
        ranks, others = data.draw(some), data.draw(some)
        exact = brute_force.at_ranks(y, s, t, ranks, others)
        assert same(_ranking.at_ranks(y, s, t, ranks, others), exact)
        assert same(_ranking._of_few(y, s, t, ranks, others), exact)

    check()


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_curves_do_not_depend_on_the_way(kind, convention, monkeypatch):
    y, s, t = simulated(kind, 40_000, 3)
    for bins in (2, 10, 27, 100):
        ours = qini_curve(y, s, t, bins=bins, convention=convention)
        with monkeypatch.context() as patch:
            patch.setattr(_ranking, "MANY", len(s) + 1)
            sorted_all = qini_curve(y, s, t, bins=bins, convention=convention)
        assert ours.scores == sorted_all.scores
        for name in ("phi", "gain", "rows", "treated", "control", "observed"):
            assert getattr(ours, name).tobytes() == getattr(sorted_all, name).tobytes()


@pytest.mark.usefixtures("by_passes")
@pytest.mark.parametrize("kind", ["continuous", "tied", "periodic", "extremes"])
@pytest.mark.parametrize("ruler", [(0.0, 1e-300), (1e6, 5.0), (-50.0, 3.0), (0.1, 1e300)])
def test_a_misleading_sample_changes_no_result(kind, ruler, monkeypatch):
    """Wherever buckets lie: all rows in the first or the last of them, or in two."""
    monkeypatch.setattr(_ranking, "_ruler", lambda scores: ruler)
    y, s, t = simulated(kind, 8000, 0)
    ranks, others = np.array([0, 1000, 1001, 7999, 4000]), np.array([7000, 0])
    exact = brute_force.at_ranks(y, s, t, ranks, others)
    assert same(_ranking.at_ranks(y, s, t, ranks, others), exact)


@pytest.mark.usefixtures("by_passes")
@pytest.mark.parametrize("kind", ["constant", "periodic", "extremes"])
def test_scores_without_a_ruler_are_sorted(kind, monkeypatch):
    """No spread in the sample, or one beyond float64."""
    y, s, t = simulated(kind, 8000, 0)  # every 200th row is in the sample: even ones alone
    if kind == "extremes":
        s[::400], s[200::400] = -1.7e308, 1.7e308
    monkeypatch.setattr(_ranking, "_of_many", None)
    ranks = np.array([1000, 7000])
    exact = brute_force.at_ranks(y, s, t, ranks, ranks)
    assert same(_ranking.at_ranks(y, s, t, ranks, ranks), exact)


def test_few_rows_need_no_compiler():
    script = (
        "import sys; import numpy as np; from twin.qini import adjusted_qini_score;"
        "t = np.arange(1000) % 2; adjusted_qini_score(t, np.arange(1000.0), t[::-1]);"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("size", [1.7e308, np.finfo(float).max, 1e300])
def test_row_48_finite_scores_give_finite_curves(size):
    y, s, t = simulated("continuous", 900, 1)
    curve = qini_curve(y, np.clip(s, -0.001, 0.001) * 1000 * size, t)
    assert np.isfinite(curve.predicted).all()
    small = qini_curve(y, np.clip(s, -0.001, 0.001) * 1000, t)
    assert curve.predicted / size == pytest.approx(small.predicted)
    assert curve.scores == small.scores
