"""Cells on a cluster: a dask.distributed scheduler sends them to its workers.

On a worker a cell runs in a slot of its own, as on one machine: limits, crashes and one thread
a cell are the same. A worker that dies loses only what it was computing; dask sends that to
another one, and the record is written here, once.
"""

import threading
import time
from typing import Any

from suite.compute.cell import Outcome, Task, failure
from suite.compute.slot import POLL_SECONDS, Limits, Slot
from suite.names import UserError

CONNECT_SECONDS = 20
_here = threading.local()  # one slot a thread of a dask worker


def compute_in_slot(task: Task, limits: Limits) -> Outcome:
    """Runs on a dask worker."""
    if not hasattr(_here, "slot"):
        _here.slot = Slot(limits)
    _here.slot.limits = limits
    _here.slot.start(task)
    while (outcome := _here.slot.poll(POLL_SECONDS)) is None:
        if _cancelled():
            _here.slot.abandon()
            return failure("cancelled", 0.0)
    return outcome


def _cancelled() -> bool:
    """Whether the run that asked for the present task has given it up."""
    from distributed import get_worker

    worker = get_worker()
    state = worker.state.tasks.get(worker.get_current_task())
    return state is None or state.state == "cancelled"


class DaskPool:
    """The workers of a scheduler at `address`."""

    def __init__(self, address: str, limits: Limits) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise UserError(
                "--dask needs dask: pip install 'twin-uplift-suite[cluster]'"
            ) from error
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UserError(
                f"no dask scheduler answers at {address} ({error}); start one with `dask scheduler`"
            ) from error
        self.place = f"dask at {address}"
        self._limits = limits
        self._futures: dict[str, Any] = {}
        self._started: dict[str, float] = {}

    @property
    def jobs(self) -> int:
        """The threads of all workers; they may come and go. One until the first has come."""
        return max(1, sum(self._client.nthreads().values()))

    def free(self) -> int:
        """Two tasks a thread: one runs and the next is at hand."""
        return 2 * self.jobs - len(self._futures)

    def running(self) -> dict[str, float]:
        """Key and start of submission of every task under way."""
        return dict(self._started)

    def submit(self, task: Task) -> None:
        """Send a task to the scheduler."""
        # An unpure key of its own: dask must never answer from an earlier run's memory.
        self._futures[task.key] = self._client.submit(
            compute_in_slot, task, self._limits, key=f"{task.method}-{task.key}-{time.time_ns()}"
        )
        self._started[task.key] = time.monotonic()

    def finished(self) -> list[tuple[str, Outcome]]:
        """Key and outcome of what has ended; waits a moment when nothing has."""
        done = [key for key, future in self._futures.items() if future.done()]
        if not done:
            time.sleep(POLL_SECONDS)
        ended = []
        for key in done:
            future = self._futures.pop(key)
            elapsed = time.monotonic() - self._started.pop(key)
            error = future.exception()
            outcome = future.result() if error is None else failure(f"dask: {error!r}", elapsed)
            ended.append((key, outcome))
        return ended

    def close(self) -> None:
        """Cancel what is under way and leave the scheduler to others."""
        self._client.cancel(list(self._futures.values()), force=True)
        self._client.close()
