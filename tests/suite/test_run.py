"""The command line, by what it does to real stores, processes and method files."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from suite.cli import FAILURES, MISUSE, run
from suite.store.store import Store
from tests.suite.conftest import Start, lines, numbers, records

QUICK = ("scenario4", "--quick")


def main(*arguments: object) -> int:
    return run.main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def one_job(tmp_path_factory: pytest.TempPathFactory, method_files: dict[str, Path]) -> Path:
    """A store of slope, steep and refit, two replicates, made by one job."""
    store = tmp_path_factory.mktemp("one_job")
    code = main(*QUICK, "--methods", "refit", "--method", method_files["slope"],
                "--jobs", 1, "--store", store)  # fmt: skip
    assert code == 0
    return store


def test_a_user_s_own_file_runs_in_the_comparison(one_job: Path) -> None:
    found = records(one_job)
    assert set(found) == {(m, r) for m in ("slope", "steep", "refit") for r in (0, 1)}
    record = found["slope", 0]
    assert record.ok
    result = record.result
    assert record.cell.quick
    assert result.rows == {"train": 2000, "valid": 1500, "test": 1500}
    assert len(result.bins) == 10
    assert set(result.sensitivity) == {"paper", "tools4uplift", "twincausal"}
    assert result.sensitivity["paper"]["10"] == record.test
    assert record.truth.q <= record.truth.oracle_q
    assert record.cost.peak_memory_mb > 1
    assert record.origin.versions["numpy"]
    assert result.settings["limit"] == "Infinity"  # JSON has no word for it
    assert found["slope", 0].cell.seed != found["steep", 0].cell.seed
    assert len(list(one_job.glob("*/predictions/*/*.npz"))) == 6


def test_a_refit_starts_from_the_recorded_upstream(one_job: Path) -> None:
    found = records(one_job)
    for replicate in (0, 1):
        length = found["slope", replicate].result.settings["length"]
        assert found["refit", replicate].result.settings["from"] == length


def test_numbers_do_not_depend_on_jobs_order_or_subset(
    one_job: Path, method_files: dict[str, Path], tmp_path: Path
) -> None:
    common = ("--method", method_files["slope"], "--store", tmp_path)
    assert main(*QUICK, "--methods", "steep", "--replicates", "1-1", "--jobs", 2, *common) == 0
    assert main(*QUICK, "--methods", "refit", "slope", "--jobs", 2, *common) == 0
    assert numbers(tmp_path) == numbers(one_job)


def test_the_same_command_again_computes_nothing(
    one_job: Path, method_files: dict[str, Path], capsys: pytest.CaptureFixture
) -> None:
    before = lines(one_job)
    code = main(*QUICK, "--methods", "slope", "--method", method_files["slope"], "--store", one_job)
    assert code == 0
    assert lines(one_job) == before
    text = capsys.readouterr().out
    assert "recorded already" in text
    assert "QUICK" in text
    assert "not comparable" in text


def test_fresh_computes_again_to_the_same_numbers(
    one_job: Path, method_files: dict[str, Path]
) -> None:
    before, count = numbers(one_job), len(lines(one_job))
    main(*QUICK, "--methods", "slope", "--replicates", 1, "--fresh",
         "--method", method_files["slope"], "--store", one_job)  # fmt: skip
    assert len(lines(one_job)) == count + 3
    assert numbers(one_job) == before


def test_faults_become_failed_rows_and_the_rest_finishes(
    method_files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    files = ("--method", method_files["faults"], "--method", method_files["slope"])
    limits = ("--timeout", "20s", "--memory", "400M", "--store", tmp_path)
    code = main(*QUICK, "--methods", "slope", "--replicates", 1, *files, *limits)
    assert code == FAILURES
    found = records(tmp_path)
    assert {m for (m, _), r in found.items() if r.ok} == {"slope", "steep", "refit"}
    errors = {method: r.error for (method, _), r in found.items() if not r.ok}
    assert "the sky fell" in errors["raises"]
    assert "20 s" in errors["hangs"]
    assert "400 MB" in errors["hungry"]
    assert "SIGABRT" in errors["dies"]
    assert "pip install nothing_like_it" in errors["not-installed"]
    assert "raises, which failed" in errors["after-raises"]
    assert str(tmp_path) not in errors["raises"]
    assert "the sky fell" in capsys.readouterr().out
    # Failed rows stay until they are asked for again.
    count = len(lines(tmp_path))
    assert main(*QUICK, "--methods", "raises", "--replicates", 1, *files[:2], *limits) == 1
    assert len(lines(tmp_path)) == count
    again = (
        *QUICK,
        "--methods",
        "raises",
        "--replicates",
        1,
        "--retry-failed",
        *files[:2],
        *limits,
    )
    main(*again, "--timeout", "1s")
    assert len(lines(tmp_path)) == count + 6


def _wait_for_records(store: Path, count: int) -> None:
    deadline = time.monotonic() + 240
    while sum(len(p.read_text().splitlines()) for p in store.glob("*/*.jsonl")) < count:
        assert time.monotonic() < deadline, "the run wrote no records"
        time.sleep(0.05)


def test_kill_9_then_the_same_command_loses_and_repeats_nothing(
    start: Start, method_files: dict[str, Path], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    command = (*QUICK, "--replicates", 5, "--methods", "wait", "--jobs", 1,
               "--method", method_files["wait"], "--store", store)  # fmt: skip
    process = start(*command)
    _wait_for_records(store, 2)
    workers = _children(process.pid)
    process.kill()
    process.wait()
    survived = lines(store)
    assert 2 <= len(survived) < 5
    assert workers
    assert all(not _alive(pid) for pid in workers)  # nothing goes on computing
    # What a power cut leaves behind: half a line.
    path = next(store.glob("*/*.jsonl"))
    with path.open("a") as file:
        file.write('{"key": "torn')
    again = start(*command)
    output, _ = again.communicate(timeout=300)
    assert again.returncode == 0, output
    assert "torn last line" in output
    assert lines(store)[: len(survived)] == survived
    assert sorted(line["cell"]["data"]["replicate"] for line in lines(store)) == [0, 1, 2, 3, 4]


def _children(pid: int) -> list[int]:
    listing = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(line) for line in listing.stdout.split()]


def _alive(pid: int) -> bool:
    time.sleep(0.5)
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "edit", [lambda file: file.write_text("def broken("), Path.unlink], ids=["broken", "gone"]
)
def test_an_edit_of_a_method_file_fails_the_cells_that_are_left(
    edit: Callable[[Path], object], start: Start, method_files: dict[str, Path], tmp_path: Path
) -> None:
    store, file = tmp_path / "store", tmp_path / "wait.py"
    file.write_text(method_files["wait"].read_text())
    process = start("minute", "--replicates", 5, "--methods", "wait", "--jobs", 1,
                    "--method", file, "--store", store)  # fmt: skip
    _wait_for_records(store, 1)
    edit(file)
    output, _ = process.communicate(timeout=180)
    assert process.returncode == FAILURES, output
    assert "the code of wait is not the code that the run was planned with" in output
    assert len(lines(store)) == 5
    assert "Traceback" not in output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_a_table_and_exit_code_130(
    how: signal.Signals, start: Start, method_files: dict[str, Path], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    process = start(*QUICK, "--replicates", 20, "--methods", "wait", "--jobs", 1,
                    "--method", method_files["wait"], "--store", store)  # fmt: skip
    _wait_for_records(store, 1)
    os.kill(process.pid, how)
    output, _ = process.communicate(timeout=180)
    assert process.returncode == 130
    assert "q_adj ± s.e." in output
    assert "the same command goes on" in output
    assert "Traceback" not in output


def test_a_second_run_on_the_same_store_is_refused(
    start: Start, method_files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    store = tmp_path / "store"
    common = (*QUICK, "--methods", "wait", "--method", method_files["wait"], "--store", store)
    process = start(*common, "--replicates", 20)
    try:
        _wait_for_records(store, 1)
        assert main(*common) == MISUSE
        message = capsys.readouterr().err
        assert f"in use by process {process.pid}" in message
        assert "--store" in message
    finally:
        process.kill()
        process.communicate()
    # The lock goes with its process.
    assert main(*common, "--replicates", 1) == 0


def test_a_full_disk_ends_the_run_with_a_clear_error(
    small_disk: Path, method_files: dict[str, Path], capsys: pytest.CaptureFixture
) -> None:
    command = (*QUICK, "--methods", "slope", "--method", method_files["slope"], "--jobs", 1)
    before = set(psutil.Process().children())
    assert main(*command, "--replicates", 20, "--store", small_disk) == MISUSE
    message = capsys.readouterr().err
    assert "disk is full" in message
    assert "Traceback" not in message
    kept = records(small_disk)
    assert kept
    assert Store(small_disk).read("scenario4-printed-quick")[1] == []
    assert set(psutil.Process().children()) <= before
    for path in small_disk.rglob("*.npz"):
        path.unlink()
    assert main(*command, "--replicates", 2, "--store", small_disk) == 0
    assert kept.items() <= records(small_disk).items()


def test_dry_run_shows_the_plan_and_the_time(
    one_job: Path, method_files: dict[str, Path], capsys: pytest.CaptureFixture
) -> None:
    main(*QUICK, "--methods", "steep", "--replicates", 4, "--dry-run",
         "--method", method_files["slope"], "--store", one_job)  # fmt: skip
    text = capsys.readouterr().out
    assert "steep" in text
    assert "6 cells to do, about" in text


def test_list_shows_experiments_and_methods(capsys: pytest.CaptureFixture) -> None:
    assert main("list") == 0
    text = capsys.readouterr().out
    for name in ("scenario4", "criteo-100k", "hillstrom", "r-lasso", "R-Learner (lasso)"):
        assert name in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("scenaro4",), ("unknown experiment 'scenaro4'", "did you mean scenario4", "hillstrom")),
        (("scenario4", "--methods", "r-laso"), ("unknown method 'r-laso'", "r-lasso", "x-lasso")),
        (("scenario4", "--variant", "relesed"), ("unknown variant", "released", "centred")),
        (("minute", "--variant", "printed"), ("has no variants",)),
        (("scenario4", "--method", "nowhere.py"), ("no file at",)),
        (("scenario4", "--dask", "tcp://x:1", "--jobs", "2"), ("--jobs is for this machine",)),
    ],
)
def test_wrong_names_get_near_matches(
    arguments: tuple[str, ...], words: tuple[str, ...], capsys: pytest.CaptureFixture
) -> None:
    assert main(*arguments) == MISUSE
    message = capsys.readouterr().err
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("from baselines import Method\nclass A(Method):\n    name = 'a'\n", ("_fit", "_predict")),
        ("x = 1\n", ("no subclass of baselines.Method", "def _fit(self, train, valid, seed)")),
        ("import nothing_like_it\n", ("nothing_like_it",)),
        (
            "from baselines import Method\nclass A(Method):\n    name = 'a/b'\n"
            "    def _fit(self, train, valid, seed): ...\n    def _predict(self, X): ...\n",
            ("'a/b'", "letters, digits"),
        ),
    ],
)
def test_a_bad_method_file_says_what_is_missing(
    text: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "mine.py").write_text(text)
    assert main("scenario4", "--method", tmp_path / "mine.py") == MISUSE
    message = capsys.readouterr().err
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    "option", [("--replicates", "0"), ("--jobs", "0"), ("--timeout", "soon"), ("--timeout", "nan")]
)
def test_bad_options_are_refused(option: tuple[str, str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as stop:
        main("scenario4", *option)
    assert stop.value.code == 2
    assert option[1] in capsys.readouterr().err
