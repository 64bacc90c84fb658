"""Columns of any stored type as numbers, texts, dates, times or yes/no."""

import pandas as pd
import pyarrow as pa
import pyarrow.types as kinds


def plain(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The column; lists, records, bytes and the like become text."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # of no chunk at all
        values = pa.array([], values.type)
    if _is_plain(values.type):
        return values
    texts = [None if value is None else _text(value) for value in values.to_pylist()]
    return pa.array(texts, pa.string())


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame; objects, intervals, periods and the like become text."""
    strange = {
        name: frame[name].map(str, na_action="ignore")
        for name in frame
        if frame[name].dtype == object or not _is_plain(pa.array(frame[name].iloc[:0]).type)
    }
    return frame.assign(**strange)


def _is_plain(kind: pa.DataType) -> bool:
    if kinds.is_dictionary(kind):
        return _is_plain(kind.value_type)
    is_text = kinds.is_string(kind) or kinds.is_large_string(kind)
    is_number = kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)
    is_time = kinds.is_temporal(kind) and not kinds.is_interval(kind)
    return is_text or is_number or is_time or kinds.is_boolean(kind) or kinds.is_null(kind)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
