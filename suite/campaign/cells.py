"""Cells to values: missing, numbers, dates, categories. The same for campaign and new rows.

All work is done once for each different cell, so that long files cost little.
"""

import re
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from suite.campaign.plain import plain

BLANK = (
    "", "NA", "N/A", "n/a", "na", "NULL", "Null", "null", "NaN", "nan", "#N/A", ".", "-", "?",
    "inf", "-inf",
)  # fmt: skip
_POINT = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?([eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?([eE][+-]?\d+)?")
FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%d-%b-%Y", "%Y%m%d",
)  # fmt: skip
TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", " %H:%M:%S.%f", "T%H:%M:%S.%f",
         "T%H:%M:%SZ", "T%H:%M:%S%z", "T%H:%M:%S.%f%z", " %H:%M:%S%z", " %H:%M:%S.%f%z",
         " %I:%M:%S %p")  # fmt: skip
_LIKE_DATE = re.compile(
    r"(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4}"
    r"|[A-Za-z]{3,9} \d{1,2}, \d{4})([ T]\d{1,2}:\d{2}.*)?"
)


class Cells:
    """The cells of a column: `words`, each different cell once, and `codes`, which row has which.

    A missing cell has the code -1. Words are stripped of blanks at both ends.
    """

    def __init__(self, values: pa.ChunkedArray | pa.Array) -> None:
        values = plain(values)
        if pa.types.is_boolean(values.type):
            values = pc.cast(values, pa.string())
        if not pa.types.is_dictionary(values.type):
            values = pc.dictionary_encode(values)
        words, codes = values.dictionary, values.indices
        codes = pc.fill_null(codes, -1).to_numpy(zero_copy_only=False)
        self.is_text = pa.types.is_string(words.type) or pa.types.is_large_string(words.type)
        if self.is_text:
            blank = pc.is_in(pc.utf8_trim_whitespace(words), value_set=pa.array(BLANK, words.type))
            blank = pc.fill_null(blank, True).to_numpy(zero_copy_only=False)
        else:
            blank = pc.fill_null(pc.is_null(words, nan_is_null=True), True)
            blank = blank.to_numpy(zero_copy_only=False)
        if blank.any():
            new = np.where(blank, -1, np.cumsum(~blank) - 1)
            codes = np.append(new, -1)[codes]
            words = words.filter(pa.array(~blank))
        self.codes: NDArray[np.int64] = codes.astype(np.int64, copy=False)
        self.words = words
        if self.is_text:
            self._trim()

    def _trim(self) -> None:
        """Words without blanks at their ends; those that become the same become one."""
        trimmed = pc.utf8_trim_whitespace(self.words)
        if not trimmed.equals(self.words):
            once = pc.dictionary_encode(trimmed)
            self.codes = np.append(once.indices.to_numpy(), -1)[self.codes]
            trimmed = once.dictionary
        self.words = trimmed

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return self.codes < 0

    def counts(self) -> NDArray[np.int64]:
        """Rows of each word."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.words))

    def texts(self) -> list[str]:
        """The words as text, whole numbers without a point."""
        if self.is_text:
            return self.words.to_pylist()
        return [_text(word) for word in self.words.to_pylist()]

    def spread(self, values: NDArray, missing: object) -> NDArray:
        """From one value for each word to one for each row."""
        return np.append(values, missing)[self.codes]

    def numbers(self, decimal: str = ".") -> NDArray[np.float64]:
        """A number for each word; NaN where it is none."""
        if not self.is_text:
            if pa.types.is_temporal(self.words.type):
                return np.full(len(self.words), np.nan)
            values = pc.cast(self.words, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            return np.where(np.isfinite(values), values, np.nan)
        if decimal == ".":
            try:
                values = pc.cast(self.words, pa.float64()).to_numpy(zero_copy_only=False)
                return np.where(np.isfinite(values), values, np.nan)
            except pa.ArrowInvalid:
                pass
        return np.array([_number(word, decimal) for word in self.words.to_pylist()], np.float64)

    def by_row(self, decimal: str) -> NDArray[np.float64]:
        """A number for each row; NaN where it is none."""
        return self.spread(self.numbers(decimal), np.nan)

    def dates(self, pattern: str) -> NDArray[np.datetime64]:
        """A day for each word; NaT where the pattern does not fit. "": the file has dates."""
        if not self.is_text:
            days = pc.cast(self.words, pa.timestamp("us"), safe=False)
            return days.to_numpy(zero_copy_only=False).astype("datetime64[D]")
        words = pd.Series(self.words.to_pylist(), dtype=object)
        pattern = pattern or "%Y-%m-%d"  # dates were stored, and now come as text
        parsed = pd.to_datetime(words, format=pattern, errors="coerce", utc="%z" in pattern)
        if "%z" in pattern:
            parsed = parsed.dt.tz_localize(None)
        return parsed.to_numpy().astype("datetime64[D]")

    def date_formats(self) -> list[str]:
        """Every pattern that explains all words; [""] where the file itself has dates."""
        if not self.is_text:
            return [""]
        words = self.words.to_pylist()
        sample = words[:: max(1, len(words) // 1000)]
        short = Cells(pa.array(sample, pa.string()))
        patterns = [day + time for time in TIMES for day in FORMATS]
        patterns = [p for p in patterns if _fits(words[0], p)]  # most are out at once
        fits = [p for p in patterns if not np.isnat(short.dates(p)).any()]
        return [p for p in fits if not np.isnat(self.dates(p)).any()]

    def look_like_dates(self) -> bool:
        """At least 95 % of the words have the look of a date."""
        if not self.is_text:
            return pa.types.is_timestamp(self.words.type) or pa.types.is_date(self.words.type)
        words = self.words.to_pylist()
        return bool(words) and np.mean([bool(_LIKE_DATE.fullmatch(w)) for w in words]) >= 0.95


def _number(word: str, decimal: str) -> float:
    """The number a cell says, NaN if none. Thousands may be grouped by the other sign."""
    pattern, group = (_POINT, ",") if decimal == "." else (_COMMA, ".")
    if not pattern.fullmatch(word):
        return np.nan
    try:
        value = float(word.replace(group, "").replace(decimal, "."))
    except ValueError:  # a sign alone
        return np.nan
    return value if np.isfinite(value) else np.nan


def _text(word: object) -> str:
    if isinstance(word, float) and word.is_integer():
        return str(int(word))
    if isinstance(word, datetime | date):
        return word.isoformat()
    return str(word)


def _fits(word: str, pattern: str) -> bool:
    try:
        datetime.strptime(word, pattern)
    except ValueError:
        return False
    return True
