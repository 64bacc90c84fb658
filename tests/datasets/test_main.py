"""`python -m datasets` as a user types it."""

import subprocess
import sys

import numpy as np
import pandas as pd

import datasets


def run(*arguments, folder=None):
    command = [sys.executable, "-m", "datasets", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_the_listing_has_a_line_on_every_data_set():
    done = run()
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    for name, source in datasets.sources().items():
        (line,) = [line for line in lines if line[2:].startswith(f"{name} ")]
        assert line.endswith(source.summary)


def test_an_export_holds_the_rows_that_load_gives(tmp_path):
    options = ("--replicate", 3, "--variant", "centred", "--n", 1000)
    done = run("scenario2", *options, "--out", "s.parquet", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1,000 rows (400 train, 300 valid, 300 test), 100 covariates" in done.stdout
    frame = pd.read_parquet(tmp_path / "s.parquet")
    dataset = datasets.load("scenario2", replicate=3, variant="centred", n=1000)
    assert list(frame) == ["y", "treatment", "true_uplift", "part", *dataset.names]
    for part in ("train", "valid", "test"):
        rows, mine = getattr(dataset, part), frame[frame["part"] == part]
        for field in ("y", "treatment", "true_uplift"):
            np.testing.assert_array_equal(mine[field], getattr(rows, field))
        np.testing.assert_array_equal(mine[list(dataset.names)], rows.X)


def test_errors_name_the_cause_and_leave_no_file(tmp_path):
    for arguments, message in [
        (("scenario9",), "unknown data set 'scenario9'; did you mean"),
        (("scenario1",), "required: --out"),
        (("scenario1", "--out", "no/such.parquet"), "no is no folder; create it first"),
        (
            ("scenario1", "--out", "a.parquet", "--variant", "x"),
            "variant is 'x'; it must be one of",
        ),
        (("scenario1", "--out", "a.parquet", "--replicate", "-1"), "replicate is -1"),
        (("scenario1", "--out", "a.parquet", "--n", "many"), "--n: invalid int value: 'many'"),
    ]:
        done = run(*arguments, folder=tmp_path)
        assert done.returncode != 0
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
