"""Conversion of CRITEO's csv: exact, once, and never half done."""

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from datasets import criteo_synthetic
from datasets.criteo_arrays import _preparations, prepare
from datasets.criteo_csv import COLUMNS, FEATURES, LABELS
from datasets.files import DataFileError

ROWS = 3_000


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return criteo_synthetic.write(tmp_path_factory.mktemp("criteo") / "good.csv.gz", ROWS)


@pytest.fixture(scope="module")
def frame(good):
    return pd.read_csv(good)


def csv_of(frame, path):
    frame.to_csv(path, index=False)
    return path


def fails(path, match):
    """`prepare` fails with a message that names the file, and leaves nothing behind."""
    with pytest.raises(DataFileError, match=match) as caught:
        prepare(path)
    assert str(path) in str(caught.value)
    assert [p for p in _preparations().iterdir() if not p.name.endswith(".lock")] == []


def test_everything_is_kept(cache, good, frame):
    prepared = prepare(good)
    index = np.random.default_rng(0).permutation(ROWS)
    expected = frame[list(FEATURES)].to_numpy().astype(np.float32)
    np.testing.assert_array_equal(prepared.covariates(index), expected[index])
    np.testing.assert_array_equal(prepared.covariates(index[:7]), expected[index[:7]])
    np.testing.assert_array_equal(prepared.treatment, frame["treatment"])
    np.testing.assert_array_equal(prepared.visit, frame["visit"])
    stored = pd.read_parquet(prepared.home / "rows.parquet")
    assert list(stored) == list(COLUMNS)
    assert set(stored[list(FEATURES)].dtypes) == {np.dtype(np.float32)}
    np.testing.assert_array_equal(stored[list(LABELS)], frame[list(LABELS)])
    np.testing.assert_array_equal(stored[list(FEATURES)], expected)


def test_draws_across_mapped_pieces(cache, good, frame, monkeypatch):
    monkeypatch.setattr("datasets.criteo_arrays.GROUP", 128)
    monkeypatch.setattr("datasets.criteo_csv.GROUP", 128)
    monkeypatch.setattr("datasets.criteo_csv._BLOCK", 4096)
    prepared = prepare(good)
    index = np.random.default_rng(1).choice(ROWS, 500, replace=False)
    expected = frame[list(FEATURES)].to_numpy().astype(np.float32)[index]
    np.testing.assert_array_equal(prepared.covariates(index), expected)


def test_statistics_against_pandas(cache, good, frame):
    found = prepare(good).statistics
    treated = frame["treatment"] == 1
    assert (found.rows, found.treated, found.control) == (ROWS, treated.sum(), (~treated).sum())
    assert found.visits_treated == frame.loc[treated, "visit"].sum()
    assert found.visits_control == frame.loc[~treated, "visit"].sum()
    assert found.conversions == frame["conversion"].sum()
    assert found.exposures == frame["exposure"].sum()
    np.testing.assert_allclose(found.feature_sums, frame[list(FEATURES)].sum(), rtol=1e-6)
    assert found.most_frequent["f1"] == (frame["f1"] == frame["f1"].mode()[0]).sum()


def test_unpacked_csv_and_other_column_order(cache, tmp_path, good, frame):
    shuffled = csv_of(frame[list(reversed(COLUMNS))], tmp_path / "shuffled.csv")
    index = np.arange(ROWS)
    np.testing.assert_array_equal(
        prepare(shuffled).covariates(index), prepare(good).covariates(index)
    )


def test_converted_once_and_again_when_the_file_changes(cache, tmp_path, frame, monkeypatch):
    path = csv_of(frame, tmp_path / "data.csv")
    first = prepare(path)
    with monkeypatch.context() as patch:
        patch.setattr("datasets.criteo_arrays._convert", None)  # a second conversion would fail
        assert prepare(path).home == first.home
    csv_of(frame.head(1_000), path)
    assert prepare(path).statistics.rows == 1_000


def test_truncated_gzip(cache, tmp_path, good):
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(good.read_bytes()[:-5_000])
    fails(path, "truncated or damaged gzip")


def test_damaged_gzip(cache, tmp_path, good):
    content = bytearray(good.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 64] = b"\0" * 64
    path = tmp_path / "damaged.csv.gz"
    path.write_bytes(bytes(content))
    fails(path, "gzip|csv")


