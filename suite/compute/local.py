"""Where tasks are computed: this machine, as many places as jobs, one server that forks."""

import select
from typing import Any, Protocol

from suite.compute.outcome import Limits
from suite.compute.process import ForkServer
from suite.compute.slot import POLL_SECONDS, Slot, Task
from suite.words import count


class Pool(Protocol):
    """Where tasks are computed: this machine or a cluster."""

    place: str
    jobs: int

    def free(self) -> int: ...
    def running(self) -> dict[str, float]: ...
    def submit(self, task: Task, *given: Any) -> None: ...
    def finished(self) -> list[tuple[str, Any]]: ...
    def drop(self) -> None: ...
    def close(self) -> None: ...


class LocalPool:
    """As many slots of a kind as jobs; `shared` is what all of its tasks need."""

    def __init__(self, jobs: int, kind: type[Slot], limits: Limits, *shared: Any) -> None:
        self.jobs = jobs
        self.place = f"{count(jobs, 'job')} on this machine"
        self._server = ForkServer()
        self._slots = [kind(self._server, limits, *shared) for _ in range(jobs)]

    def free(self) -> int:
        """How many more tasks may be submitted now."""
        return sum(slot.task is None for slot in self._slots)

    def running(self) -> dict[str, float]:
        """Key and start (monotonic clock) of every task under way."""
        return {slot.task.key: slot.started for slot in self._slots if slot.task}

    def submit(self, task: Task, *given: Any) -> None:
        """Start a task, with what it needs beside itself; there must be a free slot."""
        next(slot for slot in self._slots if slot.task is None).start(task, *given)

    def finished(self) -> list[tuple[str, Any]]:
        """Key and outcome of what has ended; waits a moment when nothing has."""
        ended = []
        for slot in self._slots:
            if slot.task is not None:
                key = slot.task.key
                if (outcome := slot.poll()) is not None:
                    ended.append((key, outcome))
        if not ended:
            waiting = [slot.awaited for slot in self._slots if slot.task and slot.awaited]
            open_ = [child.connection for child in waiting if child.open]
            select.select(open_, [], [], POLL_SECONDS)
        return ended

    def drop(self) -> None:
        """Give up what is under way."""
        for slot in self._slots:
            slot.abandon()

    def close(self) -> None:
        """End all processes."""
        for slot in self._slots:
            slot.close()
        self._server.close()
