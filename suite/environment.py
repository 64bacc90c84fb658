"""What a record says about where its number comes from: commit, versions, CPU."""

import platform
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from suite.digest import PACKAGES, ROOT

# The distributions that can move a number.
DISTRIBUTIONS = (
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "xgboost",
    "econml",
    "causalml",
    "numba",
)

# One thread a cell: these must be set before a numerical library is imported.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}


def git_state() -> tuple[str | None, bool | None]:
    """The commit, and whether code differs from it; (None, None) outside a git checkout."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None, None
    changes = _git("status", "--porcelain", "--", *PACKAGES, "pyproject.toml")
    return commit, bool(changes)


@cache
def versions() -> dict[str, str]:
    """Python and the installed distributions that can move a number."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


@cache
def cpu_model() -> str:
    """The processor's name."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.machine()


def without_machine_paths(text: str) -> str:
    """Tracebacks go into published records: files are named from the project or the library on."""
    text = text.replace(f"{ROOT}/", "")
    return re.sub(rf"{re.escape(sys.prefix)}/lib/python[\d.]+/(site-packages/)?", "", text)


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
