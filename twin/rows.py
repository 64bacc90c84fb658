"""The rows of an experiment: covariates, outcome, treatment, and the truth where it is known."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from twin import checks


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows of p covariates with outcome y and treatment t, both 0/1.

    `true_uplift` is u*(x) on simulated data and None on real data; `propensity` is the known
    constant e = Pr(T = 1); `row_numbers` says which rows of a real data set these are, from 0 in
    the order of its files, and is None on simulated data. Build rows from any containers with
    `Rows.of`.
    """

    X: NDArray[np.float32]
    y: NDArray[np.int8]
    treatment: NDArray[np.int8]
    names: tuple[str, ...]
    true_uplift: NDArray[np.float64] | None = None
    propensity: float = 0.5
    row_numbers: NDArray[np.integer] | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        treatment: Any,
        *,
        names: tuple[str, ...] | None = None,
        true_uplift: Any = None,
        propensity: float = 0.5,
        row_numbers: NDArray[np.integer] | None = None,
    ) -> Self:
        """Checked rows from numpy, pandas or lists."""
        names = names or checks.column_names(X)
        checks.same_index(X=X, y=y, treatment=treatment)
        given, X = X, checks.covariates(X)
        y = checks.binary_labels(y, "y")
        treatment = checks.binary_labels(treatment, "treatment")
        checks.same_length(X=X, y=y, treatment=treatment)
        checks.both_arms(treatment)
        if names is None:
            names = tuple(f"x{j}" for j in range(1, X.shape[1] + 1))
        if len(names) != X.shape[1]:
            raise ValueError(
                f"{len(names)} names for {X.shape[1]} columns; give one name per column"
            )
        checks.warn_unresolved(given, names)
        if true_uplift is not None:
            true_uplift = checks.finite_scores(true_uplift, "true_uplift")
            checks.same_length(X=X, true_uplift=true_uplift)
        if row_numbers is not None:
            checks.same_length(X=X, row_numbers=row_numbers)
        propensity = checks.propensity_value(propensity)
        return cls(X, y, treatment, names, true_uplift, propensity, row_numbers)

    def __len__(self) -> int:
        return len(self.y)

    def take(self, index: NDArray[np.integer] | slice) -> Self:
        """The rows at `index`."""
        truth = None if self.true_uplift is None else self.true_uplift[index]
        return type(self)(
            self.X[index],
            self.y[index],
            self.treatment[index],
            self.names,
            truth,
            self.propensity,
            None if self.row_numbers is None else self.row_numbers[index],
        )
