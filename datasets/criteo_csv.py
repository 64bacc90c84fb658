"""CRITEO's csv, read in pieces of bounded size and checked row by row."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from datasets.files import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa

FEATURES = tuple(f"f{j}" for j in range(12))
LABELS = ("treatment", "conversion", "visit", "exposure")
COLUMNS = (*FEATURES, *LABELS)

GROUP = 1 << 18  # rows of a piece, and of a Parquet row group
_BLOCK = 1 << 20  # bytes of csv parsed at once; several blocks are read ahead

_REMEDY = "the file is damaged or another one: delete it and get it again"


def schema() -> "pa.Schema":
    """The columns as they are kept: float32 covariates, int8 labels."""
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, pa.float32()) for name in FEATURES]
        + [pa.field(name, pa.int8()) for name in LABELS]
    )


def read_csv(
    path: Path, advance: Callable[[int], None]
) -> "Iterator[tuple[pa.Table, NDArray[np.float32], dict[str, NDArray[np.int8]]]]":
    """The rows of a csv or csv.gz, `GROUP` at a time: the table, its covariates, its labels.

    `advance` is told how many bytes of the file were read. A file without rows is an error.
    """
    rows = 0
    for table in _groups(_batches(path, schema(), advance)):
        yield table, *_checked(table, path, rows)
        rows += len(table)
    if rows == 0:
        raise DataFileError(f"{path} has a header but no rows; {_REMEDY}")


def _batches(
    path: Path, schema: "pa.Schema", advance: Callable[[int], None]
) -> "Iterator[pa.RecordBatch]":
    """Parsed pieces of the csv; every fault of the file becomes an error that names it."""
    import pyarrow as pa
    from pyarrow import csv

    with _opened(path) as (raw, text):
        try:
            line = text.readline().decode(errors="replace")
            header = [name.strip(' "') for name in line.strip().split(",")]
            _check_header(header, path)
            reader = csv.open_csv(
                text,
                csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=header),
                convert_options=csv.ConvertOptions(
                    column_types={field.name: field.type for field in schema},
                    include_columns=schema.names,
                ),
            )
            seen = 0
            for batch in reader:
                advance(raw.tell() - seen)
                seen = raw.tell()
                yield batch
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataFileError(
                f"{path} is a truncated or damaged gzip ({error}); {_REMEDY}"
            ) from None
        except pa.ArrowInvalid as error:
            raise DataFileError(f"{path} is not valid csv: {error}; {_REMEDY}") from None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file as it is on disk (for the progress bar), and its text."""
    with path.open("rb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw) as text:
                yield raw, text  # type: ignore[misc]
        else:
            yield raw, raw


def _check_header(header: list[str], path: Path) -> None:
    missing = [name for name in COLUMNS if name not in header]
    unknown = [name for name in header if name not in COLUMNS]
    if missing or unknown or len(header) != len(COLUMNS):
        found = f"lacks {', '.join(missing)}" if missing else "has columns that do not belong"
        other = f" and has {', '.join(name[:20] for name in unknown[:16])}" if unknown else ""
        raise DataFileError(
            f"the header of {path} {found}{other}; it must be {','.join(COLUMNS)}; {_REMEDY}"
        )


def _groups(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.Table]":
    """Batches joined into tables of about one row group."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= GROUP:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _checked(
    table: "pa.Table", path: Path, rows_before: int
) -> tuple[NDArray[np.float32], dict[str, NDArray[np.int8]]]:
    """Covariates and labels as arrays; a value that is missing or impossible is an error."""

    def fail(name: str, row: int, what: str) -> None:
        line = rows_before + row + 2  # counted from 1, after the header
        raise DataFileError(f"{path}, line {line}: {name} is {what}; {_REMEDY}")

    for name in COLUMNS:
        column = table[name]
        if column.null_count:
            fail(name, int(np.argmax(column.is_null().to_numpy())), "missing (empty or NaN)")
    X = np.empty((len(table), len(FEATURES)), np.float32)
    for j, name in enumerate(FEATURES):
        X[:, j] = table[name].to_numpy()
        if not np.isfinite(X[:, j]).all():
            row = int(np.argmin(np.isfinite(X[:, j])))
            fail(name, row, f"{X[row, j]}, not finite")
    labels = {name: table[name].to_numpy() for name in LABELS}
    for name, values in labels.items():
        wrong = (values != 0) & (values != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            fail(name, row, f"{values[row]}, not 0 or 1")
    return X, labels
