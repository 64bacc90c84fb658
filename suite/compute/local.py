"""Cells on this machine: as many places as jobs, one server that forks."""

import time
from collections.abc import Mapping
from typing import Any

from suite.compute.outcome import Limits, Outcome
from suite.compute.process import ForkServer
from suite.compute.slot import POLL_SECONDS, Slot
from suite.plan.cell import Planned
from suite.words import count


class LocalPool:
    """As many slots as jobs."""

    def __init__(self, jobs: int, limits: Limits) -> None:
        self.jobs = jobs
        self.place = f"{count(jobs, 'job')} on this machine"
        self._server = ForkServer()
        self._slots = [Slot(self._server, limits) for _ in range(jobs)]

    def free(self) -> int:
        """How many more tasks may be submitted now."""
        return sum(slot.task is None for slot in self._slots)

    def running(self) -> dict[str, float]:
        """Key and start (monotonic clock) of every task under way."""
        return {slot.task.key: slot.started for slot in self._slots if slot.task}

    def submit(self, task: Planned, upstream: Mapping[str, Any] | None) -> None:
        """Start a task; there must be a free slot."""
        next(slot for slot in self._slots if slot.task is None).start(task, upstream)

    def finished(self) -> list[tuple[str, Outcome]]:
        """Key and outcome of what has ended; waits a moment when nothing has."""
        ended = []
        for slot in self._slots:
            if slot.task is not None:
                key = slot.task.key
                if (outcome := slot.poll()) is not None:
                    ended.append((key, outcome))
        if not ended:
            time.sleep(POLL_SECONDS)
        return ended

    def close(self) -> None:
        """End all processes."""
        for slot in self._slots:
            slot.close()
        self._server.close()
