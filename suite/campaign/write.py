"""Scores on their way out: csv, parquet or a folder of parquet, whole or not at all."""

import os
import shutil
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as papq

from suite.campaign.errors import UserError
from suite.campaign.plain import plain

PART = 1_000_000  # rows of a file in a folder


class Writer:
    """Takes tables in order. The target has its name only when all is written.

    `-` is stdout (csv); a name that ends in .parquet is one file; a name that ends in / or has no
    suffix is a folder of parquet files; anything else is csv, packed if the name ends in .gz.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._path = Path(target)
        self._partial = self._path.with_name(f".{self._path.name}.{os.getpid()}.partial")
        self._folder = target != "-" and (target.endswith("/") or not self._path.suffix)
        self._is_csv = not self._folder and self._path.suffix != ".parquet"
        self._stream: pa.NativeFile | None = None  # packs a csv
        self._writer: Any = None
        self._rows_of_part = self._parts = 0
        if target == "-":
            return
        if not self._path.parent.is_dir():
            raise UserError(f"no folder {self._path.parent} for {target}; make it first")
        if self._path.is_dir() and any(self._path.iterdir()):
            raise UserError(f"{target} is a folder with files in it; give another --out")

    def write(self, table: pa.Table) -> None:
        """Append `table`."""
        if self._folder and self._rows_of_part >= PART:
            self._writer.close()
            self._writer, self._rows_of_part = None, 0
        if self._is_csv:  # has no lists and the like
            table = pa.table({name: plain(table[name]) for name in table.column_names})
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)
        self._rows_of_part += table.num_rows

    def _open(self, schema: pa.Schema) -> Any:
        if self._target == "-":
            return pacsv.CSVWriter(pa.PythonFile(sys.stdout.buffer, mode="w"), schema, **_PLAIN)
        if self._folder:
            self._partial.mkdir(exist_ok=True)
            name = self._partial / f"part-{self._parts:05d}.parquet"
            self._parts += 1
            return papq.ParquetWriter(name, schema)
        if not self._is_csv:
            return papq.ParquetWriter(self._partial, schema)
        packing = "gzip" if self._path.suffix == ".gz" else None
        self._stream = pa.output_stream(str(self._partial), compression=packing)
        return pacsv.CSVWriter(self._stream, schema, **_PLAIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            if self._target == "-":
                sys.stdout.buffer.flush()  # the writer's own close would close stdout
            else:
                self._writer.close()
        if self._stream is not None:
            self._stream.close()
        if self._target == "-":
            return
        if kind is None:
            if self._folder and self._path.is_dir():
                self._path.rmdir()  # empty, as checked
            os.replace(self._partial, self._path)
        elif self._partial.is_dir():
            shutil.rmtree(self._partial)
        else:
            self._partial.unlink(missing_ok=True)


_PLAIN = {"write_options": pacsv.WriteOptions(quoting_style="needed")}
