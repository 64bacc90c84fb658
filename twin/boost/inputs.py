"""From what a user gives to binned rows and folds; every complaint comes before any work."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from twin import checks
from twin.boost.bins import Bins, table
from twin.boost.fits import Part

Floats = NDArray[np.float64]
CHOOSING_FOLDS = 2  # without validation rows, so many of five folds compare the choices


@dataclass(frozen=True, eq=False)
class Prepared:
    """All rows, binned. `fold` says which member is fitted without a row; -1: validation row."""

    B: NDArray[np.uint8]
    y: Floats
    t: Floats
    weight: Floats
    bins: Bins
    fold: NDArray[np.int64]
    members: int
    augmented: bool
    seed: int
    named: bool

    @property
    def treated_share(self) -> float:
        """Of the rows that are not for validation, by weight."""
        rows = self.fold >= 0
        return float(np.average(self.t[rows], weights=self.weight[rows]))

    def search_part(self, most: int) -> Part:
        """The rows that choices are fitted and compared on, at most `most` of either."""
        stop = self.fold < 0
        if not stop.any():
            stop = self.fold < max(1, CHOOSING_FOLDS * self.members // 5)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(5,)))
        return self._part(~stop, stop).thinned(most, rng)

    def member_part(self, k: int) -> Part:
        """Member k: fitted on all folds but its own, stopped on validation rows or on its own."""
        validation, own = self.fold < 0, self.fold == k
        return self._part(~validation & ~own, validation if validation.any() else own)

    def _part(self, fit: NDArray[np.bool_], stop: NDArray[np.bool_]) -> Part:
        fit_rows, stop_rows = (np.flatnonzero(rows).astype(np.int32) for rows in (fit, stop))
        return Part(
            self.B, self.y, self.t, self.weight, self.bins, fit_rows, stop_rows, self.augmented
        )


def prepare(
    X: Any,
    y: Any,
    treatment: Any,
    validation: Any,
    sample_weight: Any,
    categories: Sequence[str | int],
    members: int,
    random_state: int | None,
    augmented: bool,
) -> Prepared:
    """Check everything, cut the covariates by the rows to fit on, and draw the folds."""
    seed = _seed(random_state)
    y, t = _labels(X, y, treatment)
    weight = _weights(sample_weight, len(y))
    given = fraction = None
    if isinstance(validation, Real) and not isinstance(validation, bool):
        fraction = float(validation)
    elif isinstance(validation, tuple | list) and len(validation) == 3:
        same_columns(table(X)[0], checks.column_names(X) is not None, validation[0])
        given = (validation[0], *_labels(*validation, "validation "))
    elif validation is not None:
        raise ValueError(
            f"validation is {validation!r:.60}; give (X, y, treatment) or a fraction such as 0.3"
        )
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(4,)))
    fold = _folds(y, t, members, fraction, rng)
    _both_arms_in_each(fold, t, weight, members)
    fitted = fold >= 0
    bins = Bins.of(X if fitted.all() else _take(X, np.flatnonzero(fitted)), categories)
    B = bins.apply(X)
    if given is not None:
        B = np.concatenate([B, bins.apply(given[0])])
        more = len(given[1])
        y, t = np.concatenate([y, given[1]]), np.concatenate([t, given[2]])
        weight = np.concatenate([weight, np.ones(more)])
        fold = np.concatenate([fold, np.full(more, -1)])
    named = checks.column_names(X) is not None
    return Prepared(
        B, y.astype(float), t.astype(float), weight, bins, fold, members, augmented, seed, named
    )


def same_columns(names: Sequence[str], named: bool, X: Any) -> None:
    """X must have the columns of the fit, in their order."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[1] != len(names):
        raise ValueError(f"X has {shape[1]} columns; TwinBoost was fitted on {len(names)}")
    found = checks.column_names(X)
    if not named or found is None or tuple(found) == tuple(names):
        return
    j = next(j for j, (a, b) in enumerate(zip(found, names, strict=True)) if a != b)
    raise ValueError(
        f"column {j} of X is {found[j]!r}; the fit had {names[j]!r} there: "
        "give the same columns in the same order"
    )


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return np.random.SeedSequence().entropy
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ValueError(f"random_state is {random_state!r}; give a whole number or None")
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}; it must be 0 or more")
    return int(random_state)


def _labels(X: Any, y: Any, treatment: Any, of: str = "") -> tuple[NDArray, NDArray]:
    table(X)  # its complaints first
    y = checks.binary_labels(y, f"{of}y")
    t = checks.binary_labels(treatment, f"{of}treatment")
    n = np.shape(X)[0]
    checks.same_length(**{f"{of}X": range(n), f"{of}y": y, f"{of}treatment": t})
    checks.both_arms(t, f"{of}treatment")
    return y, t


def _weights(sample_weight: Any, n: int) -> Floats:
    """One weight for each row, of mean 1."""
    if sample_weight is None:
        return np.ones(n)
    weight = checks.finite_scores(sample_weight, "sample_weight")
    checks.same_length(X=range(n), sample_weight=weight)
    if weight.min() < 0 or weight.sum() == 0:
        row = int(np.argmin(weight))
        raise ValueError(
            f"sample_weight[{row}] is {weight[row]}; weights must be 0 or more, and not all 0"
        )
    return weight / weight.mean()


def _folds(
    y: NDArray, t: NDArray, members: int, fraction: float | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A fold for each row, at random, every arm and outcome spread evenly; -1: validation row."""
    n = len(y)
    # Random order, then sorted by arm and outcome: every run of `members` rows is one of each fold.
    order = rng.permutation(n)
    order = order[np.argsort((2 * t + y)[order], kind="stable")]
    fold = np.full(n, -1)
    if fraction is not None:
        if not 0 < fraction < 1:
            raise ValueError(f"validation is {fraction}; a fraction must lie between 0 and 1")
        # Evenly through the sorted rows: row i validates where i * fraction passes a whole number.
        passed = np.floor(np.arange(1, n + 1) * fraction) > np.floor(np.arange(n) * fraction)
        if passed.sum() in (0, n):
            raise ValueError(
                f"validation is {fraction}: of {n} rows {passed.sum()} would validate and "
                f"{n - passed.sum()} train; both need rows of both arms"
            )
        order = order[~passed]
    fold[order] = np.arange(len(order)) % members
    return fold


def _both_arms_in_each(fold: NDArray[np.int64], t: NDArray, weight: Floats, members: int) -> None:
    for k in np.unique(fold):
        arms = np.bincount(t[(fold == k) & (weight > 0)], minlength=2)
        if arms.min() == 0:
            raise ValueError(
                f"{len(fold)} rows, {int(t.sum())} of them treated, are too few for {members} "
                "folds with rows of both arms (and weight above 0) in each; give more rows"
            )


def _take(X: Any, rows: NDArray[np.int64]) -> Any:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else np.asarray(X)[rows]
