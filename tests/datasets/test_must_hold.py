"""What must hold of data under attack; the numbers are those of the list of attacks."""

import hashlib
import io
import json
import time
import warnings

import numpy as np
import pytest

import datasets
from datasets import criteo_synthetic, download
from datasets.criteo_arrays import Prepared, find_prepared, prepare
from datasets.files import DataFile, DataFileError


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    return criteo_synthetic.write(tmp_path_factory.mktemp("criteo") / "made.csv.gz", 500)


DAMAGES = {
    "not a finite number": ("X.float32", np.float32(np.nan), "not finite"),
    "another number": ("X.float32", np.float32(1.25), "differs from its checksum"),
    "no label": ("visit.int8", np.int8(7), "the label 7, not 0 or 1"),
    "a negative label": ("treatment.int8", np.int8(-1), "the label -1, not 0 or 1"),
}


@pytest.mark.parametrize(
    ("damage", "fitting_checksum"),
    [*((damage, False) for damage in DAMAGES), ("no label", True), ("not a finite number", True)],
)
def test_row_34_prepared_criteo_arrays_are_verified(cache, csv, damage, fitting_checksum):
    name, value, message = DAMAGES[damage]
    prepared = prepare(csv, sha256="of the file")
    kept = prepared.covariates(np.arange(500)), prepared.visit.copy(), prepared.treatment.copy()
    array = np.fromfile(prepared.home / name, value.dtype)
    array[321] = value
    array.tofile(prepared.home / name)
    if fitting_checksum:
        about = json.loads((prepared.home / "about.json").read_text())
        about.setdefault("checksums", {})[name] = hashlib.sha256(array.tobytes()).hexdigest()
        (prepared.home / "about.json").write_text(json.dumps(about))

    with pytest.warns(UserWarning, match=f"{name} .*{message}"):
        assert find_prepared(("of the file",)) is None
    with pytest.warns(UserWarning, match=f"{name} .*{message}"):
        again = prepare(csv, sha256="of the file")  # made again from the file
    for expected, found in zip(
        kept, (again.covariates(np.arange(500)), again.visit, again.treatment), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    with warnings.catch_warnings(action="error"):
        assert Prepared.open(again.home).home == again.home


def test_row_34_arrays_without_checksums_are_made_again(cache, csv):
    home = prepare(csv).home
    about = json.loads((home / "about.json").read_text())
    about.pop("checksums", None)
    (home / "about.json").write_text(json.dumps(about))
    assert Prepared.open(home) is None
    assert "checksums" in json.loads((prepare(csv).home / "about.json").read_text())


def test_row_35_a_wrong_uplift_data_is_one_sentence(monkeypatch):
    monkeypatch.setenv("UPLIFT_DATA", "/nonexistent")
    with pytest.raises(ValueError, match="UPLIFT_DATA is /nonexistent, which is not a directory"):
        datasets.source("hillstrom").available()
    assert datasets.source("scenario4").available() is None


class Endless(io.RawIOBase):
    """A server that would send for ever: `size` bytes at a time, with a pause."""

    status, headers = 200, {}

    def __init__(self, size: int, pause: float = 0.0) -> None:
        self.size, self.pause, self.reads = size, pause, 0

    def read1(self, _count: int) -> bytes:
        self.reads += 1
        assert self.reads < 200, "the download should have stopped long ago"
        time.sleep(self.pause)
        return bytes(self.size)

    read = read1


@pytest.mark.parametrize(
    ("server", "message"),
    [(Endless(1 << 16), "more than the expected"), (Endless(1, 0.01), "bytes per second")],
)
def test_row_36_a_download_stops_at_its_size_and_in_time(server, message, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "urlopen", lambda request, timeout: server)
    monkeypatch.setattr(download, "GRACE", 0.1, raising=False)
    file = DataFile("a.csv", "a", sha256=("0",), size=100_000, urls=("http://x",))
    with pytest.raises(DataFileError, match=message):
        download.download(file, tmp_path, pause=0)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 100_000
