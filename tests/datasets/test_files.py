"""Where files are looked for, and what is said when they are not there or not right."""

import hashlib
import os
import subprocess
import sys

import pytest

import datasets
from datasets.files import DataFile, DataFileError, cache_directory, find, find_checked

FILE = DataFile("a.csv", "folder", sha256=(hashlib.sha256(b"right").hexdigest(),))


def put(place, content=b"right", name="a.csv"):
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)
    return place / name


def test_given_directory_comes_before_the_cache(cache, tmp_path, monkeypatch):
    in_cache = put(cache / "folder")
    assert find(FILE) == in_cache
    at_top = put(tmp_path / "given")
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path / "given"))
    assert find(FILE) == at_top
    in_folder = put(tmp_path / "given" / "folder")
    assert find(FILE) == in_folder


def test_cache_is_searched_behind_a_read_only_directory(cache, tmp_path, monkeypatch):
    in_cache = put(cache / "folder")
    given = tmp_path / "given"
    given.mkdir()
    given.chmod(0o555)
    monkeypatch.setenv("UPLIFT_DATA", str(given))
    assert cache_directory() == cache
    assert find(FILE) == in_cache


def test_writable_given_directory_is_the_cache(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path))
    assert cache_directory() == tmp_path


def test_cache_defaults_to_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.delenv("UPLIFT_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "twin-uplift-suite"


def test_directory_that_does_not_exist(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataFileError, match=r"UPLIFT_DATA is .*nowhere, which is not a directory"):
        find(FILE)


def test_wrong_checksum_names_the_file(cache):
    path = put(cache / "folder", b"wrong")
    with pytest.raises(DataFileError) as caught:
        find_checked(FILE)
    for part in (str(path), FILE.sha256[0], hashlib.sha256(b"wrong").hexdigest(), "delete it"):
        assert part in str(caught.value)


def test_other_name_of_the_same_file(cache):
    path = put(cache, name="b.csv")
    assert find_checked(DataFile("a.csv", "folder", FILE.sha256, other_names=("b.csv",))) == path


@pytest.mark.parametrize(
    ("name", "options", "command"),
    [
        ("criteo", {}, "fetch criteo\n"),
        ("criteo", {"size": "sample"}, "fetch criteo --size sample\n"),
        ("criteo", {"size": "union"}, "fetch criteo --size union\n"),
        ("criteo", {"size": "200K"}, "fetch criteo\n"),
        ("insurance", {}, "fetch insurance\n"),
        ("charity", {}, "fetch charity\n"),
        ("hillstrom", {}, "fetch hillstrom\n"),
        ("gotv", {}, "fetch gotv\n"),
        ("starbucks", {}, "fetch starbucks\n"),
    ],
)
def test_missing_data_say_what_to_do(cache, name, options, command):
    with pytest.raises(DataFileError) as caught:
        datasets.load(name, **options)
    message = str(caught.value)
    assert message == datasets.source(name).available(**options)
    assert f"python -m datasets {command}" in message
    assert "UPLIFT_DATA" in message
    assert str(cache) in message
    for file in datasets.source(name).files(**options):
        assert file.name in message
        assert all(digest in message for digest in file.sha256)


def test_synthetic_data_say_how_to_write_them(cache):
    with pytest.raises(DataFileError, match="python -m datasets synthetic --rows"):
        datasets.load("criteo-synthetic")


def test_no_network_for_import_and_listing(cache):
    """A process that may not open any socket imports and lists everything."""
    script = (
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    assert not event.startswith('socket.'), event\n"
        "sys.addaudithook(refuse)\n"
        "import datasets\n"
        "for item in datasets.sources().values():\n"
        "    print(item.name, item.summary, item.available())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert "hillstrom" in done.stdout
