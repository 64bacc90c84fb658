"""Directories for tests of data files: an empty cache, or the real data where they are at hand."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory, and no UPLIFT_DATA."""
    monkeypatch.delenv("UPLIFT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return tmp_path / "xdg" / "twin-uplift-suite"


@pytest.fixture
def real_data(tmp_path_factory, monkeypatch):
    """The directory of real files: UPLIFT_DATA, or `shared/data` beside the project."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    directory = Path(os.environ.get("UPLIFT_DATA") or beside)
    if not directory.is_dir():
        pytest.skip("real data not at hand: set UPLIFT_DATA to their directory (docs/data.md)")
    monkeypatch.setenv("UPLIFT_DATA", str(directory))
    # One cache for all tests of a session: what a large file is converted to is found again.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "real-data-cache"))
    return directory
