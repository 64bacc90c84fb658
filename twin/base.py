"""What all twin estimators share: checked input, prediction, score, storage."""

import warnings
from collections.abc import Callable
from functools import wraps
from importlib.metadata import PackageNotFoundError, version
from math import sqrt
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from twin import checks, saved
from twin.network import Network
from twin.qini import adjusted_qini_score
from twin.rows import Rows
from twin.trainer import Scaler

FORMAT = 1  # of saved files; raised when older code could misread a newer file


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A fit that fails leaves the estimator as it was, fitted or not."""

    @wraps(fit)
    def safe(self: "UpliftEstimator", *arguments: Any, **keywords: Any) -> "UpliftEstimator":
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **keywords)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return safe


class UpliftEstimator(BaseEstimator):
    """Base of the twin estimators. A fitted one predicts with the mean of its `networks_`."""

    # Pipeline.score hands sample_weight=None on whether it was given or not, and refuses what no
    # step has heard of. None here means: known, and an error where weights are really given.
    __metadata_request__score: ClassVar = {"sample_weight": None}

    networks_: tuple[Network, ...]
    scaler_: Scaler
    n_features_in_: int

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted uplift u(x) = Pr(Y = 1 | x, t = 1) - Pr(Y = 1 | x, t = 0), one per row."""
        X = self._check_predict_input(X)
        return np.mean([network.uplift(X) for network in self.networks_], axis=0)

    def predict_outcomes(self, X: Any) -> NDArray[np.float64]:
        """Pr(Y = 1 | x, t), shape (n, 2): columns control (t = 0), treated (t = 1)."""
        X = self._check_predict_input(X)
        logits = [network.logits(X).astype(np.float64) for network in self.networks_]
        return np.mean([1 / (1 + np.exp(-a)) for a in logits], axis=0)

    def score(self, X: Any, y: Any, treatment: Any) -> float:
        """q_adj of the predictions, in per cent (10 bins, the paper's convention)."""
        return float(adjusted_qini_score(y, self.predict(X), treatment))

    @property
    def n_active_nodes_(self) -> int:
        """m_hat: hidden nodes in the (first) fitted network."""
        self._check_fitted()
        return sum(self.networks_[0].hidden)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to `path`: plain arrays and JSON in an .npz file, no pickle."""
        self._check_fitted()
        about = {
            "format": FORMAT,
            "class": type(self).__name__,
            "version": _own_version(),
            "params": self.get_params(),
            "names": list(getattr(self, "feature_names_in_", [])),
            "networks": len(self.networks_),
        }
        arrays = {"mean": self.scaler_.mean, "inverse_scale": self.scaler_.inverse_scale}
        for i, network in enumerate(self.networks_):
            arrays |= {f"network{i}/{name}": a for name, a in network.arrays().items()}
        saved.write(path, about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The fitted model that `save` wrote; it predicts the same, bit for bit."""
        about, arrays = saved.read(path)
        try:
            return cls._restored(about, arrays)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{path} cannot be loaded as a {cls.__name__}: {reason}") from None

    @classmethod
    def _restored(cls, about: dict[str, Any], arrays: saved.Arrays) -> Self:
        if checks.whole_number(about["format"], "format", 1) > FORMAT:
            raise ValueError(
                f"it has format {about['format']} (written by version {about.get('version')}); "
                f"this version reads up to {FORMAT}: upgrade twin-uplift-suite"
            )
        if about["class"] != cls.__name__:
            raise ValueError(f"it holds a {about['class']}; load it with {about['class']}.load")
        count = checks.whole_number(about["networks"], "the number of networks", 1)
        model = cls(**_tuples(about["params"]))
        model.scaler_ = Scaler.from_arrays(arrays.pop("mean"), arrays.pop("inverse_scale"))
        model.n_features_in_ = len(model.scaler_.mean)
        names = about["names"]
        if names:
            if len(names) != model.n_features_in_ or not all(isinstance(n, str) for n in names):
                raise ValueError(f"it has {len(names)} names for {model.n_features_in_} columns")
            model.feature_names_in_ = np.asarray(names, dtype=object)
        networks = []
        for i in range(count):
            prefix = f"network{i}/"
            own = [name for name in arrays if name.startswith(prefix)]
            parts = {name.removeprefix(prefix): arrays.pop(name) for name in own}
            networks.append(Network.from_arrays(parts, model.n_features_in_))
        if arrays:
            raise ValueError(f"it holds an array that no model has: {min(arrays)!r:.60}")
        model.networks_ = tuple(networks)
        return model

    def _check_fit_input(
        self, X: Any, y: Any, treatment: Any, validation: Any
    ) -> tuple[Rows, Rows | None]:
        """Training and validation rows; sets seed_, propensity_ and the feature attributes."""
        names = checks.column_names(X)
        rows = Rows.of(X, y, treatment)
        self.n_features_in_ = rows.X.shape[1]
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.seed_ = _seed(self.random_state)
        valid = None
        if isinstance(validation, Real) and not isinstance(validation, bool):
            rows, valid = _split(rows, validation, self.seed_)
        elif isinstance(validation, tuple | list) and len(validation) == 3:
            self._check_columns(validation[0])
            valid = Rows.of(*validation)
        elif validation is not None:
            raise ValueError(
                f"validation is {validation!r:.60}; "
                "give (X, y, treatment) or a fraction such as 0.3"
            )
        if isinstance(self.propensity, str) and self.propensity == "estimate":
            self.propensity_ = float(rows.treatment.mean())
        else:
            self.propensity_ = checks.propensity_value(self.propensity)
            _compare_with_share(self.propensity_, rows)
        checks.both_outcomes(rows.y)
        return rows, valid

    def _check_predict_input(self, X: Any) -> NDArray[np.float32]:
        """X as standardised float32, with the columns of the fit."""
        self._check_fitted()
        self._check_columns(X)
        return self.scaler_.standardised(checks.covariates(X))

    def _check_columns(self, X: Any) -> None:
        shape = np.shape(X)
        if len(shape) == 2 and shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {shape[1]} columns; "
                f"{type(self).__name__} was fitted on {self.n_features_in_}"
            )
        given, fitted = checks.column_names(X), getattr(self, "feature_names_in_", None)
        if given is None or fitted is None or list(given) == list(fitted):
            return
        j = next(j for j, (a, b) in enumerate(zip(given, fitted, strict=True)) if a != b)
        raise ValueError(
            f"column {j} of X is {given[j]!r}; the fit had {fitted[j]!r} there: "
            "give the same columns in the same order"
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "networks_"):
            name = type(self).__name__
            raise NotFittedError(f"this {name} is not fitted yet; call fit(X, y, treatment) first")


