"""One cell, from data to record fields, inside a worker process."""

import contextlib
import ctypes
import gc
import json
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import baselines
import datasets
from baselines.contract import Method
from suite import measures
from suite.compute import environment
from suite.plan.digest import code_digest, module_file

ERROR_LINES = 15


@dataclass(frozen=True)
class MethodFile:
    """A user's own method file: its path, and its text for machines that do not have the path."""

    path: str
    text: str

    def load(self) -> list[type[Method]]:
        """Its methods."""
        return baselines.load_file(self.present())

    def present(self) -> Path:
        """A file with this text: the user's own where it is here and unchanged, else a copy."""
        path = Path(self.path)
        if path.is_file() and path.read_text() == self.text:
            return path
        copy = Path(tempfile.mkdtemp(prefix="suite-method-")) / path.name
        copy.write_text(self.text)
        return copy


@dataclass(frozen=True)
class Task:
    """What a worker needs to compute one cell."""

    key: str
    method: str
    source: str
    options: dict[str, Any]
    replicate: int
    seed: int
    quick: bool
    digest: str
    file: MethodFile | None = None
    upstream: dict[str, Any] | None = None


@dataclass(frozen=True)
class Outcome:
    """What comes back: fields of the record, and the predicted uplift of the test rows."""

    fields: dict[str, Any]
    predictions: NDArray[np.float64] | None = None


def compute(task: Task, begun: Callable[[], None] = lambda: None) -> Outcome:
    """Run one cell. Whatever goes wrong is an outcome, never an exception.

    `begun` is called between importing the method, which may take seconds, and running it.
    """
    start = time.perf_counter()
    try:
        return _compute(task, begun)
    except Exception as error:
        lines = "".join(traceback.format_exception(error)).strip().splitlines()
        return failure("\n".join(lines[-ERROR_LINES:]), time.perf_counter() - start)


def failure(error: str, seconds: float) -> Outcome:
    """The outcome of a cell that gave no number."""
    return Outcome(
        {
            "status": "failed",
            "error": environment.without_machine_paths(error),
            "seconds": {"failed": seconds},
            "peak_memory_mb": None,
            "versions": environment.versions(),
            "cpu": environment.cpu_model(),
        }
    )


def _compute(task: Task, begun: Callable[[], None]) -> Outcome:
    method_class = find_method(task.method, task.file)
    if missing := method_class.missing():
        raise RuntimeError(f"{task.method} is not installed: pip install {' '.join(missing)}")
    if cell_digest(method_class, task.source, task.file) != task.digest:
        raise RuntimeError(
            f"the code of {task.method} is not the code that the run was planned with; start the "
            "run again (a long run is safe from edits in a git worktree of its own)"
        )
    begun()
    data = datasets.load(task.source, replicate=task.replicate, **task.options)
    method = method_class(threads=1, quick=task.quick, upstream_result=task.upstream)
    _start_memory_peak()
    cpu_start = time.process_time()
    method.fit(data.train, data.valid, task.seed)
    start = time.perf_counter()
    predicted = method.predict_rows(data.test)
    predict_seconds = time.perf_counter() - start
    cpu_seconds = time.process_time() - cpu_start
    bins, curve = measures.bin_table(data.test, predicted)
    fields = plain(
        {
            "status": "ok",
            "train": asdict(measures.score(data.train, method.predict_rows(data.train))),
            "valid": asdict(measures.score(data.valid, method.predict_rows(data.valid))),
            "test": asdict(measures.score(data.test, predicted)),
            "truth": _maybe(measures.truth(data.test, predicted)),
            "m_hat": method.n_active_nodes_,
            "m": method.n_nodes_,
            "updates": method.n_updates_,
            "settings": method.settings_,
            "candidates": method.n_candidates_,
            "bins": bins,
            "curve": curve,
            "sensitivity": {
                convention: {bins: asdict(value) for bins, value in by_bins.items()}
                for convention, by_bins in measures.sensitivity(data.test, predicted).items()
            },
            "rows": {part: len(getattr(data, part)) for part in ("train", "valid", "test")},
            "p": data.train.X.shape[1],
            "note": data.note,
            "warnings": list(method.warnings_)[:ERROR_LINES],
            "seconds": method.seconds_ | {"predict": predict_seconds},
            "cpu_seconds": cpu_seconds,
            "peak_memory_mb": _memory_peak(),
            "versions": environment.versions(),
            "cpu": environment.cpu_model(),
        }
    )
    return Outcome(fields, predicted)


def find_method(name: str, file: MethodFile | None) -> type[Method]:
    """The class of a registered method, or of one in a user's own file."""
    if file is None:
        return baselines.method(name)
    return {cls.name: cls for cls in file.load()}[name]


def cell_digest(method_class: type[Method], source: str, file: MethodFile | None) -> str:
    """The digest of the code that decides a cell's number: method, data and measures."""
    method_path = file.present() if file else module_file(method_class.__module__)
    data_path = module_file(type(datasets.source(source)).__module__)
    parts = (method_path, data_path, measures.__file__)
    return "-".join(code_digest(path)[:12] for path in parts)


def plain(value: Any) -> Any:
    """`value` as JSON gives it back, so that a result is the same from memory and from a record."""

    def convert(item: Any) -> Any:
        if isinstance(item, np.generic):
            return item.item()
        return item.tolist() if isinstance(item, np.ndarray) else str(item)

    # What is not finite has no place in JSON, and comes back as text.
    return json.loads(json.dumps(value, default=convert), parse_constant=str)


def _maybe(value: Any) -> dict[str, Any] | None:
    return None if value is None else asdict(value)


def _start_memory_peak() -> None:
    """Forget the peak of earlier cells of this process (Linux; elsewhere the peak is for life)."""
    gc.collect()
    # Not every C library and not every container offers the two.
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _memory_peak() -> float:
    """The peak of resident memory since `_start_memory_peak`, in MB."""
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    scale = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
