"""`python -m datasets fetch` and `synthetic` as a user runs them, without a network."""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

import datasets
from datasets.__main__ import main
from datasets.files import DataFile

CONTENT = b"some data"


@pytest.fixture(autouse=True)
def restore_environment(monkeypatch):
    """--data-dir sets UPLIFT_DATA for the rest of the process: here, of the test."""
    monkeypatch.setenv("UPLIFT_DATA", "")


@pytest.fixture
def one_file(cache, monkeypatch):
    """Let insurance need one small file from a mirror that is not there."""
    file = DataFile(
        "small.bin",
        "insurance",
        sha256=(hashlib.sha256(CONTENT).hexdigest(),),
        urls=("http://127.0.0.1:9/small.bin",),
    )
    monkeypatch.setattr(datasets.source("insurance"), "files", lambda **_: (file,), raising=False)
    return file


def test_present_file_is_verified_without_a_network(one_file, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / one_file.name).write_bytes(CONTENT)
    main(["fetch", "insurance", "--data-dir", str(tmp_path / "mine")])
    assert capsys.readouterr().out.endswith(f"{tmp_path / 'mine' / one_file.name}: verified\n")


def test_licence_and_citation_are_shown_once(one_file, cache, capsys):
    (cache / "insurance").mkdir(parents=True)
    (cache / "insurance" / one_file.name).write_bytes(CONTENT)
    main(["fetch", "insurance"])
    first = capsys.readouterr().out
    assert "GPL (>= 3)" in first
    assert "Larsen, K. (2016)" in first
    main(["fetch", "insurance"])
    assert "Larsen" not in capsys.readouterr().out


def test_offline_error_says_where_to_put_the_file(one_file, cache):
    with pytest.raises(SystemExit) as caught:
        main(["fetch", "insurance"])
    for part in (one_file.name, one_file.sha256[0], str(cache / "insurance"), one_file.urls[0]):
        assert part in str(caught.value)


def test_wrong_file_is_refused(one_file, cache):
    (cache / "insurance").mkdir(parents=True)
    (cache / "insurance" / one_file.name).write_bytes(b"other data")
    with pytest.raises(SystemExit, match=r"small\.bin is damaged or another file"):
        main(["fetch", "insurance"])


def test_unknown_name(capsys):
    with pytest.raises(SystemExit):
        main(["fetch", "scenario4"])
    assert "charity" in capsys.readouterr().err


def test_synthetic_file_in_a_new_directory(cache, tmp_path, capsys):
    main(["synthetic", "--rows", "500", "--data-dir", str(tmp_path / "new")])
    path = tmp_path / "new" / "criteo" / "criteo-synthetic.csv.gz"
    assert capsys.readouterr().out == f"{path}: 500 synthetic rows\n"
    assert len(datasets.load("criteo-synthetic", size="full", balance=False).train) == 200


def test_synthetic_without_rows(cache):
    with pytest.raises(SystemExit, match="rows is -5; it must be at least 1"):
        main(["synthetic", "--rows", "-5"])


def test_fetch_as_a_process(cache):
    """The command itself, behind a proxy that nobody runs: no request leaves the machine."""
    shutil.rmtree(cache, ignore_errors=True)
    environment = {
        **os.environ,
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, "-m", "datasets", "fetch", "charity"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: charitable.rda could not be downloaded:\n")
    assert "Traceback" not in done.stderr
    assert not list(cache.rglob("charitable.rda*"))
