"""One cell: what a method gets to see, what it gives back, and what is measured of that.

Everything here decides numbers. A method runs in a process that holds training and validation rows
and covariates of test rows; another, which runs no method, holds the outcomes and measures.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import datasets
from baselines.contract import Method
from datasets.contract import Dataset
from suite.compute import measures
from suite.compute.measures import Bin, Curve, Score, Truth
from suite.compute.pinned import THREADS
from twin.rows import Rows

PARTS = ("train", "valid", "test")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """All that must be the same wherever and however often a cell is computed."""

    train: Score
    valid: Score
    test: Score
    truth: Truth | None
    bins: tuple[Bin, ...]
    curve: Curve
    sensitivity: Mapping[str, Mapping[str, Score]]  # by convention and number of bins
    settings: Mapping[str, Any]
    candidates: int
    m: int | None
    m_hat: int | None
    updates: int | None  # the training budget of a network
    rows: Mapping[str, int]
    p: int
    note: str
    data_sha256: str | None = None  # of the rows as loaded
    predictions_sha256: str | None = None  # of the test rows

    def numbers(self) -> "Result":
        """Without what earlier records did not hold, for comparing with them."""
        bins = tuple(replace(b, treated_responses=None, control_responses=None) for b in self.bins)
        return replace(self, bins=bins, data_sha256=None, predictions_sha256=None)


@dataclass(frozen=True)
class Fitted:
    """What a method says of its fit. It is recorded, and decides no score."""

    settings: Mapping[str, Any]
    candidates: int
    m: int | None
    m_hat: int | None
    updates: int | None
    seconds: Mapping[str, float]
    cpu_seconds: float
    warnings: tuple[str, ...] = field(default=())


class Broken(Exception):
    """A method that does not keep its contract."""


def load(source: str, options: Mapping[str, Any], replicate: int) -> Dataset:
    """The rows of a cell."""
    return datasets.load(source, replicate=replicate, **options)


def handed_on(result: Result) -> dict[str, Any]:
    """What a method learns from the fit that it starts from."""
    return {"n_active_nodes": result.m_hat, "settings": result.settings}


def visible(data: Dataset, reads_truth: bool) -> Dataset:
    """What a method may see: no outcome, treatment or truth of the test rows.

    The oracle of simulated data alone, which is a bound and no method, is given the truth.
    """

    def rows(part: Rows, blank: bool) -> Rows:
        hidden = np.zeros(len(part), dtype=np.int8)
        return replace(
            part,
            y=hidden if blank else part.y,
            treatment=hidden if blank else part.treatment,
            true_uplift=part.true_uplift if reads_truth else None,
            row_numbers=None,
        )

    return replace(
        data,
        train=rows(data.train, blank=False),
        valid=rows(data.valid, blank=False),
        test=rows(data.test, blank=True),
    )


def fit_and_predict(
    method_class: type[Method],
    data: Dataset,
    *,
    seed: int,
    quick: bool,
    upstream: Mapping[str, Any] | None,
    reads_truth: bool,
) -> tuple[Fitted, dict[str, Floats]]:
    """Fit a method and predict the uplift of the rows of each part."""
    method = method_class(threads=THREADS, quick=quick, upstream_result=upstream)

    def predict(part: Rows) -> Floats:
        return method.predict_rows(part) if reads_truth else method.predict(part.X)

    cpu_start = time.process_time()
    method.fit(data.train, data.valid, seed)
    start = time.perf_counter()
    test = predict(data.test)
    predict_seconds = time.perf_counter() - start
    cpu_seconds = time.process_time() - cpu_start
    if not np.array_equal(test, predict(data.test)):
        raise Broken(
            f"{method.name} predicts the same rows differently when asked twice; "
            "draw random numbers in _fit, from its seed"
        )
    predicted = {"train": predict(data.train), "valid": predict(data.valid), "test": test}
    return Fitted(
        settings=plain(method.settings_),
        candidates=method.n_candidates_,
        m=plain(method.n_nodes_),
        m_hat=plain(method.n_active_nodes_),
        updates=plain(method.n_updates_),
        seconds=plain({**method.seconds_, "predict": predict_seconds}),
        cpu_seconds=cpu_seconds,
        warnings=tuple(str(text) for text in method.warnings_[:15]),
    ), predicted


def measure(data: Dataset, predicted: Mapping[str, Floats], fitted: Fitted) -> Result:
    """Score the predictions on the outcomes that their method did not see."""
    for part in PARTS:
        expected, found = (len(getattr(data, part)),), predicted[part].shape
        if found != expected:
            raise Broken(f"{found} predictions of the {part} rows instead of {expected}")
        if not np.isfinite(predicted[part]).all():
            raise Broken(f"a prediction of the {part} rows is not a finite number")
    bins, curve = measures.bin_table(data.test, predicted["test"])
    return Result(
        **{part: measures.score(getattr(data, part), predicted[part]) for part in PARTS},
        truth=measures.truth(data.test, predicted["test"]),
        bins=bins,
        curve=curve,
        sensitivity=measures.sensitivity(data.test, predicted["test"]),
        settings=fitted.settings,
        candidates=fitted.candidates,
        m=fitted.m,
        m_hat=fitted.m_hat,
        updates=fitted.updates,
        rows={part: len(getattr(data, part)) for part in PARTS},
        p=data.train.X.shape[1],
        note=data.note,
        data_sha256=data_digest(data),
        predictions_sha256=array_digest(predicted["test"]),
    )


def data_digest(data: Dataset) -> str:
    """A digest of every row of a data set."""
    rows = (getattr(data, part) for part in PARTS)
    return array_digest(*(array for part in rows for array in (part.X, part.y, part.treatment)))


def array_digest(*arrays: NDArray[Any]) -> str:
    """A digest of the values, types and shapes of arrays."""
    joined = hashlib.sha256()
    for array in arrays:
        joined.update(f"{array.dtype.str} {array.shape}".encode())
        joined.update(np.ascontiguousarray(array).data)
    return joined.hexdigest()[:16]


def plain(value: Any) -> Any:
    """`value` as JSON gives it back, so that a result is the same from memory and from a record."""

    def convert(item: Any) -> Any:
        if isinstance(item, np.generic):
            return item.item()
        return item.tolist() if isinstance(item, np.ndarray) else str(item)

    # What is not finite has no place in JSON, and comes back as text.
    return json.loads(json.dumps(value, default=convert), parse_constant=str)
