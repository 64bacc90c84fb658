"""The same run on a real dask scheduler with two worker processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from suite.cli import FAILURES, MISUSE, run
from suite.compute import cluster as dask_pool
from suite.plan.digest import ROOT
from tests.suite.conftest import lines, numbers

pytest.importorskip("distributed")
QUICK = ("scenario4", "--quick")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list]]:
    """A scheduler and two workers, each a process of its own, as the README starts them."""
    folder = tmp_path_factory.mktemp("dask")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    processes = []

    def dask(*arguments: str) -> subprocess.Popen:
        with (folder / f"{len(processes)}.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                cwd=folder, env=environment, stdout=log, stderr=log,
            )  # fmt: skip
        processes.append(process)
        return process

    dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
         "--scheduler-file", str(folder / "scheduler.json"))  # fmt: skip
    for _ in range(2):
        dask("worker", "--scheduler-file", str(folder / "scheduler.json"), "--nthreads", "1",
             "--no-dashboard", "--no-nanny")  # fmt: skip
    address = _address(folder)
    yield address, processes[1:]
    for process in processes:
        process.kill()
        process.wait()


def _address(folder: Path) -> str:
    from distributed import Client

    deadline = time.monotonic() + 60
    while not (folder / "scheduler.json").is_file():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with Client(scheduler_file=str(folder / "scheduler.json"), timeout="60s") as client:
        client.wait_for_workers(2, timeout=60)
        return client.scheduler.address


def test_a_cluster_gives_the_same_numbers_and_failures(
    cluster: tuple[str, list], method_files: dict[str, Path], tmp_path: Path
) -> None:
    files = ("--method", str(method_files["slope"]), "--method", str(method_files["faults"]))
    limits = ("--replicates", "1", "--timeout", "12s", "--memory", "400M")
    here, there = tmp_path / "here", tmp_path / "there"
    assert run.main([*QUICK, "--methods", "refit", *files[:2], *limits, "--store", str(here)]) == 0
    code = run.main(
        [*QUICK, "--methods", "refit", *files, *limits, "--dask", cluster[0], "--store", str(there)]
    )
    assert code == FAILURES
    found = numbers(there)
    assert {cell: found[cell] for cell in numbers(here)} == numbers(here)
    errors = {line["cell"]["method"]: line["error"] for line in lines(there) if line["error"]}
    assert set(errors) == {"raises", "hangs", "hungry", "dies", "not-installed", "after-raises"}
    assert "12 s" in errors["hangs"]
    # Resume: nothing is computed twice.
    before = lines(there)
    run.main(
        [*QUICK, "--methods", "refit", *files, *limits, "--dask", cluster[0], "--store", str(there)]
    )
    assert lines(there) == before


def computing(workers: list[subprocess.Popen]) -> bool:
    """Whether a cell has a process: the server that forks stays, and the rows' keeper under it."""
    servers = [server for worker in workers for server in psutil.Process(worker.pid).children()]
    return any(len(server.children()) > 1 for server in servers)


@pytest.mark.slow
def test_an_interrupted_run_leaves_no_cell_computing_on_the_cluster(
    cluster: tuple[str, list], start, method_files: dict[str, Path], tmp_path: Path
) -> None:
    process = start(*QUICK, "--replicates", 1, "--methods", "hangs", "--dask", cluster[0],
                    "--method", method_files["faults"], "--store", tmp_path / "store")  # fmt: skip
    deadline = time.monotonic() + 240
    while not list((tmp_path / "store").glob("*/dies.jsonl")):  # by then hangs has begun
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    assert computing(cluster[1])
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    deadline = time.monotonic() + 30
    while computing(cluster[1]):
        assert time.monotonic() < deadline, "a cancelled cell goes on"
        time.sleep(0.2)


def test_kill_9_of_one_worker_loses_and_repeats_nothing(
    cluster: tuple[str, list], start, method_files: dict[str, Path], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    process = start(*QUICK, "--replicates", 8, "--methods", "wait", "--dask", cluster[0],
                    "--method", method_files["wait"], "--store", store)  # fmt: skip
    deadline = time.monotonic() + 240
    while not list(store.glob("*/*.jsonl")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(cluster[1][0].pid, signal.SIGKILL)
    output, _ = process.communicate(timeout=400)
    assert process.returncode == 0, output
    assert sorted(line["cell"]["data"]["replicate"] for line in lines(store)) == list(range(8))
    assert all(line["error"] is None for line in lines(store))


def test_no_scheduler_is_a_clear_error(
    method_files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask_pool, "CONNECT_SECONDS", 1)
    code = run.main([*QUICK, "--methods", "slope", "--method", str(method_files["slope"]),
                     "--dask", "tcp://127.0.0.1:9", "--store", str(tmp_path)])  # fmt: skip
    assert code == MISUSE
    assert "no dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
