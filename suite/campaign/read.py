"""Rows of a file, as text (csv) or as they are stored (parquet): all at once or in pieces."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NoReturn

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.dataset as pads

from suite.campaign.errors import UserError
from suite.campaign.plain import plain_frame
from suite.campaign.sniff import Shape, open_text
from suite.campaign.types import Source

PIECE = 100_000  # rows
_BLOCK = 1 << 20  # bytes of csv parsed at a time; pyarrow reads some thirty of them ahead


def read_all(shape: Shape) -> pa.Table:
    """The whole table; csv cells are text, none is missing yet."""
    try:
        if shape.separator is None:
            table = _dataset(shape).to_table()
        else:
            table = _csv_options(shape, names := header(shape), names).read_all()
    except pa.ArrowException as error:
        _explain(shape, error)
    _check_names(shape, table.column_names)
    if table.num_rows == 0:
        raise UserError(f"{shape.name} has no rows")
    return table


def pieces(
    shape: Shape, columns: Sequence[str] | None = None, rows: int = PIECE
) -> Iterator[pa.Table]:
    """The table in pieces of at most `rows` rows, in order; only `columns` if given."""
    try:
        for batch in _batches(shape, columns, rows):
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)
    except pa.ArrowException as error:
        _explain(shape, error)


def header(shape: Shape) -> list[str]:
    """The column names, checked."""
    if shape.separator is None:
        names = _dataset(shape).schema.names
    else:
        with open_text(shape) as file:
            names = next((row for row in csv.reader(file, delimiter=shape.separator) if row), [])
    _check_names(shape, names)
    return names


def from_frame(frame: pd.DataFrame) -> tuple[pa.Table, Source]:
    """A frame of pandas as a table, with a digest of its values."""
    if frame.columns.duplicated().any():
        raise UserError(
            f"two columns are called {frame.columns[frame.columns.duplicated()][0]}; rename one"
        )
    if len(frame) == 0:
        raise UserError("the frame has no rows")
    frame = plain_frame(frame.rename(columns=str))
    digest = hashlib.sha256(repr(list(frame.columns)).encode())
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table, Source("frame", digest.hexdigest(), table.num_rows, table.num_columns)


def _batches(shape: Shape, columns: Sequence[str] | None, rows: int) -> Iterator[pa.Table]:
    if shape.separator is None:
        # One piece ahead and no more: a data set would read ahead without limit.
        scanner = _dataset(shape).scanner(
            columns=columns, batch_size=rows, batch_readahead=1, fragment_readahead=1
        )
        for batch in scanner.to_batches():
            yield pa.Table.from_batches([batch])
        return
    names = header(shape)
    waiting: list[pa.RecordBatch] = []
    for batch in _csv_options(shape, names, columns or names):
        waiting.append(batch)
        if sum(b.num_rows for b in waiting) >= rows:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def _dataset(shape: Shape) -> pads.Dataset:
    """A parquet file, or a folder of them; folders named month=3 are a column."""
    return pads.dataset(shape.path, format="parquet", partitioning="hive")


def _csv_options(
    shape: Shape, names: Sequence[str], columns: Sequence[str]
) -> pacsv.CSVStreamingReader:
    return pacsv.open_csv(
        shape.open(),
        read_options=pacsv.ReadOptions(
            block_size=_BLOCK, encoding=shape.encoding, use_threads=False
        ),
        parse_options=pacsv.ParseOptions(delimiter=shape.separator, newlines_in_values=True),
        convert_options=pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=list(columns),
            strings_can_be_null=False,
        ),
    )


def _check_names(shape: Shape, names: Sequence[str]) -> None:
    numbers = sum(bool(re.fullmatch(r"-?\d+([.,]\d+)?", name)) for name in names)
    if shape.separator is not None and 2 * numbers > len(names):
        raise UserError(
            f"the first line of {shape.name} holds numbers ({', '.join(names[:3])}, ...); "
            "it must hold the names of the columns"
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UserError(f"two columns are called {twice[0]}; rename one")
    if shape.separator is not None and len(names) < 2:
        raise UserError(
            f"{shape.name} has one column; cells must be separated by comma, semicolon, tab or |"
        )


def _explain(shape: Shape, error: pa.ArrowException) -> NoReturn:
    """A mistake of the file with the number of its line."""
    if shape.separator is not None:
        with open_text(shape) as file:
            lines = csv.reader(file, delimiter=shape.separator)
            width = len(next(row for row in lines if row))
            for row in lines:
                if row and len(row) != width:
                    raise UserError(
                        f"line {lines.line_num:,} of {shape.name} has {len(row)} cells, "
                        f"the header has {width}; quote commas inside cells"
                    ) from None
        if "no data" in str(error).lower() or "empty" in str(error).lower():
            raise UserError(f"{shape.name} has no rows") from None
    raise UserError(f"{shape.name} cannot be read: {error}") from None
