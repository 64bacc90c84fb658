"""Covariates as bins: numbers by quantiles, categories one by one, missing values apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from twin import checks

MOST_BINS = 64  # of a number
MOST_LEVELS = 255  # of a category: with the bin of missing values a bin is one byte

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bins:
    """How the covariates of the fitting rows were cut.

    Covariate j has bins 0 ... n_bins[j] - 1; bin n_bins[j] is for missing values, for categories
    that the fit had not seen and for those beyond the 255 most frequent.
    """

    names: tuple[str, ...]
    edges: tuple[Floats, ...]  # of numbers: x is in bin b if edges[b - 1] < x <= edges[b]
    levels: tuple[tuple[str, ...] | None, ...]  # of categories; None for numbers
    mean: Floats  # (p, width): the mean of x in each bin, NaN where there is none
    z: Floats  # (p, width): the same standardised, 0 where there is none
    share: Floats  # (p, width): the share of the fitting rows

    @property
    def n_bins(self) -> NDArray[np.int64]:
        """Bins of each covariate, without that of missing values."""
        pairs = zip(self.edges, self.levels, strict=True)
        return np.array([len(e) + 1 if known is None else len(known) for e, known in pairs])

    @property
    def categorical(self) -> NDArray[np.bool_]:
        return np.array([known is not None for known in self.levels])

    @classmethod
    def of(cls, X: Any, categories: Sequence[str | int] = ()) -> Self:
        """Cut the covariates of X; `categories` are named or numbered columns, besides those of
        pandas' category type."""
        names, columns = table(X)
        chosen = _positions(categories, names)
        edges, levels, cut = [], [], []
        for j, column in enumerate(columns):
            if j in chosen or isinstance(column.dtype, pd.CategoricalDtype):
                known = _levels(column)
                edges.append(np.empty(0))
                levels.append(known)
                b = _level_bins(column, known)
                cut.append(_about_levels(b, len(known)))
            else:
                x = _numbers(column, names[j])
                edges.append(_edges(x))
                levels.append(None)
                cut.append(_about_numbers(x, edges[-1]))
        width = max(len(share) for _, _, share in cut)
        mean, z, share = (np.full((len(cut), width), fill) for fill in (np.nan, 0.0, 0.0))
        for j, parts in enumerate(cut):
            for array, part in zip((mean, z, share), parts, strict=True):
                array[j, : len(part)] = part
        return cls(names, tuple(edges), tuple(levels), mean, z, share)

    def apply(self, X: Any) -> NDArray[np.uint8]:
        """The bin of every row and covariate, shape (n, p)."""
        B = np.empty(np.shape(X), dtype=np.uint8)
        for j, column in enumerate(table(X)[1]):
            known = self.levels[j]
            if known is None:
                B[:, j] = _number_bins(_numbers(column, self.names[j]), self.edges[j])
            else:
                B[:, j] = _level_bins(column, known)
        return B

    def labels(self, j: int) -> list[float | str]:
        """What stands in each bin of covariate j: the mean of a number, the name of a category."""
        known = self.levels[j]
        values = self.mean[j, : len(self.edges[j]) + 1].tolist() if known is None else list(known)
        return [*values, "missing"]


def table(X: Any) -> tuple[tuple[str, ...], Iterator[pd.Series]]:
    """Names and columns of a DataFrame or of anything that is a matrix."""
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X is a masked array; give X.filled(np.nan): NaN means missing")
    if hasattr(X, "toarray"):
        raise ValueError("X is a sparse matrix; give X.toarray()")
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}; give a matrix, one row for each customer")
    n, p = X.shape
    if n == 0 or p == 0:
        raise ValueError(f"X has shape {X.shape}; give at least one row and one column")
    names = checks.column_names(X) or tuple(f"x{j}" for j in range(1, p + 1))
    if isinstance(X, pd.DataFrame):
        return names, (X.iloc[:, j] for j in range(p))
    return names, (pd.Series(X[:, j], copy=False) for j in range(p))


