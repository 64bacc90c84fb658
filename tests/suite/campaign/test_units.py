"""Units in worker processes: same numbers in any order, failures as results, killed and resumed."""

import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from suite.campaign import plan
from suite.campaign import units as units_of
from suite.campaign.folds import outer_folds
from suite.campaign.plan import Race
from suite.campaign.setup import Setup
from suite.campaign.slot import Unit
from suite.campaign.store import Result, Store, packed, unpacked
from suite.campaign.types import Column
from suite.campaign.units import pool_of, run_units
from suite.compute.local import Pool
from suite.compute.outcome import Limits
from tests.suite.campaign.hostile import ARRAYS, Hostile


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


def pool(jobs: int, setup: object, limits: Limits | None = None) -> closing[Pool]:
    return closing(pool_of(setup, jobs, limits=limits))


def fit(out: tuple[int, ...], method: str = "r-lasso") -> Unit:
    return Unit("fit", {"left_out": out, "method": method})


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


def test_methods_stop_when_time_is_over_and_stay_stopped(setup, tmp_path):
    for deadline in (-1.0, 3600.0):  # resumed with more time, it answers as before
        with pool(1, setup) as workers:
            race = Race(3, 900, workers, Store(tmp_path), time.monotonic() + deadline, print)
            race.run(["r-lasso", "x-lasso"])
        assert list(race.found) == ["r-lasso"]
        assert race.progress.left_out == {"x-lasso": None}


def test_time_that_is_over_ends_a_method_in_the_middle(setup, tmp_path, monkeypatch):
    class Clock:
        """An hour passes when the second fit of x-lasso has ended."""

        ahead = 0.0

        def monotonic(self) -> float:
            return time.monotonic() + self.ahead

    class Kept(Store):
        def put(self, key: str, result: Result) -> None:
            super().put(key, result)
            if key.startswith("fit") and "x-lasso" in key:
                fits.append(key)
                clock.ahead = 3600.0 if len(fits) > 1 else 0.0

    clock, fits = Clock(), []
    monkeypatch.setattr(plan, "time", clock)
    monkeypatch.setattr(units_of, "time", clock)
    with pool(1, setup) as workers:
        race = Race(3, 900, workers, Kept(tmp_path), time.monotonic() + 1800, print)
        race.run(["r-lasso", "x-lasso"])
    assert list(race.found) == ["r-lasso"]
    assert race.progress.left_out["x-lasso"] > 3600
    assert len(fits) == 2


def test_a_method_that_does_not_fit_is_left_out_with_the_seconds_it_needs(setup, tmp_path):
    store = Store(tmp_path)
    with pool(1, setup) as workers:
        race = Race(3, 900, workers, store, 0.0, print)
        race.run(["r-lasso"])
        # Its pilot says that there is time; the first real fit says that there is not.
        pilot = Unit("pilot", {"method": "x-lasso", "rows": 900})
        store.put(pilot.key, Result(values={"cpu_seconds": 0.0}))
        race.deadline = time.monotonic() + 0.05
        race.run(["r-lasso", "x-lasso"])
    assert list(race.found) == ["r-lasso"]
    assert race.progress.left_out["x-lasso"] >= 1


def test_more_time_takes_in_what_had_been_left_out(setup, tmp_path):
    """And with as much time as before the same is left out, aloud, without being tried again."""
    said, store = [], Store(tmp_path)
    with pool(1, setup) as workers:
        for seconds, left in ((3.0, 0.0), (3.0, 3600.0), (300.0, 3600.0)):
            deadline = time.monotonic() + left
            race = Race(3, 900, workers, store, deadline, said.append, seconds)
            race.run(["r-lasso", "x-lasso"])
            assert ("x-lasso" in race.found) == (seconds == 300.0)
    assert said[1] == said[3] == "[2/2] x-lasso was not tried: time is over"
    assert said[5].endswith(" s")


def living(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def ask(workers: Pool, folder: Path, task: str, number: int = 0) -> Result:
    """The result of a unit that misbehaves."""
    unit = Unit(task)
    return run_units([unit], workers, Store(folder / f"{task} {number}"))[unit.key]


def test_what_a_unit_does_to_its_process_is_a_failure_and_ends_with_it(tmp_path):
    with pool(1, Hostile(), Limits(600, 4000)) as workers:
        first, again = (ask(workers, tmp_path, "honest", i) for i in range(2))
        assert first.values == again.values  # one process serves several
        for name, array in ARRAYS.items():
            found = first.arrays[name]
            assert found.dtype == array.dtype
            assert found.shape == array.shape
            assert np.array_equal(found, array)
        error = ask(workers, tmp_path, "raises").error
        assert error.startswith("RuntimeError: child ")
        assert "hostile.py line" in error
        assert not living(int(error.split()[2]))
        assert not living(first.values["pid"])
        left = ask(workers, tmp_path, "leaves")
        assert left.error == ""
        assert not living(left.values["child"])
        assert ask(workers, tmp_path, "honest", 2).values["pid"] != left.values["pid"]
        error = ask(workers, tmp_path, "dies").error
        assert "exit code 3" in error
        assert "famous last words" in error
        assert ask(workers, tmp_path, "forks").values == {"first": True}
        assert "an array of type '|O'" in ask(workers, tmp_path, "objects").error
        last = ask(workers, tmp_path, "honest", 3)
    assert not living(last.values["pid"])


def test_time_and_memory_of_a_unit_and_of_what_it_started_are_limited(tmp_path):
    with pool(1, Hostile(), Limits(120, 500)) as workers:
        assert "the limit of one fit is 500 MB" in ask(workers, tmp_path, "eats").error
        assert ask(workers, tmp_path, "honest").error == ""
    with pool(1, Hostile(), Limits(0.5, 4000)) as workers:
        assert "stopped after 0.5 s" in ask(workers, tmp_path, "hangs").error
        assert ask(workers, tmp_path, "honest", 1).error == ""


def test_a_killed_process_is_a_failure(tmp_path):
    def kill() -> None:
        me = psutil.Process(os.getpid())
        while not (found := [c for s in me.children() for c in s.children()]):
            time.sleep(0.05)
        found[0].send_signal(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with pool(1, Hostile()) as workers:
        killer.start()
        error = ask(workers, tmp_path, "hangs").error
        killer.join()
    assert "SIGKILL" in error


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
