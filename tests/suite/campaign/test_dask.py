"""Units on a real dask scheduler with two workers: the numbers of one machine."""

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import suite.campaign
from suite.campaign.errors import UserError
from suite.campaign.slot import Unit
from suite.campaign.store import Store
from suite.campaign.units import pool_of, run_units
from suite.compute import cluster as dask_pool
from tests.suite.campaign.hostile import Hostile
from tests.suite.campaign.made import small

pytest.importorskip("distributed")
OPTIONS = {"outcome": "bought", "value": 10, "cost": 0.5, "methods": ("r-lasso",), "folds": 3}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A scheduler and two workers, each a process of its own."""
    from distributed import Client

    folder = tmp_path_factory.mktemp("dask")
    file = str(folder / "scheduler.json")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
    started += 2 * [("worker", "--nthreads", "1", "--no-dashboard", "--no-nanny")]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--scheduler-file", file],
            cwd=folder, env=environment, **quiet,
        )
        for arguments in started
    ]  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while not os.path.isfile(file):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with Client(scheduler_file=file, timeout="60s") as client:
            client.wait_for_workers(2, timeout=120)
            found = client.scheduler.address
        yield found
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_says_what_one_machine_says(address):
    here = suite.campaign.fit(small(), time="1h", **OPTIONS)
    there = suite.campaign.fit(small(), time="1h", dask=address, **OPTIONS)
    first, second = dict(here.summary), dict(there.summary)
    first.pop("this_run")
    second.pop("this_run")
    assert first == second
    frame = here.findings.campaign.frame
    assert np.array_equal(here.model.uplift(frame), there.model.uplift(frame))


@pytest.mark.slow
def test_a_failure_on_the_cluster_is_a_result(address, tmp_path):
    bad, good = Unit("dies"), Unit("honest")
    with closing(pool_of(Hostile(), dask=address)) as pool:
        found = run_units([bad, good], pool, Store(tmp_path))
    assert "famous last words" in found[bad.key].error
    assert found[good.key].error == ""


def test_no_scheduler_is_said(monkeypatch):
    monkeypatch.setattr(dask_pool, "CONNECT_SECONDS", 1)
    with pytest.raises(UserError, match="no dask scheduler answers at tcp://127.0.0.1:9"):
        pool_of(None, dask="tcp://127.0.0.1:9")
