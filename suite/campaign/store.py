"""Results of units on disk: one file each, written whole or not at all, never changed."""

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Result:
    """What a unit gave: arrays and plain values, or the error it ended with."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""


class Store:
    """A folder of results of one question: one file of data, one set of options."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> Result | None:
        """The result of `key`; None if there is none, or its file is damaged."""
        path = self._path(key)
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                arrays = {name: file[name] for name in file.files if name != "about"}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        if about["key"] != key:
            return None
        return Result(arrays, about["values"], about["seconds"], about["error"])

    def put(self, key: str, result: Result) -> None:
        """Keep `result`; it is on the disk when this returns."""
        about = {
            "key": key,
            "values": result.values,
            "seconds": result.seconds,
            "error": result.error,
        }
        path = self._path(key)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        with partial.open("wb") as file:
            np.savez(file, about=np.array(json.dumps(about)), **result.arrays)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / f"{sha256(key.encode()).hexdigest()[:20]}.npz"


def packed(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """`value` as JSON, its arrays and bytes moved to `arrays` and named in their place."""
    if isinstance(value, bytes | np.ndarray):
        name = f"part{len(arrays)}"
        arrays[name] = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
        return {"$bytes" if isinstance(value, bytes) else "$array": name}
    if isinstance(value, dict):
        return {key: packed(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [packed(item, arrays) for item in value]
    return value


def unpacked(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """What `packed` made."""
    if isinstance(value, list):
        return [unpacked(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "$array" in value:
        return arrays[value["$array"]]
    if "$bytes" in value:
        return arrays[value["$bytes"]].tobytes()
    return {key: unpacked(item, arrays) for key, item in value.items()}