def _compare_with_share(e: float, rows: Rows) -> None:
    """Warn where the share of treated rows is more than six standard errors from e."""
    share = rows.treatment.mean()
    if abs(share - e) > 6 * sqrt(e * (1 - e) / len(rows)):
        warnings.warn(
            f"propensity is {e}, but {share:.1%} of the {len(rows)} rows are treated; "
            "give propensity='estimate', or the share that treatment was drawn with",
            stacklevel=5,  # the line that calls fit
        )


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return np.random.SeedSequence().entropy
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ValueError(f"random_state is {random_state!r}; give a whole number or None")
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}; it must be 0 or more")
    return int(random_state)


def _split(rows: Rows, fraction: float, seed: int) -> tuple[Rows, Rows]:
    """Training and validation rows; the second get `fraction` of the rows, drawn at random."""
    if not 0 < fraction < 1:
        raise ValueError(f"validation is {fraction}; a fraction must lie between 0 and 1")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,)))
    order = rng.permutation(len(rows))
    cut = round(len(rows) * fraction)
    if cut in (0, len(rows)):
        raise ValueError(
            f"validation is {fraction}: of {len(rows)} rows {cut} would validate and "
            f"{len(rows) - cut} train; both need rows of both arms"
        )
    parts = rows.take(np.sort(order[cut:])), rows.take(np.sort(order[:cut]))
    for name, part in zip(("training", "validation"), parts, strict=True):
        checks.both_arms(part.treatment, f"treatment of the {name} rows")
    return parts


def _own_version() -> str:
    try:
        return version("twin-uplift-suite")
    except PackageNotFoundError:  # used from a checkout that is not installed
        return "unknown"


def _tuples(value: Any) -> Any:
    """JSON knows no tuples: lists become tuples again."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
