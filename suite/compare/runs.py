"""What the rules see: the runs of a column, and the replicates that its rows share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from suite.compare.calibration import Calibration, calibration, slope_and_bias
from suite.compare.units import common_replicates
from twin.qini_error import standard_error

BOUNDS = ("oracle", "random")


@dataclass(frozen=True)
class Score:
    """The measures of one set of rows, in per cent (rho: -1 to 1)."""

    q: float
    rho: float
    q_adj: float


@dataclass(frozen=True)
class Bins:
    """The bins of the test rows, best first; responses are None where they were not kept."""

    predicted: list[float]
    observed: list[float]
    treated: list[float]
    control: list[float]
    treated_responses: list[float] | None
    control_responses: list[float] | None


@dataclass(frozen=True)
class Run:
    """One cell that succeeded."""

    method: str
    replicate: int
    train: Score
    valid: Score
    test: Score
    true_q: float | None
    oracle_q: float | None
    spearman: float | None
    pehe: float | None
    m_hat: int | None
    m: int | None
    candidates: int | None
    settings: Mapping[str, object]  # what was chosen
    seconds: float  # elapsed
    cpu_seconds: float | None
    memory_mb: float | None
    updates: int | None  # the training budget of a network
    rows: int  # of the whole data set
    train_rows: int
    p: int | None
    note: str  # on the data
    commit: str | None
    phi: list[float]
    gain: list[float]
    bins: Bins | None
    by_convention: Mapping[tuple[str, int], Score]  # (convention, J)
    # Bins are weighted by rows in calibration, because some run of the column lacks responses.
    by_rows: bool = False

    @property
    def q(self) -> float:
        return self.test.q

    @property
    def q_adj(self) -> float:
        return self.test.q_adj

    @property
    def regret(self) -> float | None:
        """The oracle's q minus the method's, both without outcome noise."""
        return None if self.true_q is None else self.oracle_q - self.true_q

    @cached_property
    def calibration(self) -> Calibration | None:
        """Predicted against observed uplift; None where the bins' responses were not kept."""
        b = self.bins
        if b is None or b.treated_responses is None or b.control_responses is None:
            return None
        return calibration(
            b.predicted, b.treated, b.control, b.treated_responses, b.control_responses
        )

    @cached_property
    def slope_and_bias(self) -> tuple[float | None, float] | None:
        """From the calibration, or weighted by rows where a run of the column has none."""
        if self.calibration is not None and not self.by_rows:
            return self.calibration.slope, self.calibration.bias
        if self.bins is None:
            return None
        rows = [n1 + n0 for n1, n0 in zip(self.bins.treated, self.bins.control, strict=True)]
        return slope_and_bias(self.bins.predicted, rows, self.bins.observed)

    @property
    def slope(self) -> float | None:
        return self.slope_and_bias and self.slope_and_bias[0]

    @property
    def bias(self) -> float | None:
        return self.slope_and_bias and self.slope_and_bias[1]

    @property
    def q_error(self) -> float | None:
        """Standard error of q within this test set; None where the responses were not kept."""
        b = self.bins
        if b is None or b.treated_responses is None or b.control_responses is None:
            return None
        return standard_error(b.treated, b.control, b.treated_responses, b.control_responses)


@dataclass(frozen=True)
class Frame:
    """The runs of one experiment in one variant: one column of the tables.

    Only replicates below `planned` count in tables, so that further ones, computed for the audit
    alone, change no number there.
    """

    planned: int
    every_run: tuple[Run, ...]
    failed: Mapping[str, int] = field(default_factory=dict)  # cells that failed, by method

    @cached_property
    def runs(self) -> dict[str, dict[int, Run]]:
        """Runs by method and replicate, the planned replicates only."""
        found: dict[str, dict[int, Run]] = {}
        for run in self.every_run:
            if run.replicate < self.planned:
                found.setdefault(run.method, {})[run.replicate] = run
        return found

    @cached_property
    def common(self) -> frozenset[int]:
        """The replicates R that every shown number of the column is a mean over."""
        return common_replicates({m: set(own) for m, own in self.runs.items() if m not in BOUNDS})

    @property
    def interim(self) -> bool:
        """Whether fewer replicates are there than were planned."""
        return len(self.common) < self.planned

    @property
    def size(self) -> str:
        """How many common replicates there are, and of how many if that is not yet all."""
        return f"{len(self.common)} of {self.planned}" if self.interim else str(len(self.common))

    def shown(self, method: str | None) -> list[Run]:
        """The runs of a method on the common replicates; none if it lacks some of them."""
        own = self.runs.get(method or "", {})
        if not self.common or not self.common <= own.keys():
            return []
        return [own[replicate] for replicate in sorted(self.common)]

    def count(self, method: str | None) -> int:
        """How many of the common replicates a method has."""
        return len(self.common & self.runs.get(method or "", {}).keys())

    @property
    def methods(self) -> list[str]:
        """The methods that are shown, bounds left aside, by name."""
        return sorted(m for m in self.runs if m not in BOUNDS and self.shown(m))


def by_score(source: Frame) -> list[str]:
    """The methods by mean q_adj on the common replicates, best first; then those that lack some."""

    def place(name: str) -> tuple[bool, float, str]:
        scores = [run.q_adj for run in source.shown(name)]
        return not scores, -float(np.mean(scores)) if scores else 0.0, name

    return sorted(source.runs, key=place)


def paired_spread(
    rows: Sequence[Sequence[Run]], number: Callable[[Run], float] = lambda run: run.q_adj
) -> float:
    """The median over pairs of rows of the spread of their paired differences."""
    series = [np.array([number(run) for run in runs]) for runs in rows]
    spreads = [float((a - b).std(ddof=1)) for a, b in combinations(series, 2)]
    return float(np.median(spreads))
