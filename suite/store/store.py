"""Append-only records on disk: `<store>/<experiment folder>/<method>.jsonl`, one line a cell.

One process writes at a time (a lock says which); readers need no lock. A line is on disk before
the next cell is awarded, and a torn last line is dropped by whoever opens the file next.
"""

import contextlib
import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from suite.names import UserError
from suite.records import BrokenRecord, Record

DEFAULT = Path("runs")


class StoreError(Exception):
    """The disk does not take a record; whatever was written before is intact."""


class Store:
    """The records of a run, or the published ones."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)

    def records(self, folder: str) -> list[Record]:
        """The readable records of one experiment, oldest first within a method."""
        found = []
        for path in sorted((self.root / folder).glob("*.jsonl")):
            found.extend(record for _, record in read_lines(path) if isinstance(record, Record))
        return found

    def problems(self) -> list[str]:
        """Every line that is no record, or whose checksum does not match."""
        return [
            f"{path.relative_to(self.root)}, line {number}: {problem}"
            for path in sorted(self.root.glob("*/*.jsonl"))
            for number, problem in read_lines(path)
            if isinstance(problem, BrokenRecord)
        ]

    @contextlib.contextmanager
    def writing(self) -> Iterator["Writer"]:
        """The right to write, held by one process at a time."""
        with _explained(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            lock = (self.root / ".lock").open("a+")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                holder = lock.read().strip() or "another process"
                raise UserError(
                    f"{self.root} is in use by {holder}; wait for it, or give this run a store of "
                    "its own with --store DIR"
                ) from None
            with _explained(self.root):
                lock.truncate(0)
                now = datetime.now(UTC).isoformat(timespec="seconds")
                lock.write(f"process {os.getpid()} on {socket.gethostname()} since {now}")
                lock.flush()
            yield Writer(self.root)
            lock.truncate(0)


class Writer:
    """Appends records. Made by `Store.writing`, which holds the lock."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def mend(self, folder: str) -> list[str]:
        """Cut off last lines that a power cut left torn; says which files it mended."""
        mended = []
        for path in sorted((self.root / folder).glob("*.jsonl")):
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                with _explained(path):
                    os.truncate(path, whole)
                mended.append(f"{path}: dropped a torn last line ({len(content) - whole} bytes)")
        return mended

    def append(self, folder: str, record: Record, predictions: NDArray | None = None) -> None:
        """Keep the predictions, then the record; both are on disk when this returns."""
        path = self.root / folder / f"{record.method}.jsonl"
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if predictions is not None:
                self._keep(predictions_path(self.root, folder, record), predictions)
            _append_line(path, record.line().encode())

    def _keep(self, path: Path, predictions: NDArray) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        try:
            with half.open("wb") as file:
                np.savez_compressed(file, test=predictions)
            half.replace(path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise


def predictions_path(root: Path, folder: str, record: Record) -> Path:
    """Where the predicted uplift of a record's test rows lies (`test` in a .npz file)."""
    name = f"{record.replicate:03d}-{record.key}.npz"
    return root / folder / "predictions" / record.method / name


def read_lines(path: Path) -> Iterator[tuple[int, Record | BrokenRecord]]:
    """The lines of a file with their numbers, each a record or what is wrong with it."""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        try:
            yield number, Record.parse(line)
        except BrokenRecord as problem:
            yield number, problem


def write_records(path: Path, records: list[Record]) -> bool:
    """Replace a whole file of records at once; says whether its content changed."""
    content = "".join(record.line() for record in records)
    if path.is_file() and path.read_text() == content:
        return False
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        half.write_text(content)
        half.replace(path)
    return True


def _append_line(path: Path, line: bytes) -> None:
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
def _explained(path: Path) -> Iterator[None]:
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
