"""What a number was computed with: instructions, threads, versions, processor, commit."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from suite.compute.pinned import CANONICAL_INSTRUCTIONS, DECIDED_HERE, ONE_THREAD, V3_FLAGS
from suite.plan.digest import PACKAGES, ROOT

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


@dataclass(frozen=True)
class Machine:
    """Where and with what a cell was computed."""

    versions: Mapping[str, str]
    cpu: str
    arithmetic: str  # what was really in force: BLAS libraries and kernels, numba, numpy


@cache
def machine() -> Machine:
    """This process's."""
    return Machine(versions(), cpu_model(), arithmetic())


def arithmetic() -> str:
    """The libraries and instruction sets that decide how numbers are rounded here."""
    import llvmlite.binding
    import numba
    import scipy.linalg  # noqa: F401 (it brings a BLAS of its own)
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    from threadpoolctl import threadpool_info

    blas = sorted(
        f"{item['internal_api']} {item['version']} {item.get('architecture', '')}".strip()
        for item in threadpool_info()
        if item["user_api"] == "blas"
    )
    target = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    enabled = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return "; ".join([*blas, f"numba {target}", f"numpy {' '.join(enabled) or 'baseline'}"])


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
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def instructions() -> dict[str, str]:
    """The variables that pin the instruction set; none on a machine below x86-64-v3."""
    return CANONICAL_INSTRUCTIONS if cpu_flags() >= V3_FLAGS else {}


@cache
def cpu_flags() -> frozenset[str]:
    """What the processor says it can do (Linux on x86; nothing elsewhere)."""
    return frozenset(_cpuinfo("flags").split())


def _cpuinfo(field: str) -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    match = re.search(rf"^{field}\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else ""


def of_a_worker(caller: Mapping[str, str]) -> dict[str, str]:
    """The environment of a cell's process: the caller's, less what could move a number."""
    from baselines._neural import TORCH_INSTRUCTIONS  # here: it brings numpy

    kept = {name: value for name, value in caller.items() if not name.startswith(DECIDED_HERE)}
    pinned = instructions()
    return {**kept, **ONE_THREAD, **pinned, **(TORCH_INSTRUCTIONS if pinned else {})}


def without_machine_paths(text: str) -> str:
    """Tracebacks go into published records: files are named from the project or the library on."""
    text = text.replace(f"{ROOT}/", "")
    return re.sub(rf"{re.escape(sys.prefix)}/lib/python[\d.]+/(site-packages/)?", "", text)


def git_environment() -> dict[str, str]:
    """The caller's, less what would send git to another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=ROOT,
            env=git_environment(),
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
