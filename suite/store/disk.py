"""Bytes on disk: all of a thing or nothing of it, and errors that say what to do."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from suite.names import UserError


class StoreError(Exception):
    """The disk does not take a record; whatever was written before is intact."""


def append_line(path: Path, line: bytes) -> None:
    """All of the line or nothing of it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, line)
            if written < len(line):  # the disk filled up in the middle
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Disk errors as one sentence that says what to do."""
    try:
        yield
    except OSError as error:
        remedy = {
            errno.ENOSPC: "the disk is full: free some space",
            errno.EDQUOT: "the disk quota is used up: free some space",
            errno.EROFS: "the file system is read-only",
            errno.EACCES: "no permission to write there",
            errno.EPERM: "no permission to write there",
        }.get(error.errno, os.strerror(error.errno or 0) or str(error))
        raise StoreError(
            f"cannot write {path}: {remedy}, or choose another place with --store DIR; "
            "records written before are intact, and the same command goes on from them"
        ) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when it is complete, and not before."""
    half = path.with_suffix(".half")
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with half.open("wb") as file:
                yield file
            half.replace(path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a .npz file, none where there is no file; a damaged one is named."""
    if not path.is_file():
        return {}
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise UserError(
            f"{path} is damaged ({error}); move it away, and run its cells again into a new store"
        ) from None
