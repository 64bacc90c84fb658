"""The process in which a method runs: one cell, then it is gone."""

import contextlib
import ctypes
import gc
import resource
import socket
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import baselines
from baselines.contract import Method
from datasets.contract import Dataset
from suite.compute import messages
from suite.compute.cell import PARTS, fit_and_predict
from suite.compute.readings import read_off
from suite.compute.serve import Answer, serve
from suite.plan.cell import OwnFile, Planned
from suite.plan.methods import methods_in
from twin.rows import Rows


def main(connection: socket.socket) -> None:
    """Receive a cell and its rows, answer with predictions."""
    serve(connection, _compute)


def _compute(header: Mapping[str, Any], arrays: messages.Arrays) -> Answer:
    planned = Planned.of_message(header["planned"])
    method_class = find_method(planned)
    if missing := method_class.missing():
        raise RuntimeError(f"{planned.method} is not installed: pip install {' '.join(missing)}")
    data = unpacked(header["data"], arrays)
    made: list[Method] = []

    def make(**options: Any) -> Method:
        made.append(method_class(**options))
        return made[0]

    _start_memory_peak()
    fitted, predicted = fit_and_predict(
        make,
        data,
        seed=planned.cell.seed,
        quick=planned.cell.quick,
        upstream=header["upstream"],
        reads_truth=planned.code.reads_truth,
    )
    facts, readings = read_off(made[0], data.test.X)
    answer = {"fitted": asdict(fitted), "facts": facts, "peak_memory_mb": _memory_peak()}
    return answer, {**predicted, **readings}


def find_method(planned: Planned) -> type[Method]:
    """The class of a method: of `baselines`, of an experiment's module, or of a user's own file."""
    if planned.code.module:
        return methods_in(planned.code.module)[planned.method]
    if planned.code.file is None:
        return baselines.method(planned.method)
    path = present(planned.code.file)
    sys.path.insert(0, str(path.parent))  # its neighbours
    return {cls.name: cls for cls in baselines.load_file(path)}[planned.method]


def present(file: OwnFile) -> Path:
    """A user's own file as it was planned: itself where it is unchanged, else a copy."""
    path = Path(file.path)
    if file.matches():
        return path
    folder = Path(tempfile.mkdtemp(prefix="suite-own-"))
    for name, text in file.texts.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text.encode("latin-1"))
    return folder / path.name


def packed_data(data: Dataset) -> tuple[dict[str, Any], dict[str, Any]]:
    """A data set as header and arrays of a message."""
    arrays = {}
    for part in PARTS:
        rows = getattr(data, part)
        arrays |= {f"{part}.X": rows.X, f"{part}.y": rows.y, f"{part}.treatment": rows.treatment}
        if rows.true_uplift is not None:
            arrays[f"{part}.true_uplift"] = rows.true_uplift
    header = {
        "name": data.name,
        "replicate": data.replicate,
        "names": list(data.train.names),
        "propensity": {part: getattr(data, part).propensity for part in PARTS},
        "note": data.note,
    }
    return header, arrays


def unpacked(header: Mapping[str, Any], arrays: messages.Arrays) -> Dataset:
    """The data set of a message."""

    def rows(part: str) -> Rows:
        return Rows(
            arrays[f"{part}.X"],
            arrays[f"{part}.y"],
            arrays[f"{part}.treatment"],
            tuple(header["names"]),
            arrays.get(f"{part}.true_uplift"),
            header["propensity"][part],
        )

    parts = {part: rows(part) for part in PARTS}
    return Dataset(header["name"], header["replicate"], **parts, note=header["note"])


def _start_memory_peak() -> None:
    """Forget the peak of starting up (Linux; elsewhere the peak is for life)."""
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
