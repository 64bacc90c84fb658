"""The contract of a method: data first, then how it fits and how it predicts.

A method is a subclass of `Method` in a file of this folder, or in a file of a user's own:

    class MyMethod(Method):
        name = "my-method"          # what one types
        paper_row = None            # its row in the paper's tables, None if it has none
        grid = {"depth": (2, 4)}    # what it tunes, empty if nothing
        quick_grid = {"depth": (2,)}  # the same for a quick run

        def _fit(self, train, valid, seed):
            ...                     # fit on train; self._score(valid, uplift, **settings) gives
                                    # q_adj and records a candidate; set self.settings_ to the best

        def _predict(self, X):
            ...                     # one predicted uplift per row

`fit` and `predict` are the checked fronts of the two: they validate rows, hold the libraries to
`threads` threads, keep their warnings in `warnings_` and leave global random state alone.
"""

import importlib.util
import random
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from twin import checks
from twin.qini import adjusted_qini_score
from twin.rows import Rows


class Method(ABC):
    """An uplift method that tunes itself on training and validation rows.

    Fitted attributes: `settings_` (what was chosen), `search_` (one dictionary for each candidate
    that the selection saw, with its validation score), `n_candidates_`, `seconds_` (tune and fit),
    `warnings_`; networks only: `n_active_nodes_` (m_hat), `n_nodes_` (m) and `n_updates_` (the
    training budget).
    """

    name: ClassVar[str]
    paper_row: ClassVar[str | None] = None
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {}
    quick_grid: ClassVar[Mapping[str, Sequence[Any]]] = {}
    requires: ClassVar[tuple[str, ...]] = ()  # modules of libraries it needs, imported when it fits
    reads_truth: ClassVar[bool] = False  # the oracle alone, which is a bound and no method
    uses_validation: ClassVar[bool] = True  # False: what it fits depends on training rows alone
    upstream: ClassVar[str | None] = None  # a method whose fit on the same rows comes first

    settings_: dict[str, Any]
    search_: list[dict[str, Any]]
    n_nodes_: int | None = None
    n_active_nodes_: int | None = None
    n_updates_: int | None = None

    def __init__(
        self,
        *,
        threads: int = 1,
        quick: bool = False,
        upstream_result: Mapping[str, Any] | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        self.threads = threads
        self.quick = quick
        self.upstream_result = upstream_result  # {"n_active_nodes": ..., "settings": ...}

    @abstractmethod
    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        """Tune on `train` and `valid`, fit on `train`."""

    @abstractmethod
    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        """One predicted uplift per row."""

    def fit(self, train: Rows, valid: Rows, seed: int) -> Self:
        """Tune and fit; nothing but `train`, `valid` and `seed` decides the result."""
        if self.missing():
            raise ImportError(
                f"{self.name} is not installed: pip install {' '.join(self.missing())}"
            )
        for name, rows in (("train", train), ("valid", valid)):
            if not isinstance(rows, Rows):
                raise TypeError(
                    f"{name} is a {type(rows).__name__}; make it with twin.Rows.of(X, y, treatment)"
                )
            checks.both_arms(rows.treatment, f"treatment of {name}")
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise ValueError(f"seed is {seed!r}; it must be a whole number from 0 up")
        if valid.X.shape[1] != train.X.shape[1]:
            raise ValueError(
                f"train has {train.X.shape[1]} columns and valid has {valid.X.shape[1]}; "
                "give both the same columns"
            )
        self.n_features_in_, self.names_ = train.X.shape[1], train.names
        self.settings_, self.search_, self.seconds_ = {}, [], {"tune": 0.0, "fit": 0.0}
        self.warnings_: list[str] = []
        with self._quiet():
            for module in self.requires:  # before the clock starts
                import_module(module)
            given = (train, valid) if self.reads_truth else (_for_method(train), _for_method(valid))
            start = time.perf_counter()
            self._fit(*given, int(seed))
            taken = time.perf_counter() - start
        self._check_fitted()
        # Whatever a method does not book as tuning is fitting.
        self.seconds_["fit"] = taken - self.seconds_["tune"]
        return self

    def _check_fitted(self) -> None:
        """What a fit left behind is of the kind that tables and records expect."""
        if not isinstance(self.settings_, Mapping):
            raise TypeError(f"settings_ is {self.settings_!r:.60}; it must be a dictionary")
        for name in ("n_nodes_", "n_active_nodes_", "n_updates_"):
            value = getattr(self, name)
            if value is not None:
                checks.whole_number(value, name, 0)
        if not isinstance(self.seconds_, Mapping) or "tune" not in self.seconds_:
            raise TypeError(f"seconds_ is {self.seconds_!r:.60}; add to seconds_['tune'] only")
        for name, value in self.seconds_.items():
            if checks.number(value, f"seconds_[{name!r}]") < 0:
                raise ValueError(f"seconds_[{name!r}] is {value}; it must be 0 or more")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted uplift, one float64 per row."""
        if not hasattr(self, "n_features_in_"):
            raise ValueError(f"{self.name} is not fitted yet; call fit(train, valid, seed) first")
        names, X = checks.column_names(X), checks.covariates(X)
        if names is not None and names != self.names_ and sorted(names) == sorted(self.names_):
            raise ValueError(
                f"the columns of X are in another order than in training: {names[:3]}... "
                f"instead of {self.names_[:3]}...; reorder them"
            )
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} columns; {self.name} was fitted on {self.n_features_in_}"
            )
        with self._quiet():
            uplift = np.asarray(self._predict(X))
        if uplift.dtype.kind not in "fiub" or uplift.size != len(X):
            raise ValueError(
                f"{self.name} predicted {uplift.dtype} of shape {uplift.shape} for {len(X)} rows; "
                "_predict must return one number per row"
            )
        return uplift.astype(np.float64).reshape(len(X))

    def predict_rows(self, rows: Rows) -> NDArray[np.float64]:
        """Predicted uplift of `rows`; only the oracle looks at more than their covariates."""
        return self.predict(rows.X)

    def state(self) -> dict[str, Any]:
        """What the fitted method needs to predict: JSON values, numpy arrays and bytes.

        By default all private attributes, where each has a plain form (see `_state.py`); a method
        that holds anything else says that it cannot be kept.
        """
        _state = _keeping()
        if not hasattr(self, "n_features_in_"):
            raise ValueError(f"{self.name} is not fitted yet; call fit(train, valid, seed) first")
        private = {k: v for k, v in vars(self).items() if k.startswith("_")}
        try:
            own = {name: _state.pack(value) for name, value in private.items()}
        except _state.Unkept as error:
            raise NotImplementedError(f"{self.name} cannot be kept in a file: {error}") from None
        return {"n_features": self.n_features_in_, "names": list(self.names_ or ()), "own": own}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The fitted method that `state` came from; it predicts the same."""
        _state = _keeping()
        method = cls()
        method.n_features_in_ = int(state["n_features"])
        method.names_ = tuple(state["names"]) or None
        method.settings_, method.search_, method.seconds_ = {}, [], {"tune": 0.0, "fit": 0.0}
        method.warnings_ = []
        for name, value in state["own"].items():
            if not name.startswith("_") or hasattr(cls, name):  # nothing may replace its code
                raise ValueError(f"{cls.name} has no attribute {name!r} to restore")
            setattr(method, name, _state.unpack(value))
        return method

    def _score(self, valid: Rows, uplift: NDArray[np.floating], **settings: Any) -> float:
        """q_adj of a candidate's uplift on validation rows, recorded in `search_`."""
        score = adjusted_qini_score(valid.y, uplift, valid.treatment)
        self.search_.append({**settings, "q_adj": score})
        return score

    @property
    def active_grid(self) -> Mapping[str, Sequence[Any]]:
        """The grid in force: `quick_grid` replaces what it names in a quick run."""
        return {**self.grid, **self.quick_grid} if self.quick else self.grid

    @property
    def n_candidates_(self) -> int:
        """How many candidates the selection on validation rows saw (0: none)."""
        return len(self.search_)

    @classmethod
    def missing(cls) -> tuple[str, ...]:
        """The libraries to install before this method can run."""
        libraries = dict.fromkeys(module.partition(".")[0] for module in cls.requires)
        return tuple(name for name in libraries if importlib.util.find_spec(name) is None)

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Hold libraries to `threads`, collect their warnings, give global random state back."""
        numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
        try:
            with warnings.catch_warnings(record=True) as caught, threadpool_limits(self.threads):
                warnings.simplefilter("always")
                warnings.filterwarnings("ignore", category=PendingDeprecationWarning)
                yield
        finally:
            np.random.set_state(numpy_state)  # noqa: NPY002
            random.setstate(python_state)
        seen = dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)
        self.warnings_ = list(dict.fromkeys([*self.warnings_, *seen]))


def _keeping() -> ModuleType:
    """The module that keeps fitted methods; by name, because no number depends on it."""
    return import_module("baselines._state")


def _for_method(rows: Rows) -> Rows:
    """What a method gets to see: its own read-only copy of the rows, without the true uplift.

    A copy, because the arrays of a data set are parts of larger ones that hold the test rows.
    """
    arrays = [array.copy() for array in (rows.X, rows.y, rows.treatment)]
    for array in arrays:
        array.flags.writeable = False
    return Rows(*arrays, rows.names, None, rows.propensity)