def _positions(categories: Sequence[str | int], names: tuple[str, ...]) -> set[int]:
    found = set()
    for category in categories:
        if isinstance(category, str) and category in names:
            found.add(names.index(category))
        elif isinstance(category, int | np.integer) and 0 <= category < len(names):
            found.add(int(category))
        else:
            raise ValueError(
                f"categories has {category!r}; give names of columns, or positions from 0 to "
                f"{len(names) - 1}: X has {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}"
            )
    return found


def _numbers(column: pd.Series, name: str) -> Floats:
    """Float64 with NaN for missing values; infinity is an error."""
    if column.dtype.kind in "mM":
        raise ValueError(f"column {name!r} of X holds dates; give numbers, such as days since then")
    try:
        x = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        held = next(value for value in column if isinstance(value, str) or not np.isscalar(value))
        raise ValueError(
            f"column {name!r} of X holds values such as {held!r}, which is not a number; "
            "name the column in categories, or give it pandas' type 'category'"
        ) from None
    infinite = np.isinf(x)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ValueError(
            f"X[{row}] of column {name!r} is {x[row]}; numbers must be finite (NaN means missing)"
        )
    return x


def _edges(x: Floats) -> Floats:
    """Half-way between few values, quantiles of many."""
    values, counts = np.unique(x[~np.isnan(x)], return_counts=True)
    if len(values) <= MOST_BINS:
        return values[:-1] + np.diff(values) / 2
    # The smallest value with at least k / MOST_BINS of the rows at or below it.
    wanted = np.arange(1, MOST_BINS) * (counts.sum() / MOST_BINS)
    edges = np.unique(values[np.searchsorted(np.cumsum(counts), wanted)])
    return edges[edges < values[-1]]  # a frequent largest value needs no bin above it


def _number_bins(x: Floats, edges: Floats) -> NDArray[np.int64]:
    return np.where(np.isnan(x), len(edges) + 1, np.searchsorted(edges, x))


def _key(value: Any) -> str:
    """One name for a level however it is typed: 3, 3.0 and numpy's 3 are the same."""
    return value if isinstance(value, str) else repr(float(value))


def _coded(column: pd.Series) -> tuple[NDArray[np.int64], list[str]]:
    """Codes (-1: missing) and the names they stand for."""
    codes, found = pd.factorize(column, use_na_sentinel=True)
    try:
        return codes, [_key(value) for value in found]
    except (TypeError, ValueError):
        raise ValueError(
            f"a category of X is {found[0]!r}; categories must be text or numbers"
        ) from None


def _levels(column: pd.Series) -> tuple[str, ...]:
    codes, keys = _coded(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(keys))
    frequent = sorted(range(len(keys)), key=lambda k: (-counts[k], keys[k]))[:MOST_LEVELS]
    return tuple(sorted(keys[k] for k in frequent))


def _level_bins(column: pd.Series, known: tuple[str, ...]) -> NDArray[np.int64]:
    codes, keys = _coded(column)
    bin_of = {key: b for b, key in enumerate(known)}
    # The last entry serves code -1.
    bins = np.array([bin_of.get(key, len(known)) for key in keys] + [len(known)])
    return bins[codes]


def _about_numbers(x: Floats, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standardised mean and share of each bin."""
    b, seen = _number_bins(x, edges), ~np.isnan(x)
    count = np.bincount(b, minlength=len(edges) + 2)
    total = np.bincount(b, weights=x, minlength=len(count))  # NaN in the bin of missing values
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    centre = x[seen].mean() if seen.any() else 0.0
    scale = x[seen].std() if seen.any() else 0.0
    if scale <= 1e-12 * abs(centre) or scale == 0:
        scale = np.inf  # a constant has no line
    return mean, np.nan_to_num((mean - centre) / scale), count / len(x)


def _about_levels(b: NDArray[np.int64], n_levels: int) -> tuple[Floats, Floats, Floats]:
    width = n_levels + 1
    share = np.bincount(b, minlength=width) / len(b)
    return np.full(width, np.nan), np.zeros(width), share
