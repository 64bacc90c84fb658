"""What a task may use, what a cell took, and what it came to."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from numpy.typing import NDArray

from suite.compute.cell import Result
from suite.compute.environment import Machine, machine
from suite.compute.readings import Reading
from suite.words import printable

LONGEST_ERROR = 10_000  # characters that are kept of an error, from its end


@dataclass(frozen=True)
class Limits:
    """What one task may use."""

    seconds: float
    memory_mb: float


@dataclass(frozen=True)
class Cost:
    """What a cell took."""

    seconds: Mapping[str, float]
    cpu_seconds: float | None = None  # unlike seconds, not stretched on a busy machine
    peak_memory_mb: float | None = None

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())


@dataclass(frozen=True)
class Outcome:
    """What a cell came to: a result, or an error."""

    result: Result | None
    error: str | None
    cost: Cost
    machine: Machine
    warnings: tuple[str, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict)
    # What is kept: `test`, the predictions of the test rows; `row_numbers` of real data; readings.
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def failure(error: str, seconds: float, on: Machine | None = None) -> Outcome:
    """The outcome of a cell that gave no number."""
    return Outcome(None, end_of(error), Cost({"failed": seconds}), on or machine())


def end_of(error: str) -> str:
    """What is kept of an error's text; never nothing."""
    return printable(error[-LONGEST_ERROR:]) or "no reason given"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_memory_mb(jobs: int) -> float:
    """An equal share of nine tenths of the machine's memory, so that no task starves the others."""
    return 0.9 * _machine_memory() / jobs / 1024**2


def _machine_memory() -> int:
    limit = Path("/sys/fs/cgroup/memory.max")  # a container may have less than its host
    total = psutil.virtual_memory().total
    if limit.is_file() and (text := limit.read_text().strip()) != "max":
        return min(total, int(text))
    return total
