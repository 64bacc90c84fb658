"""What every entry point says about bad input: the argument, the value, and what would be right."""

import difflib
import warnings
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 15  # labels that are looked at and copied together


def unknown_name(what: str, name: str, valid: Iterable[str]) -> ValueError:
    """The error about a name that does not exist, with the names that are near it."""
    valid = list(valid)
    near = difflib.get_close_matches(str(name), valid, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return ValueError(f"unknown {what} {name!r}; {hint}there are: {', '.join(valid)}")


def whole_number(value: Any, name: str, least: int) -> int:
    """A whole number, `least` or more; 10.0 is one."""
    whole = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(value)
    if not whole or value != int(value) or value < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, at least {least}")
    return int(value)


def number(value: Any, name: str) -> float:
    """A finite number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value):
        raise ValueError(f"{name} is {value!r}; it must be a finite number")
    return float(value)


def layers(hidden: Any) -> tuple[int, ...]:
    """The nodes of each hidden layer."""
    if not isinstance(hidden, tuple | list) or any(
        isinstance(m, bool) or not isinstance(m, Integral) or m < 1 for m in hidden
    ):
        raise ValueError(
            f"hidden is {hidden!r}; give the nodes of each layer, each 1 or more, such as (64,), "
            "or () for no hidden layer"
        )
    return tuple(map(int, hidden))


def binary_labels(values: Any, name: str) -> NDArray[np.int8]:
    """0/1 labels from numbers or booleans, in any one-dimensional container."""
    array = np.asarray(values)
    _plain(values, array, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; give one value per row (one dimension)")
    if array.dtype == bool:
        return array.astype(np.int8)
    if array.dtype.kind not in "iuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} holds values such as {array.tolist()[0]!r}; it must be 0/1 or boolean"
            ) from None
    if array.dtype.kind in "iu" and (labels := _whole_labels(array)) is not None:
        return labels
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}[{row}] is {array[row]}; {name} must be 0 or 1 in every row")
    return array.astype(np.int8)


def _whole_labels(array: NDArray[Any]) -> NDArray[np.int8] | None:
    """Whole numbers as labels, or None where one is neither 0 nor 1.

    The usual case, without a mask, and in blocks: what was looked at is copied from the cache.
    """
    labels = np.empty(len(array), np.int8)
    for start in range(0, len(array), _BLOCK):
        block = array[start : start + _BLOCK]
        if np.bitwise_or.reduce(block) not in (0, 1):
            return None
        labels[start : start + _BLOCK] = block
    return labels


def finite_scores(values: Any, name: str) -> NDArray[np.float64]:
    """One finite float64 per row."""
    array = _numbers(values, np.float64, name, "give one number per row")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; give one value per row (one dimension)")
    _all_finite(array, name)
    return array


def covariates(X: Any, name: str = "X") -> NDArray[np.float32]:
    """A finite C-contiguous float32 matrix; copied only where the input is not one already."""
    array = _numbers(X, np.float32, name, "encode categories as numbers first")
    if np.ndim(X) != 2:
        raise ValueError(f"{name} has shape {np.shape(X)}; give a matrix, one row per customer")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"{name} has shape {array.shape}; give at least one row and one column")
    _all_finite(array, name)
    return array


def warn_unresolved(X: Any, names: tuple[str, ...]) -> None:
    """Warn about columns whose values differ by less than float32 can tell apart."""
    given = np.asarray(X)
    if given.dtype.kind not in "iuf" or given.dtype.itemsize <= 4 or given.ndim != 2:
        return
    low, high = given.min(axis=0).astype(np.float64), given.max(axis=0).astype(np.float64)
    steps = np.spacing(np.maximum(np.abs(low), np.abs(high)).astype(np.float32))
    bad = (high > low) & (1000.0 * steps > high - low)
    coarse = [name for name, is_bad in zip(names, bad, strict=True) if is_bad]
    if coarse:
        warnings.warn(
            f"the values of {', '.join(coarse[:5])} are large and close together: as float32, "
            "which training uses, they have less than 1,000 steps; subtract their mean first, or "
            "leave identifiers and time stamps out",
            stacklevel=6,  # the line that calls fit
        )


def same_index(**columns: Any) -> None:
    """pandas inputs must have one index: rows are taken by position."""
    indexed = {name: c.index for name, c in columns.items() if hasattr(c, "iloc")}
    names = list(indexed)
    for name in names[1:]:
        first = indexed[names[0]]
        if len(first) == len(indexed[name]) and not first.equals(indexed[name]):
            raise ValueError(
                f"{names[0]} and {name} have different indexes, but rows are taken by position; "
                "align them (.loc) or give both .reset_index(drop=True)"
            )


def both_outcomes(y: NDArray[np.int8]) -> None:
    """Warn where all outcomes are the same: there is nothing to learn."""
    if len(y) and (y == y[0]).all():
        warnings.warn(
            f"y is {y[0]} in all {len(y)} training rows; one class alone teaches no uplift",
            stacklevel=5,  # the line that calls fit
        )


def column_names(X: Any) -> tuple[str, ...] | None:
    """The column names of a DataFrame, None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def same_length(**arrays: Any) -> int:
    """The common number of rows of all arguments."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"rows differ: {listing}; every argument needs one entry per row")
    return next(iter(lengths.values()))


def both_arms(treatment: NDArray[np.int8], name: str = "treatment") -> None:
    """Uplift compares two arms: one arm alone is an error."""
    treated = int(np.count_nonzero(treatment))
    if treated in (0, len(treatment)):
        arm = "treated" if treated else "control"
        raise ValueError(
            f"{name} has only {arm} rows ({len(treatment)} of {len(treatment)}); "
            "uplift needs both treated (1) and control (0) rows"
        )


def stored_array(array: NDArray[Any], name: str, shape: tuple[int, ...], dtype: type) -> None:
    """An array of a saved model: shape, type and finite values as a fitted model has them."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; it should have {shape}")
    if array.dtype != dtype:
        raise ValueError(f"{name} holds {array.dtype}; it should hold {np.dtype(dtype)}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds values that are not finite")


def propensity_value(value: float) -> float:
    """A constant propensity e in (0, 1)."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"propensity is {value!r}; give a number or 'estimate'")
    if not 0.0 < value < 1.0:
        raise ValueError(f"propensity is {value}; it must lie strictly between 0 and 1")
    return float(value)


def _plain(given: Any, array: Any, name: str) -> None:
    """A mask or a date is not a number."""
    if np.ma.isMaskedArray(given):
        raise ValueError(f"{name} is a masked array; fill or drop what is masked first")
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    if kind in ("M", "m", "c"):
        raise ValueError(f"{name} holds {array.dtype}; give numbers")


def _numbers(values: Any, dtype: type, name: str, advice: str) -> NDArray[Any]:
    """A C-contiguous array of `dtype`."""
    _plain(values, values, name)
    try:
        return np.asarray(values, dtype=dtype, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds values that are not numbers; {advice}") from None


def _all_finite(array: NDArray[Any], name: str) -> None:
    # The least and the greatest show infinite values and, since NaN wins, NaN: without a mask.
    if np.isfinite([array.min(initial=0.0), array.max(initial=0.0)]).all():
        return
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong) == 0:
        return
    where = ", ".join(map(str, wrong[0]))
    raise ValueError(
        f"{name}[{where}] is {array[tuple(wrong[0])]}; "
        f"{name} must be finite (impute or drop such rows)"
    )
