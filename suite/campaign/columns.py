"""What each column is: number, category, date, text, constant, and what is done with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign import names
from suite.campaign.cells import Cells
from suite.campaign.errors import UserError
from suite.campaign.types import Column

NUMBERS = 0.95  # of the cells must be numbers
MOST_WORDS = 100  # that say "missing", remembered for new rows
ROWS_A_LEVEL = 20  # on average, else the column tells customers, not kinds of customers
_CODE = re.compile(r"-1|-?9+[6-9]?")  # -999, 9999, 998: numbers that say "not known"
_ZEROS = re.compile(r"0\d+")

Said = tuple[Literal["number", "category", "date", "text"], str | None]


def said_types(options: Sequence[str], header: Sequence[str]) -> dict[str, Said]:
    """COL=number|category|date[:FORMAT]|text, as the user gave them."""
    found: dict[str, Said] = {}
    for text in options:
        name, equals, kind = text.rpartition("=") if ":" not in text else text.partition("=")
        kind, _, pattern = kind.partition(":")
        if not equals or kind not in ("number", "category", "date", "text"):
            raise UserError(
                f"--types {text}: say COLUMN=number, category, date, date:%d/%m/%Y or text"
            )
        found[names.known(name, header)] = (kind, pattern or None)
    return found


def describe(name: str, cells: Cells, decimal: str, said: Said | None) -> tuple[Column, pd.Series]:
    """What the column is, and its values: float64, datetime64 or a category."""
    column = _kind(name, cells, decimal, said)
    series = typed(column, cells, decimal)
    column = replace(column, missing_words=_words_for_missing(cells, series))
    if column.kind == "number" and not said:
        codes = _codes_for_missing(series.to_numpy())
        column, series = replace(column, missing_codes=codes), series.mask(series.isin(codes))
    return _finish(column, series), series


def typed(column: Column, cells: Cells, decimal: str) -> pd.Series:
    """The values of the cells as `column` says; what does not fit is missing."""
    if column.kind == "number":
        values = cells.numbers(decimal)
        if column.missing_codes:
            values = np.where(np.isin(values, column.missing_codes), np.nan, values)
        return pd.Series(cells.spread(values, np.nan), name=column.name)
    if column.kind == "date":
        days = cells.dates(column.date_format or "")
        spread = cells.spread(days, np.datetime64("NaT", "D"))
        return pd.Series(spread.astype("datetime64[s]"), name=column.name)
    texts = pd.Index(cells.texts(), dtype=object)
    if column.levels:  # known levels keep their order, so that codes compare
        texts = pd.Index([*column.levels, *texts.difference(list(column.levels), sort=True)])
        code = texts.get_indexer(cells.texts())
        category = pd.Categorical.from_codes(cells.spread(code, -1), texts)
    else:
        category = pd.Categorical.from_codes(cells.codes, texts)
    return pd.Series(category, name=column.name)


def _kind(name: str, cells: Cells, decimal: str, said: Said | None) -> Column:
    if said is not None:
        kind, pattern = said
        if kind == "date":
            return Column(name, "date", True, date_format=pattern or _date_format(name, cells))
        return Column(name, kind, True)
    n_words = len(cells.words)
    if n_words < 2:
        return Column(name, "constant", False)
    if cells.look_like_dates():
        return Column(name, "date", True, date_format=_date_format(name, cells))
    is_code = names.is_id(name) or names.CODES.intersection(names.words(name))
    if n_words > 2 and not is_code:
        counts = cells.counts()
        share = counts[~np.isnan(cells.numbers(decimal))].sum() / counts.sum()
        zeros = cells.is_text and any(_ZEROS.fullmatch(w) for w in cells.words.to_pylist())
        if share >= NUMBERS and not zeros:
            return Column(name, "number", True)
    texts = cells.texts()
    rows = max(1, int((~cells.missing).sum()))
    if n_words > 0.9 * rows and np.mean([len(text) for text in texts]) > 40:
        return Column(name, "text", False)
    return Column(name, "category", True)


def _date_format(name: str, cells: Cells) -> str:
    """The one pattern of a column of dates."""
    patterns = cells.date_formats()
    if not patterns:
        first, other = _two_patterns(cells)
        raise UserError(
            f"{name} holds dates, but no one format known explains all cells ({first}, {other}); "
            f"correct the file, or --types {name}=category"
        )
    # Those with year, month and day in the same order, such as %b and %B of May, mean the same.
    if len({re.sub("[^ymdb]", "", re.split("%[HI]", p)[0].lower()) for p in patterns}) > 1:
        shown = " or ".join(_shown(p) for p in patterns[:2])
        raise UserError(f"{name} could be {shown}; say --types {name}=date:{patterns[0]}")
    return patterns[0]


def _two_patterns(cells: Cells) -> tuple[str, str]:
    """Two cells that no common format explains: the first, and one that differs in its look."""
    words = cells.words.to_pylist()
    look = [re.sub(r"\d", "0", word) for word in words]
    other = next((w for w, seen in zip(words, look, strict=True) if seen != look[0]), words[-1])
    return words[0], other


def _shown(pattern: str) -> str:
    """%d/%m/%Y as DD/MM/YYYY."""
    words = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%b": "MON", "%B": "MONTH"}
    for sign, word in {**words, "%H": "hh", "%M": "mm", "%S": "ss"}.items():
        pattern = pattern.replace(sign, word)
    return pattern


def _codes_for_missing(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Numbers such as -999 that lie far from all others and are frequent."""
    found = []
    for end in (np.nanmin, np.nanmax):
        value = float(end(values))
        if not (value.is_integer() and _CODE.fullmatch(str(int(value)))):
            continue
        is_code = values == value
        rest = values[~is_code & ~np.isnan(values)]
        if is_code.mean() < 0.005 or len(rest) < 100:
            continue
        low, high = np.quantile(rest, [0.25, 0.75])
        if high > low and np.abs(rest - value).min() > 5 * (high - low):
            found.append(value)
    return tuple(found)


def _words_for_missing(cells: Cells, series: pd.Series) -> tuple[str, ...]:
    """The most frequent words, such as "unknown", that are no number or date of the column."""
    lost = cells.codes[series.isna().to_numpy() & ~cells.missing]
    if not cells.is_text or len(lost) == 0:
        return ()
    counts = np.bincount(lost, minlength=len(cells.words))
    order = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    return tuple(cells.words[int(j)].as_py() for j in order if counts[j])


def _finish(column: Column, series: pd.Series) -> Column:
    """The column with its levels and missing share, and why it is not used."""
    about = {**vars(column), "missing": float(series.isna().mean())}
    about["sensitive"] = names.is_sensitive(column.name)
    if column.kind == "category":
        counts = series.value_counts()
        counts = counts[counts > 0]
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        about |= {"levels": tuple(str(level) for level, _ in ordered), "n_levels": len(counts)}
    why = _why_not({**about}, series)
    if why:
        about |= {"used": False, "why": why, "levels": ()}
    return Column(**about)


def _why_not(about: Mapping[str, object], series: pd.Series) -> str:
    rows = int(series.notna().sum())
    if about["kind"] == "text":
        return "free text"
    if series.nunique() < 2 and not 0 < rows < len(series):
        return "constant" if rows else "empty"
    levels = about["n_levels"]
    if about["kind"] == "category" and levels > 2 and rows < ROWS_A_LEVEL * levels:
        each = max(1, round(rows / levels))
        return f"{levels:,} levels, {each} row{'s' if each > 1 else ''} each"
    return ""
