"""What must hold of data under attack; the numbers are those of the list of attacks."""

import io
import time

import pytest

import datasets
from datasets import download
from datasets.files import DataFile, DataFileError


def test_row_35_a_wrong_uplift_data_is_one_sentence(monkeypatch):
    monkeypatch.setenv("UPLIFT_DATA", "/nonexistent")
    with pytest.raises(ValueError, match="UPLIFT_DATA is /nonexistent, which is not a directory"):
        datasets.source("hillstrom").available()
    assert datasets.source("scenario4").available() is None


class Endless(io.RawIOBase):
    """A server that sends for ever: `size` bytes at a time, with a pause."""

    status, headers = 200, {}

    def __init__(self, size: int, pause: float = 0.0) -> None:
        self.size, self.pause = size, pause

    def read1(self, _count: int) -> bytes:
        time.sleep(self.pause)
        return bytes(self.size)

    read = read1


@pytest.mark.parametrize(
    ("server", "message"),
    [(Endless(1 << 16), "more than the expected"), (Endless(1, 0.01), "bytes per second")],
)
def test_row_36_a_download_stops_at_its_size_and_in_time(server, message, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "urlopen", lambda request, timeout: server)
    monkeypatch.setattr(download, "GRACE", 0.1)
    file = DataFile("a.csv", "a", sha256=("0",), size=100_000, urls=("http://x",))
    with pytest.raises(DataFileError, match=message):
        download.download(file, tmp_path, pause=0)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 100_000
