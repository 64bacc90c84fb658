"""Rows of "What must hold" (docs/suite.md) about what a method can do to its own cell and others.

One run of the command line with every attack, between honest methods and the oracle.
"""

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import pytest

import datasets
from baselines._neural import TORCH_INSTRUCTIONS
from datasets.contract import Dataset
from suite.cli import FAILURES, run
from suite.compute.cell import Fitted, Result, measure
from suite.compute.environment import instructions
from suite.compute.process import ForkServer
from suite.store.record import Record
from suite.store.store import Store
from tests.suite.attacks import LIBRARIES, METHODS
from tests.suite.conftest import records
from twin.rows import Rows

COLUMN = "scenario4-printed-quick"
CALLER = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NUMBA_CPU_NAME": "generic",
    "OMP_NUM_THREADS": "7",
    "NPY_DISABLE_CPU_FEATURES": "",
    "ATEN_CPU_CAPABILITY": "default",
    "NUMBA_DISABLE_JIT": "1",
    "MKL_CBWR": "AUTO",
}
LIMIT = 20.0


@dataclass(frozen=True)
class Attacked:
    """What is left after the run."""

    folder: Path
    found: dict[str, Record]
    output: str
    code: int
    again: str  # what the same command says the second time
    sentinel: Path  # written by an attack that could run code elsewhere


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    """Every attack in one run, with an environment that would move numbers."""
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "attacks.py").write_text(METHODS)
    (folder / "library").mkdir()
    for name, text in LIBRARIES.items():
        (folder / "library" / f"{name}.py").write_text(text)
    limits = ["--memory", "450M", "--timeout", f"{LIMIT:g}s"]
    files = ["--method", str(folder / "attacks.py"), "--store", str(folder / "store")]
    command = ["scenario4", "--quick", "--replicates", "1", "--jobs", "3", *limits, *files]
    command += ["--methods", "first", "oracle", "lstsq"]
    said = [io.StringIO(), io.StringIO()]
    with pytest.MonkeyPatch.context() as patch:
        own = {"ATTACKED": str(folder / "sentinel"), "PYTHONPATH": str(folder / "library")}
        for name, value in {**CALLER, **own}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", said[0])
        code = run.main(command)
        _break(folder / "store" / COLUMN / "first.jsonl")
        patch.setattr(sys, "stdout", said[1])
        run.main(command)
    output, again = (text.getvalue() for text in said)
    found = {method: record for (method, _), record in records(folder / "store").items()}
    return Attacked(folder, found, output, code, again, folder / "sentinel")


def _break(path: Path) -> None:
    """Change one digit of a recorded line."""
    path.write_text(path.read_text().replace('"replicate": 0', '"replicate": 1'))


@pytest.fixture(scope="module")
def data() -> Dataset:
    return datasets.load("scenario4", replicate=0, n=5000, p=30, variant="printed")


def honest(data: Dataset, predict: Callable[[Rows], np.ndarray]) -> Result:
    """The result that a prediction has by rights."""
    predicted = {
        part: np.asarray(predict(getattr(data, part)), dtype=np.float64)
        for part in ("train", "valid", "test")
    }
    fitted = Fitted({}, 0, None, None, None, {}, 0.0)
    return measure(data, predicted, fitted)


def failed(attacked: Attacked, method: str) -> str:
    """The error of a method that must have failed."""
    record = attacked.found[method]
    assert not record.ok, f"{method} was recorded with {record.result}"
    return record.error


def test_row_02_and_09_every_number_is_its_own_cell_s(attacked: Attacked, data: Dataset) -> None:
    """A patched measure, a library, forks, threads: nobody's number moves, not even theirs."""
    first = honest(data, lambda rows: rows.X[:, 0])
    attacks = ("row02-patches", "row02-library", "row09-forks", "row29-daemon", "row30-state")
    for method in ("first", *attacks):
        assert attacked.found[method].result.numbers() == first.numbers(), method
    oracle = honest(data, lambda rows: rows.true_uplift)
    assert attacked.found["oracle"].test == oracle.test
    w = np.linalg.lstsq(
        data.train.X, (2 * data.train.treatment - 1) * data.train.y, rcond=None
    )[0]  # fmt: skip
    found = attacked.found["lstsq"].test
    assert found.q_adj == pytest.approx(honest(data, lambda rows: rows.X @ w).test.q_adj, abs=0.05)
    assert "exit code 3" in failed(attacked, "row02-leaves")


def test_row_04_no_test_outcome_and_no_truth_is_within_reach(
    attacked: Attacked, data: Dataset
) -> None:
    leaks = attacked.found["row04-leaks"].result
    assert leaks.settings == {"found": []}
    assert leaks.test == honest(data, lambda rows: rows.X[:, 0]).test
    rewrites = attacked.found["row04-rewrites"].result
    assert rewrites.test == honest(data, lambda rows: -np.arange(len(rows.y))).test


def test_row_07_and_14_any_text_is_recorded_and_read_back(attacked: Attacked) -> None:
    assert "bad" in failed(attacked, "row07-error")
    texts = attacked.found["row07-row14-texts"]
    assert texts.result.settings == {"a": "x\u2028y\x85\x1c\n", "b": "\udcff"}
    assert len(texts.origin.warnings) == 1
    (broken,) = Store(attacked.folder / "store").read(COLUMN)[1]
    assert broken.path.name == "first.jsonl"
    cells = len(attacked.found)
    assert f"{cells - 1} recorded already" in attacked.again


