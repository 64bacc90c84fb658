"""Cells on this machine: one worker process a job."""

from multiprocessing.connection import wait

from suite.compute.cell import Outcome, Task
from suite.compute.slot import POLL_SECONDS, Limits, Slot
from suite.words import count


class LocalPool:
    """As many slots as jobs."""

    def __init__(self, jobs: int, limits: Limits) -> None:
        self.jobs = jobs
        self.place = f"{count(jobs, 'job')} on this machine"
        self._slots = [Slot(limits) for _ in range(jobs)]

    def free(self) -> int:
        """How many more tasks may be submitted now."""
        return sum(slot.task is None for slot in self._slots)

    def running(self) -> dict[str, float]:
        """Key and start (monotonic clock) of every task under way."""
        return {slot.task.key: slot.started for slot in self._slots if slot.task}

    def submit(self, task: Task) -> None:
        """Start a task; there must be a free slot."""
        next(slot for slot in self._slots if slot.task is None).start(task)

    def finished(self) -> list[tuple[str, Outcome]]:
        """Key and outcome of what has ended; waits a moment when nothing has."""
        busy = [slot for slot in self._slots if slot.task]
        wait([slot.connection for slot in busy], timeout=POLL_SECONDS)
        ended = []
        for slot in busy:
            key = slot.task.key
            if (outcome := slot.poll()) is not None:
                ended.append((key, outcome))
        return ended

    def close(self) -> None:
        """End all workers."""
        for slot in self._slots:
            slot.close()
