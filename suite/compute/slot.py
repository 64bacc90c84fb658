"""One place to compute: processes of its own, watched from here, within limits.

What raises, hangs, exhausts its memory, crashes, or says what is no answer ends as a failed
outcome.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

from suite.compute import messages
from suite.compute.child import Child
from suite.compute.messages import LARGEST_MESSAGE
from suite.compute.outcome import Limits
from suite.compute.process import ForkServer

POLL_SECONDS = 0.1  # an answer wakes who waits for it; this is for limits and what is printed
LOOK_SECONDS = 0.2  # to add up the memory of a tree of processes takes a while itself

Phase = Callable[[], Any]  # gives the outcome, None for now


class Task(Protocol):
    """What is computed."""

    @property
    def key(self) -> str:
        """Tells it from others."""

    @property
    def method(self) -> str:
        """What it runs: tasks of one method take about the same time."""


class Failed(Exception):
    """Why the present task has no result."""


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Reads an answer, which may hold anything; one of another form fails the task: `what`."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(f"{what}: {error}") from None


def _fail(error: Failed) -> None:
    raise error


class Slot(ABC):
    """Computes one task at a time, phase by phase; a phase waits for one answer."""

    time_limit = memory_limit = "the limit of one task"  # as errors call them

    def __init__(self, server: ForkServer, limits: Limits) -> None:
        self.task: Task | None = None
        self.started = 0.0
        self._server, self._limits = server, limits
        self._worker: Child | None = None  # where methods run
        self.awaited: Child | None = None  # who owes an answer

    @abstractmethod
    def _begin(self, *given: Any) -> Phase:
        """Begin the present task; its first phase."""

    @staticmethod
    @abstractmethod
    def failure(error: str, seconds: float) -> Any:
        """The outcome of a task that failed."""

    def start(self, task: Task, *given: Any) -> None:
        """Begin `task`; `given` is what it needs beside itself."""
        self.task, self.started = task, time.monotonic()
        self._peak = self._looked = 0.0
        try:
            self._phase = self._begin(*given)
        except Failed as error:
            self._phase = partial(_fail, error)

    def poll(self) -> Any:
        """The outcome of the present task, None while it runs."""
        try:
            outcome = self._phase()
            if outcome is None:
                self._check_limits()
                return None
        except Failed as error:
            outcome = self.failure(str(error), time.monotonic() - self.started)
            self.abandon()
        self.task = None
        return outcome

    def abandon(self) -> None:
        """Give up the present task, if there is one."""
        self.task = None
        self._end_worker()

    def close(self) -> None:
        """End all processes."""
        self.abandon()

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ask(self, child: Child, pieces: list[memoryview], most: int = LARGEST_MESSAGE) -> None:
        self.awaited = child
        try:
            child.ask(pieces, most)
        except OSError:
            raise Failed(child.why_gone()) from None

    def _answer(self, child: Child) -> tuple[dict, dict] | None:
        try:
            found = child.answer()
        except EOFError:
            raise Failed(child.why_gone()) from None
        except messages.BadMessage as error:
            raise Failed(f"its process sent what is no answer: {error}") from None
        if found is not None and "error" in found[0]:
            raise Failed(str(found[0]["error"]))
        return found

    def _check_limits(self) -> None:
        seconds, memory_mb = self._limits.seconds, self._limits.memory_mb
        if time.monotonic() - self.started > seconds:
            raise Failed(f"stopped after {seconds:g} s, {self.time_limit}")
        if self._worker is None or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        used, self._looked = self._worker.memory_mb(), time.monotonic()
        self._peak = max(self._peak, used)
        if used > memory_mb:
            most = f"{self.memory_limit} is {memory_mb:,.0f} MB"
            raise Failed(f"stopped at {used:,.0f} MB of memory; {most}")
