"""Running asv in the present environment, and reading the numbers it stored.

asv stores the results of an environment it did not build only under a commit that is given to
it, and writes neither versions nor a name that means anything elsewhere: both are added here.
"""

import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from suite.compute import environment
from suite.names import UserError
from suite.plan.digest import ROOT

CONFIG = Path(__file__).with_name("asv.conf.json")
# Fewer numbers than this from a whole run mean that benchmarks were lost on the way.
AT_LEAST = 40


@dataclass(frozen=True)
class Number:
    """One benchmark with one set of parameters."""

    name: str  # such as trainer.Epoch.time_epoch(m = 512, 8)
    value: float | None  # None: it failed
    unit: str  # seconds, bytes or what the benchmark says


def configured(key: str) -> Path:
    """A folder of asv's configuration."""
    return (CONFIG.parent / json.loads(CONFIG.read_text())[key]).resolve()


def machine_name() -> str:
    """What tells the results of different processors apart."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", environment.cpu_model()).strip("-")
    return f"{slug}-{os.cpu_count()}-cpu"


def run(results: Path, *, code: Path = ROOT, pattern: str | None = None) -> list[Number]:
    """Measure the packages in the folder `code` with the benchmarks of this one.

    Raw results go to the folder `results`. Raises where a benchmark that should have run did not.
    """
    described = ["--machine", machine_name(), "--os", platform.system()]
    asv(["machine", "--yes", *described], results, quiet=True)
    chosen = ["--bench", pattern] if pattern else []
    arguments = ["run", "--set-commit-hash", head_commit(), "--machine", machine_name(), *chosen]
    status = asv(
        [*arguments, "--environment", "existing:same", "--show-stderr"], results, code=code
    )
    if not (results / "benchmarks.json").is_file():
        raise UserError(f"asv could not read the benchmarks (status {status}); it says why above")
    if not raw_result(results):
        raise UserError(f"no benchmark matches {pattern!r}; leave --bench away to see their names")
    numbers = read(results, pattern)
    if pattern is None and len(numbers) < AT_LEAST:
        raise UserError(f"asv ran {len(numbers)} benchmarks; there should be {AT_LEAST} and more")
    return numbers


def asv(arguments: list[str], results: Path, *, code: Path = ROOT, quiet: bool = False) -> int:
    """One asv command that keeps its results in the folder `results`; returns its status."""
    config = json.loads(CONFIG.read_text())
    config |= {key: str(configured(key)) for key in ("benchmark_dir", "html_dir", "env_dir")}
    config |= {"repo": str(ROOT), "results_dir": str(results)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "asv.conf.json")
        path.write_text(json.dumps(config))
        return subprocess.run(
            [sys.executable, "-m", "asv", *arguments, "--config", str(path)],
            # Before the installed packages, which may be those of another folder.
            env=os.environ | environment.ONE_THREAD | {"ASV_PYTHONPATH": str(code)},
            cwd=folder,
            stdout=subprocess.DEVNULL if quiet else None,
            stderr=subprocess.DEVNULL if quiet else None,
        ).returncode


def check() -> int:
    """`asv check`: whether every benchmark can be imported and has the form asv wants."""
    with tempfile.TemporaryDirectory() as folder:
        return asv(["check", "--environment", "existing:same"], Path(folder))


def head_commit() -> str:
    """The commit of the code here."""
    commit, _ = environment.git_state()
    if commit is None:
        raise UserError(f"{ROOT} is not a git checkout; asv files its results by commit")
    return commit


def raw_result(results: Path) -> Path | None:
    """The file of the one run in the folder `results`."""
    files = [f for f in results.glob("*/*.json") if f.name != "machine.json"]
    return files[0] if files else None


def read(results: Path, pattern: str | None = None) -> list[Number]:
    """Every number that the one run in the folder `results` should have given, failed or not."""
    known = json.loads((results / "benchmarks.json").read_text())
    stored = json.loads(raw_result(results).read_text())
    column = stored["result_columns"].index("result")
    found = []
    for name in sorted(set(known) - {"version"}):
        combinations = list(product(*known[name]["params"]))
        values = stored["results"].get(name, [None])[column] or [None] * len(combinations)
        for parameters, value in zip(combinations, values, strict=True):
            label = f"{name}({', '.join(parameters)})" if parameters else name
            if pattern is None or re.search(pattern, label):  # as asv chooses
                good = isinstance(value, int | float) and math.isfinite(value)
                shown = label.replace("'", "")
                found.append(Number(shown, value if good else None, known[name]["unit"]))
    return found


def record(results: Path) -> Path:
    """Add the run in the folder `results` to those kept for every commit; returns its file."""
    stored: dict[str, Any] = json.loads(raw_result(results).read_text())
    versions = environment.versions()
    stored["env_name"], stored["python"] = "existing", versions["python"]
    stored["requirements"] = {name: v for name, v in versions.items() if name != "python"}
    stored["params"] |= versions
    kept = configured("results_dir")
    path = kept / machine_name() / f"{stored['commit_hash'][:8]}-existing.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(stored, indent=1) + "\n")
    for name in ("benchmarks.json", f"{machine_name()}/machine.json"):
        (kept / name).write_text((results / name).read_text())
    return path
