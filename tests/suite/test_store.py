"""The store under real faults of the disk."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from suite.names import UserError
from suite.store.disk import StoreError
from suite.store.store import Store, predictions_path, read_lines
from tests.suite.made import made_record

FOLDER = "scenario4-printed"


def test_what_is_appended_is_there_for_the_next_reader(tmp_path: Path) -> None:
    store, scores = Store(tmp_path), np.linspace(-1, 1, 600)
    with store.writing() as writer:
        for replicate in range(3):
            writer.append(made_record(replicate=replicate), {"test": scores})
    assert [record.replicate for record in store.records(FOLDER)] == [0, 1, 2]
    kept = np.load(predictions_path(tmp_path, made_record(replicate=1)))["test"]
    np.testing.assert_array_equal(kept, scores)
    assert store.read(FOLDER)[1] == []


def test_a_torn_last_line_is_dropped_and_the_next_record_stands_on_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing() as writer:
        writer.append(made_record(replicate=0))
    path = tmp_path / FOLDER / "r-lasso.jsonl"
    for cut in (1, 40, 2000):
        torn = made_record(replicate=1).line()[:cut]
        with path.open("a") as file:
            file.write(torn)
        assert [record.replicate for record in store.records(FOLDER)] == [0]
        with store.writing() as writer:
            assert len(writer.mend(FOLDER)) == 1
            assert writer.mend(FOLDER) == []
    with store.writing() as writer:
        writer.append(made_record(replicate=1))
    assert [record.replicate for record in store.records(FOLDER)] == [0, 1]


def test_a_full_disk_is_a_clear_error_and_nothing_is_corrupt(small_disk: Path) -> None:
    store, scores = Store(small_disk), np.random.default_rng(0).random(200)
    written = 0

    def fill() -> None:
        nonlocal written
        with store.writing() as writer:
            for replicate in range(1000):
                writer.append(made_record(replicate=replicate), {"test": scores})
                written += 1

    with pytest.raises(StoreError) as error:
        fill()
    assert "disk is full" in str(error.value)
    assert "--store" in str(error.value)
    assert written > 3
    assert len(store.records(FOLDER)) == written
    assert store.read(FOLDER)[1] == []
    assert not list(small_disk.rglob("*.half"))
    # With room again the same store goes on.
    for path in small_disk.rglob("*.npz"):
        path.unlink()
    with store.writing() as writer:
        assert writer.mend(FOLDER) == []
        writer.append(made_record(replicate=written))
    assert len(store.records(FOLDER)) == written + 1


def test_a_read_only_disk_is_a_clear_error(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError, match="read-only"), Store(small_disk / "runs").writing():
        pass


def test_a_folder_without_permission_is_a_clear_error(tmp_path: Path) -> None:
    """As another user, since root may write anywhere."""
    if os.geteuid() != 0:
        pytest.skip("becoming another user needs root")
    code = (
        "import os, sys\nfrom suite.store.disk import StoreError\n"
        "from suite.store.store import Store\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "try:\n    with Store(sys.argv[1]).writing(): pass\n"
        "except StoreError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "runs")], capture_output=True, text=True
    )
    assert "no permission to write there" in done.stdout, done.stderr


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        Store(tmp_path).writing(),
        pytest.raises(UserError, match=f"in use by process {os.getpid()}"),
        Store(tmp_path).writing(),
    ):
        pass
    with Store(tmp_path).writing():
        pass


def test_problems_name_file_and_line(tmp_path: Path) -> None:
    with Store(tmp_path).writing() as writer:
        for replicate in range(3):
            writer.append(made_record(replicate=replicate))
    path = tmp_path / FOLDER / "r-lasso.jsonl"
    path.write_text(path.read_text().replace('"replicate": 1', '"replicate": 7'))
    (problem,) = Store(tmp_path).read(FOLDER)[1]
    assert "r-lasso.jsonl, line 2" in str(problem)
    assert len(Store(tmp_path).records(FOLDER)) == 2
    assert [number for number, _ in read_lines(path)] == [1, 2, 3]
