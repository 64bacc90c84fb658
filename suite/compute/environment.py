"""What a record says about where its number comes from: commit, versions, CPU."""

import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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

# x86-64-v3, as the compilers define it: the instructions of every x86 server since 2015.
_V3_FLAGS = frozenset(["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"])
_V3_FEATURES = (
    "64bit avx avx2 bmi bmi2 cmov crc32 cx16 cx8 f16c fma fxsr lzcnt mmx movbe pclmul popcnt rdrnd "
    "sahf sse sse2 sse3 sse4.1 sse4.2 ssse3 xsave"
)

# Which instructions add up a sum decides its last bits, and a search over settings makes
# another choice of them: every cell is computed with those of x86-64-v3, whatever the machine
# could do beyond. These must be set before a numerical library is imported.
CANONICAL_INSTRUCTIONS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in _V3_FEATURES.split()),
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}

# One thread per cell: these must be set before a numerical library is imported.
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


def instructions() -> dict[str, str]:
    """The variables that pin the instruction set; none on a machine below x86-64-v3."""
    return CANONICAL_INSTRUCTIONS if cpu_flags() >= _V3_FLAGS else {}


@cache
def cpu_flags() -> frozenset[str]:
    """What the processor says it can do (Linux on x86; nothing elsewhere)."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    match = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
    return frozenset(match.group(1).split()) if match else frozenset()


def of_a_worker(caller: Mapping[str, str]) -> dict[str, str]:
    """The environment of a cell's process: the caller's, less what could move a number."""
    kept = {name: value for name, value in caller.items() if name not in CANONICAL_INSTRUCTIONS}
    return {**kept, **ONE_THREAD, **instructions()}


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
