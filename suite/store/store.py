"""Append-only records on disk: `<store>/<column>/<method>.jsonl`, one line for each cell.

One process writes at a time (a lock says which); readers need no lock. A line is on disk before
the next cell is handed out, and a torn last line is dropped by whoever opens the file next.
"""

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from suite.names import FILE_NAME, UserError
from suite.store.check import problems, same_place
from suite.store.disk import append_line, explained, replacing
from suite.store.record import BrokenRecord, Record

DEFAULT = Path("runs")


@dataclass(frozen=True)
class Problem:
    """A line that cannot be trusted, and why."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.reason}"


class Store:
    """The records of a run, or the published ones."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        if os.path.isfile(self.root):
            raise UserError(f"{self.root} is a file; a store is a folder: choose another name")

    def columns(self) -> list[str]:
        """The folders of records."""
        return sorted({path.parent.name for path in self.root.glob("*/*.jsonl")})

    def read(self, column: str) -> tuple[list[Record], list[Problem]]:
        """The records of one column, oldest first within a method, and the lines that are none."""
        records: list[Record] = []
        wrong: list[Problem] = []
        for path in sorted((self.root / column).glob("*.jsonl")):
            for number, found in read_lines(path):
                if isinstance(found, Record):
                    records.append(found)
                else:
                    wrong.append(Problem(path, number, str(found)))
        return records, wrong

    def records(self, column: str) -> list[Record]:
        """The records of one column that can be trusted."""
        return self.read(column)[0]

    @contextlib.contextmanager
    def writing(self) -> Iterator["Writer"]:
        """The right to write, held by one process at a time.

        The folder itself is locked: a lock file could be deleted under its holder.
        """
        with explained(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.root, os.O_RDONLY)
        holder = self.root / ".lock"
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                who = holder.read_text().strip() if holder.is_file() else "another process"
                raise UserError(
                    f"{self.root} is in use by {who}; wait for it, or give this run a store of "
                    "its own with --store DIR"
                ) from None
            with explained(self.root):
                now = datetime.now(UTC).isoformat(timespec="seconds")
                text = f"process {os.getpid()} on {socket.gethostname()} since {now}"
                holder.write_text(text)
            yield Writer(self.root)
            holder.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


class Writer:
    """Appends records. Made by `Store.writing`, which holds the lock."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def mend(self, column: str) -> list[str]:
        """Cut off last lines that a power cut left torn; says which files it mended."""
        mended = []
        for left in (self.root / column).glob("**/*.half"):
            if left.is_file():  # a method may be called so, and has a folder
                with explained(left):
                    left.unlink()
        for path in sorted((self.root / column).glob("*.jsonl")):
            if not path.is_file():
                raise UserError(f"{path} is a folder; a file of records was expected: move it away")
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                with explained(path):
                    os.truncate(path, whole)
                mended.append(f"{path}: dropped a torn last line ({len(content) - whole} bytes)")
        return mended

    def append(self, record: Record, arrays: Mapping[str, NDArray] | None = None) -> None:
        """Keep the predictions, then the record; both are on disk when this returns."""
        for name in (record.cell.column, record.method):
            if not FILE_NAME.fullmatch(name):
                raise UserError(f"{name!r} cannot name a file of a store")
        path = self.root / record.cell.column / f"{record.method}.jsonl"
        if arrays:
            with replacing(predictions_path(self.root, record)) as file:
                np.savez_compressed(file, **arrays)
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            append_line(path, record.line().encode())


def predictions_path(root: Path, record: Record) -> Path:
    """Where the predicted uplift of a record's test rows lies.

    `test` in a .npz file, with `row_numbers` for real data, and with the readings of a probe.
    """
    carried = record.origin.carried
    name = f"{record.replicate:03d}-{carried.key if carried else record.key}.npz"
    return root / record.cell.column / "predictions" / record.method / name


def read_lines(path: Path) -> Iterator[tuple[int, Record | BrokenRecord]]:
    """The lines of a file with their numbers, each a record or what is wrong with it."""
    if not path.is_file():
        yield 0, BrokenRecord("a folder, where a file of records was expected")
        return
    *lines, rest = path.read_bytes().decode(errors="replace").split("\n")
    for number, line in enumerate([*lines, *([rest] if rest else [])], start=1):
        try:
            record = Record.parse(line)
            if reason := same_place(record, path.parent.name, path.stem):
                raise BrokenRecord(reason)
            if reasons := problems(record):
                raise BrokenRecord("; ".join(reasons))
            yield number, record
        except BrokenRecord as problem:
            yield number, problem


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Replace a whole file of records at once; one with this content is left as it is."""
    content = "".join(record.line() for record in records).encode()
    if not path.is_file() or path.read_bytes() != content:
        with replacing(path) as file:
            file.write(content)
