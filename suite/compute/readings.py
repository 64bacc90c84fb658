"""Several predictions of one training, each measured: what a probe reads off, what others predict.

A probe is a method of a side experiment. It has one prediction, as every method has, and beside it
readings: the prediction of each rule of selection, or of half a forest. Data may come with what
other programs predict for the test rows. All are measured where the outcomes are kept.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from datasets.contract import Dataset
from suite.compute import measures
from suite.compute.cell import Broken, array_digest, plain
from suite.compute.measures import Score, Truth

MARK = "reading "  # before its name, among the arrays of a message and of the kept predictions
MOST = 32  # readings of one cell

Floats = NDArray[np.float64]


class Read(NamedTuple):
    """A prediction of the test rows, and what the probe says of it, which decides no score."""

    uplift: Floats
    facts: Mapping[str, Any]


class Probe(Method):
    """A method off whose one training several predictions are read."""

    @abstractmethod
    def readings(self, X: NDArray[np.float32]) -> Mapping[str, Read]:
        """The readings of a fitted probe by name, at most `MOST`."""


@dataclass(frozen=True)
class Reading:
    """What was measured of one reading."""

    test: Score
    truth: Truth | None
    facts: Mapping[str, Any]
    predictions_sha256: str


def read_off(
    method: Method, X: NDArray[np.float32]
) -> tuple[dict[str, Mapping[str, Any]], dict[str, Floats]]:
    """Facts and predictions of the readings of a fitted method; none where it is no probe."""
    found = method.readings(X) if isinstance(method, Probe) else {}
    facts = {name: plain(read.facts) for name, read in found.items()}
    return facts, {MARK + name: np.asarray(read.uplift, float) for name, read in found.items()}


def measured(
    data: Dataset, predicted: Mapping[str, Floats], facts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Reading]:
    """The readings among `predicted`, and what other programs predict for the same rows."""
    found = {name: predicted[MARK + name] for name in facts}
    others: Mapping[str, Floats] = getattr(data, "others", {})
    for name, uplift in others.items():
        agreement = measures.rank_correlation(predicted["test"], uplift)
        found, facts = {**found, name: uplift}, {**facts, name: {"spearman": agreement}}
    for name, uplift in found.items():
        if uplift.shape != (len(data.test),) or not np.isfinite(uplift).all():
            raise Broken(f"the reading {name!r} is not one finite number per test row")
    return {
        name: Reading(
            measures.score(data.test, uplift),
            measures.truth(data.test, uplift),
            facts[name],
            array_digest(uplift),
        )
        for name, uplift in found.items()
    }
