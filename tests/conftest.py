"""Folders that not everyone has: tests that need one skip, and say how to provide it."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    """Predictions of the R packages: $UPLIFT_REFERENCE, else ../shared/reference."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "reference"
    folder = Path(os.environ.get("UPLIFT_REFERENCE", beside))
    if not folder.is_dir():
        pytest.skip(f"no reference predictions at {folder}; set UPLIFT_REFERENCE to their folder")
    return folder
