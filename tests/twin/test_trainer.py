"""The trainer: lanes do not see each other, settings of the caller survive, memory stays low."""

import threading
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
import threadpoolctl

from twin import _denormals
from twin.lane import Setting
from twin.rows import Rows
from twin.theorem import equivalent_network
from twin.trainer import BatchPlan, Scaler, Training

GRID = [
    Setting(hidden=(), learning_rate=0.1, weight_penalty=0.001),
    Setting(hidden=(16,), learning_rate=0.1, weight_penalty=0.001),
    Setting(hidden=(16,), learning_rate=0.3, node_penalty=0.02, scale_start="normal"),
    Setting(hidden=(6, 5), learning_rate=0.05, penalty="l2", weight_penalty=0.001),
    Setting(hidden=(9,), learning_rate=0.05, penalty="none", loss="binomial"),
]


def trained(settings: list[Setting], rows: Rows, valid: Rows, threads: int = 1) -> Training:
    training = Training(settings, rows, valid, seed=7, batch_size=64, threads=threads)
    training.advance(training.tracks, 6)
    return training


def test_a_lane_does_not_see_the_others(rows: Rows, valid: Rows) -> None:
    """Alone, in a grid, in reverse order, on two threads, in two stretches: the same numbers."""
    alone = [trained([s], rows, valid).tracks[0] for s in GRID]
    together = trained(GRID, rows, valid).tracks
    reverse = trained(GRID[::-1], rows, valid).tracks[::-1]
    threaded = trained(GRID, rows, valid, threads=2).tracks
    halves = Training(GRID, rows, valid, seed=7, batch_size=64)
    halves.advance(halves.tracks[:2], 3)
    halves.advance(halves.tracks, 6)
    for others in (together, reverse, threaded, halves.tracks):
        for one, other in zip(alone, others, strict=True):
            assert one.loss == other.loss
            assert one.scores == other.scores
            assert one.best_epoch == other.best_epoch
            np.testing.assert_array_equal(
                one.checkpoint.uplift(valid.X), other.checkpoint.uplift(valid.X)
            )


def test_callers_threads_and_denormals_are_restored(rows: Rows, valid: Rows) -> None:
    tiny = np.full(3, 1e-39, dtype=np.float32)
    threads = [lib["num_threads"] for lib in threadpoolctl.threadpool_info()]
    control = _denormals.read_float_control()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    trained(GRID[:2], rows, valid, threads=2)
    assert (tiny * np.float32(0.5) > 0).all()
    assert (
        _denormals.read_float_control() & _denormals.FLUSH_BITS == control & _denormals.FLUSH_BITS
    )
    assert [lib["num_threads"] for lib in threadpoolctl.threadpool_info()] == threads
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_denormals_are_flushed_while_training() -> None:
    from twin._denormals import flushed_denormals

    seen = []

    def work() -> None:
        with flushed_denormals():
            seen.append(float(np.float32(1e-38) * np.float32(0.1)))
        seen.append(float(np.float32(1e-38) * np.float32(0.1)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[1] > 0
    if _denormals.read_float_control():  # x86; elsewhere denormals are left as they are
        assert seen[0] == 0.0


def test_structured_l1_prunes_and_zeroes_on_scenario4() -> None:
    pytest.importorskip("filelock", reason="the checkout's data need the extra suite")
    import datasets

    data = datasets.load("scenario4", replicate=100, n=5000, p=20)
    setting = Setting(
        hidden=(32,), learning_rate=0.3, weight_penalty=0.005, node_penalty=0.02,
        scale_start="normal",
    )  # fmt: skip
    training = Training([setting], data.train, data.valid, seed=1)
    training.advance(training.tracks, 40)
    (track,) = training.tracks
    assert 0 < track.lane.n_active_nodes < 32
    assert track.active_nodes == sorted(track.active_nodes, reverse=True)
    assert (track.lane.theta == 0).mean() > 0.1
    assert track.lane.network().hidden == (track.lane.n_active_nodes,)


@pytest.mark.parametrize(("n", "batch"), [(600, 64), (600, 600), (50, 64), (10_000, 256)])
def test_batch_plan(n: int, batch: int) -> None:
    """Small data: each epoch is a permutation. Large data: 32 updates, no row twice in a pass."""
    plan = BatchPlan(n, min(batch, n), seed=3)
    epochs = [plan.rows(e) for e in range(4)]
    size = min(n, 32 * batch)
    assert all(len(e) == size for e in epochs)
    joined = np.concatenate(epochs)
    for start in range(0, len(joined) - n + 1, n):
        np.testing.assert_array_equal(np.sort(joined[start : start + n]), np.arange(n))
    assert not np.array_equal(epochs[0], epochs[1])


def test_scaler_is_the_training_rows_mean_and_deviation() -> None:
    X = np.random.default_rng(0).normal(5, 3, size=(5000, 3)).astype(np.float32)
    X[:, 2] = 0.1
    Z = Scaler.of(X).standardised(X)
    np.testing.assert_allclose(Z[:, :2].mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(Z[:, :2].std(axis=0), 1, rtol=1e-4)
    np.testing.assert_allclose(Z[:, 2], 0, atol=1e-6)


def test_memory_of_training(make_rows: Callable[..., Rows]) -> None:
    """Beside the caller's X training holds at most 1.5 more copies of it."""
    rows = make_rows(n=8000, p=100)
    setting = Setting(hidden=(8,))
    trained([setting], make_rows(n=300, p=100), make_rows(n=300, p=100))  # compile first
    tracemalloc.start()
    training = Training([setting], rows, None, seed=1)
    training.advance(training.tracks, 3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 1.5 * rows.X.nbytes


def test_divergence_is_recorded(rows: Rows, valid: Rows) -> None:
    wild = Setting(hidden=(8, 8), penalty="none", learning_rate=1e12)
    tracks = trained([wild, GRID[0]], rows, valid).tracks
    assert tracks[0].diverged
    assert not tracks[1].diverged
    assert len(tracks[1].loss) == 6


@pytest.mark.parametrize("p", [1, 4])
def test_theorem_1(p: int) -> None:
    """The network of 2p + 1 nodes equals the interaction model on [0, c]^p."""
    rng = np.random.default_rng(p)
    for c in (0.5, 3.0):
        theta, intercept = rng.normal(size=2 * p + 1), float(rng.normal())
        X = rng.uniform(0, c, size=(200, p))
        main, interaction, treatment = theta[:p], theta[p : 2 * p], theta[2 * p]
        control = intercept + X @ main
        treated = control + X @ interaction + treatment
        network = equivalent_network(theta, intercept, c)
        assert network.hidden == (2 * p + 1,)
        np.testing.assert_allclose(
            network.logits(X), np.column_stack([control, treated]), atol=1e-12
        )


def test_theorem_1_bad_input() -> None:
    with pytest.raises(ValueError, match="2p \\+ 1 coefficients"):
        equivalent_network([1.0, 2.0], 0.0, 1.0)
    with pytest.raises(ValueError, match="c is -1"):
        equivalent_network([1.0, 2.0, 3.0], 0.0, -1)