def test_not_gzip(cache, tmp_path):
    path = tmp_path / "page.csv.gz"
    path.write_bytes(b"<html>not found</html>")
    fails(path, "truncated or damaged gzip")


def test_missing_column(cache, tmp_path, frame):
    fails(csv_of(frame.drop(columns="f7"), tmp_path / "a.csv"), "lacks f7")


def test_wrong_header(cache, tmp_path, frame):
    path = csv_of(frame.rename(columns={"f3": "age"}), tmp_path / "a.csv")
    fails(path, "lacks f3 and has age")


def test_repeated_column(cache, tmp_path, frame):
    repeated = pd.concat([frame, frame[["f0"]]], axis=1)
    fails(csv_of(repeated, tmp_path / "a.csv"), "header")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_covariate_that_is_not_finite(cache, tmp_path, frame, value):
    wrong = frame.copy()
    wrong.loc[1234, "f5"] = value
    fails(csv_of(wrong, tmp_path / "a.csv"), "line 1236: f5 is (missing|inf)")


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (2, "line 1236: treatment is 2, not 0 or 1"),
        (-1, "line 1236: treatment is -1, not 0 or 1"),
        (0.5, "0.5"),
        (300, "300"),
        ("yes", "yes"),
        (None, "line 1236: treatment is missing"),
    ],
)
def test_treatment_that_is_not_0_or_1(cache, tmp_path, frame, value, match):
    wrong = frame.astype({"treatment": object})
    wrong.loc[1234, "treatment"] = value
    fails(csv_of(wrong, tmp_path / "a.csv"), match)


def test_csv_cut_within_a_line(cache, tmp_path, frame):
    path = csv_of(frame, tmp_path / "a.csv")
    path.write_bytes(path.read_bytes()[:-40])
    fails(path, "not valid csv")


def test_header_without_rows(cache, tmp_path, frame):
    fails(csv_of(frame.head(0), tmp_path / "a.csv"), "no rows|[Ee]mpty")


def test_empty_file(cache, tmp_path):
    path = tmp_path / "a.csv"
    path.touch()
    fails(path, "header")


def test_what_a_killed_conversion_left_is_not_used(cache, good):
    """The folder of an unfinished conversion is thrown away, whatever it holds."""
    complete = prepare(good)
    unfinished = complete.home.with_name(f".{complete.home.name}.unfinished")
    complete.home.rename(unfinished)
    (unfinished / "X.float32").write_bytes(b"half")
    assert prepare(good).covariates(np.arange(ROWS)).shape == (ROWS, 12)
    assert not unfinished.exists()


@pytest.mark.parametrize("name", ["X.float32", "treatment.int8", "visit.int8", "about.json"])
def test_preparation_cut_by_a_full_disk_or_power_loss_is_made_again(cache, good, name):
    home = prepare(good).home
    (home / name).write_bytes((home / name).read_bytes()[:100])
    prepared = prepare(good)
    assert prepared.covariates(np.arange(ROWS)).shape == (ROWS, 12)
    assert len(prepared.treatment) == len(prepared.visit) == ROWS


def test_two_processes_convert_once(cache, good):
    script = (
        "import sys; from pathlib import Path; from datasets.criteo_arrays import prepare;"
        "print(prepare(Path(sys.argv[1])).statistics.rows)"
    )
    command = [sys.executable, "-c", script, str(good)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].strip() for process in processes] == ["3000"] * 2
    assert len(list(_preparations().glob("good*"))) == 1


def test_generator_is_deterministic_and_grows_by_appending(tmp_path, good):
    again = criteo_synthetic.write(tmp_path / "again.csv.gz", ROWS)
    assert again.read_bytes() == good.read_bytes()
    longer = gzip.decompress(criteo_synthetic.write(tmp_path / "b.csv.gz", ROWS + 50).read_bytes())
    assert longer.startswith(gzip.decompress(good.read_bytes()))
    other = criteo_synthetic.write(tmp_path / "c.csv.gz", ROWS, seed=1)
    assert other.read_bytes() != good.read_bytes()


def test_generator_refuses_no_rows(tmp_path):
    with pytest.raises(ValueError, match="rows is 0"):
        criteo_synthetic.write(tmp_path / "a.csv.gz", 0)
