"""Saved models on disk: plain arrays and JSON in an uncompressed .npz file, no pickle.

Reading is strict and bounded: a file is read only as far as its own size accounts for every array,
and everything that is not what `write` writes is one `ValueError`.
"""

import json
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def write(path: str | Path, about: dict[str, Any], arrays: Arrays) -> None:
    """Write a model; an earlier one at `path` stays until the new one is complete."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a directory; give the name of a file, such as {path}/model")
    text = json.dumps(about, default=lambda value: value.tolist())  # numpy's numbers, arrays
    partial = Path(f"{path}.partial")
    try:
        with partial.open("wb") as file:  # a handle, so that numpy appends no suffix
            np.savez(file, about=np.array(text), **arrays)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def read(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """What `write` wrote, or a `ValueError`; the arrays are still to be checked."""
    path = Path(path)
    if not path.exists():
        raise ValueError(f"no saved model at {path}")
    try:
        with ZipFile(path) as file:
            arrays = {
                member.filename.removesuffix(".npy"): _array(file, member)
                for member in file.infolist()
            }
        about = json.loads(str(arrays.pop("about")))
        if not isinstance(about, dict):
            raise TypeError("its description is no JSON object")
    except Exception as error:  # whatever a damaged file provokes in the readers
        raise ValueError(
            f"{path} is not a saved twin model ({type(error).__name__}: {error})"
        ) from None
    return about, arrays


def _array(file: ZipFile, member: Any) -> NDArray[Any]:
    """One array; nothing is allocated that the file does not hold."""
    if member.compress_type != ZIP_STORED:
        raise ValueError(f"{member.filename} is compressed")
    with file.open(member) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"{member.filename} has another format")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        content = stream.read()
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"{member.filename} does not hold the array that it announces")
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C").copy()
