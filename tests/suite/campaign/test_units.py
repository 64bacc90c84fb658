"""Units in worker processes: same numbers in any order, failures as results, killed and resumed."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from suite.campaign.folds import outer_folds
from suite.campaign.setup import Setup
from suite.campaign.slot import Limits, Unit
from suite.campaign.store import Result, Store, packed, unpacked
from suite.campaign.types import Column
from suite.campaign.units import Workers, run_units


@pytest.fixture(scope="module")
def setup() -> Setup:
    rng = np.random.default_rng(0)
    n = 900
    x = rng.normal(size=n)
    arm = (rng.random(n) < 0.5).astype(np.int8)
    outcome = (rng.random(n) < 0.3 + 0.1 * arm * (x > 0)).astype(np.int8)
    return Setup(
        columns=(Column("x", "number", used=True), Column("z", "number", used=True)),
        frame=pd.DataFrame({"x": x, "z": rng.normal(size=n)}),
        outcome=outcome,
        arm=arm,
        arms=2,
        groups=None,
        folds=outer_folds(arm, outcome, None, 3, 0),
        money=None,
        seed=0,
        shares=(0.5, 0.5),
        segment_folds=(0, 1),
    )


@contextmanager
def pool(*arguments) -> Iterator[Workers]:
    with closing(Workers(*arguments)) as workers:
        yield workers


def fit(out: tuple[int, ...], method: str = "r-lasso") -> Unit:
    return Unit("fit", {"left_out": out, "method": method, "whole": True})


def test_any_order_and_any_number_of_workers_give_the_same(setup, tmp_path):
    units = [fit((0,)), fit((1,)), fit((0, 1))]
    with pool(1, setup) as workers:
        one = run_units(units, workers, Store(tmp_path / "one"))
    with pool(2, setup) as workers:
        two = run_units(units[::-1], workers, Store(tmp_path / "two"))
        failed = run_units(
            [fit((0,), "no-such-method"), fit((2,))], workers, Store(tmp_path / "two")
        )
    for unit in units:
        assert one[unit.key].error == two[unit.key].error == ""
        for name, array in one[unit.key].arrays.items():
            assert np.array_equal(array, two[unit.key].arrays[name]), name
    rows = np.isin(setup.folds, (0, 1)).sum()
    assert one[units[2].key].arrays["score"].shape == (rows, 1)
    # A failure is a result; the worker after it is a new one and works.
    assert "no-such-method" in failed[fit((0,), "no-such-method").key].error
    assert failed[fit((2,)).key].error == ""


def test_what_is_stored_is_not_computed_again_and_what_is_damaged_is(setup, tmp_path):
    store, unit = Store(tmp_path), fit((0,))
    store.put(unit.key, Result(arrays={"score": np.array([[1.5]])}))
    with pool(1, setup) as workers:
        assert run_units([unit], workers, store)[unit.key].arrays["score"][0, 0] == 1.5
    (path,) = tmp_path.glob("*.npz")
    path.write_bytes(path.read_bytes()[:100])
    assert store.get(unit.key) is None
    assert store.get("something else") is None


def test_a_killed_worker_and_a_slow_one_are_failures(setup, tmp_path):
    def kill_child() -> None:
        me = psutil.Process(os.getpid())
        for _ in range(600):
            for child in me.children():
                if "suite.campaign.worker" in " ".join(child.cmdline()):
                    time.sleep(0.3)
                    child.send_signal(signal.SIGKILL)
                    return
            time.sleep(0.05)

    killer = threading.Thread(target=kill_child)
    with pool(1, setup) as workers:
        killer.start()
        found = run_units([fit((0,))], workers, Store(tmp_path / "a"))
        killer.join()
    assert "SIGKILL" in found[fit((0,)).key].error
    with pool(1, setup, Limits(seconds=0.0)) as workers:
        slow = run_units([fit((0,))], workers, Store(tmp_path / "b"))
    assert "stopped after 0 s" in slow[fit((0,)).key].error
    with pool(1, setup, Limits(memory_mb=1.0)) as workers:
        large = run_units([fit((0,))], workers, Store(tmp_path / "c"))
    assert "MB" in large[fit((0,)).key].error


def test_packed_states_come_back(tmp_path: Path):
    value = {"a": [1, "x", {"b": np.arange(3.0)}], "c": b"\x00\x01", "d": None}
    arrays: dict = {}
    store = Store(tmp_path)
    store.put("k", Result(arrays=arrays, values={"v": packed(value, arrays)}))
    found = store.get("k")
    again = unpacked(found.values["v"], found.arrays)
    assert np.array_equal(again["a"][2]["b"], np.arange(3.0))
    assert again["c"] == b"\x00\x01"
    assert again["a"][:2] == [1, "x"]
    assert again["d"] is None
