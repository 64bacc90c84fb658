"""What every entry point says about bad input: the argument, the value, and what would be right."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def binary_labels(values: Any, name: str) -> NDArray[np.int8]:
    """0/1 labels from numbers or booleans, in any one-dimensional container."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; give one value a row (one dimension)")
    if array.dtype == bool:
        return array.astype(np.int8)
    if array.dtype.kind not in "iuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} holds values such as {array.tolist()[0]!r}; it must be 0/1 or boolean"
            ) from None
    if array.dtype.kind in "iu" and len(array) and np.bitwise_or.reduce(array) in (0, 1):
        return array.astype(np.int8)  # the usual case, in one pass without a mask
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}[{row}] is {array[row]}; {name} must be 0 or 1 in every row")
    return array.astype(np.int8)


def finite_scores(values: Any, name: str) -> NDArray[np.float64]:
    """One finite float64 a row."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are not numbers; give one number a row"
        ) from None
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; give one value a row (one dimension)")
    _all_finite(array, name)
    return array


def covariates(X: Any, name: str = "X") -> NDArray[np.float32]:
    """A finite C-contiguous float32 matrix; copied only where the input is not one already."""
    try:
        array = np.ascontiguousarray(X, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are not numbers; encode categories as numbers first"
        ) from None
    if np.ndim(X) != 2:
        raise ValueError(f"{name} has shape {np.shape(X)}; give a matrix, one row a customer")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"{name} has shape {array.shape}; give at least one row and one column")
    _all_finite(array, name)
    return array


def column_names(X: Any) -> tuple[str, ...] | None:
    """The column names of a DataFrame, None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def same_length(**arrays: Any) -> int:
    """The common number of rows of all arguments."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"rows differ: {listing}; every argument needs one entry a row")
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


def propensity_value(value: float) -> float:
    """A constant propensity e in (0, 1)."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"propensity is {value}; it must lie strictly between 0 and 1")
    return float(value)


def _all_finite(array: NDArray[Any], name: str) -> None:
    # A sum is finite only if all terms are: one pass without a mask in the usual case.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum(dtype=np.float64)):
            return
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong) == 0:
        return
    where = ", ".join(map(str, wrong[0]))
    raise ValueError(
        f"{name}[{where}] is {array[tuple(wrong[0])]}; "
        f"{name} must be finite (impute or drop such rows)"
    )