def test_row_08_every_cell_ends_within_its_limit(attacked: Attacked) -> None:
    assert "closed its connection" in failed(attacked, "row08-closes")
    assert "ended with signal 40" in failed(attacked, "row08-signal")
    for method in ("row08-half", "row08-babbles"):
        assert f"stopped after {LIMIT:g} s" in failed(attacked, method)
        assert attacked.found[method].cost.total_seconds < 3 * LIMIT


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("row10-scores", "contract"),
        ("row10-pickle", "no answer"),
        ("row10-garbage", "no answer"),
        ("row10-no-mapping", "no answer"),
        ("row10-not-a-number", "contract"),
        ("row10-deep", "contract"),
        ("row10-claims", "no answer"),
        ("row10-no-reason", "no reason given"),
    ],
)
def test_row_10_messages_are_data_and_carry_no_score(
    method: str, words: str, attacked: Attacked
) -> None:
    assert words in failed(attacked, method)
    assert not attacked.sentinel.exists()
    assert attacked.code == FAILURES


def test_row_12_the_caller_s_environment_moves_nothing(attacked: Attacked) -> None:
    seen = attacked.found["row30-then"].result.settings["environment"]
    pinned = instructions()
    for name in ("OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NPY_DISABLE_CPU_FEATURES"):
        assert seen[name] == pinned.get(name)
    assert seen["OMP_NUM_THREADS"] == "1"
    assert seen["NUMBA_DISABLE_JIT"] is None
    for name, value in TORCH_INSTRUCTIONS.items():
        assert seen[name] == (value if pinned else None)
    if pinned:
        arithmetic = attacked.found["first"].origin.arithmetic
        assert "Haswell" in arithmetic
        assert "numba haswell" in arithmetic


def test_row_16_a_cell_cannot_spoil_its_store(attacked: Attacked) -> None:
    assert "seconds_" in failed(attacked, "row16-nan-seconds")
    assert sum(r.cost.total_seconds for r in attacked.found.values()) < 1e6


def test_row_25_a_broken_line_is_reported_by_the_run_that_reads_it(attacked: Attacked) -> None:
    assert "first.jsonl, line 1: the checksum is" in attacked.again
    assert "it counts for nothing" in attacked.again
    assert attacked.found["first"].ok  # computed again


def test_row_28_memory_of_children_counts(attacked: Attacked) -> None:
    assert "450 MB" in failed(attacked, "row28-memory")


def test_row_29_nothing_of_a_cell_outlives_it(attacked: Attacked) -> None:
    assert attacked.found["row29-daemon"].ok
    alive = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [line for line in alive if str(attacked.sentinel) in line]
    assert not [line for line in alive if line[-2:] == ["sleep", "3601"]]


def test_row_30_the_state_of_a_process_is_not_shared(attacked: Attacked) -> None:
    seen = dict(attacked.found["row30-then"].result.settings)
    del seen["environment"]
    assert seen == {
        "folder": os.getcwd(),
        "mask": seen["mask"],
        "seen": False,
        "errors": "warn",
        "recursion": seen["recursion"],
        "load": True,
        "signal": int(signal.SIG_DFL),
        "threads": 1,
    }
    assert seen["mask"] != 0o777
    assert seen["recursion"] >= 1000


def test_row_31_what_a_worker_prints_is_bounded(attacked: Attacked) -> None:
    for method in ("row31-chatty", "row31-long-error"):
        error = failed(attacked, method)
        assert 0 < len(error) <= 10_000
        assert error.endswith("yyy")
    assert "exit code 1" in failed(attacked, "row31-chatty")
    largest = max(p.stat().st_size for p in (attacked.folder / "store").glob("*/*.jsonl"))
    assert largest < 100_000


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("row32-mutates", "read-only"),
        ("row32-flips", "differently when asked twice"),
        ("row42-huge", "cannot be recorded: truth.pehe is 'inf'; it must be a finite number"),
        ("row42-settings", "settings_"),
        ("row42-nodes", "n_active_nodes_"),
        ("row42-seconds", "seconds_"),
        ("row42-complex", "complex"),
    ],
)
def test_row_32_and_42_what_breaks_the_contract_is_a_failed_row(
    method: str, words: str, attacked: Attacked
) -> None:
    assert words in failed(attacked, method)


def test_row_50_text_of_methods_has_no_control_characters(attacked: Attacked) -> None:
    assert "owned" in failed(attacked, "row50-escapes")
    for text in (attacked.output, attacked.found["row50-escapes"].error):
        assert "owned" in text
        assert not {"\x1b", "\x07"} & set(text)


@pytest.mark.slow
def test_a_server_that_is_killed_is_replaced() -> None:
    """A method can kill the process that its own was forked from: that cell fails, no other."""
    server = ForkServer()
    child = server.fork("suite.compute.keeper")
    os.kill(psutil.Process(child.pid).ppid(), signal.SIGKILL)
    deadline = time.monotonic() + 60
    while not child.gone():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "SIGKILL" in child.why_gone()
    child.close()
    again = server.fork("suite.compute.keeper")
    assert not again.gone()
    again.close()
    assert again.gone()
    server.close()
