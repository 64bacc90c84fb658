"""Tasks on a cluster: a dask.distributed scheduler sends them to its workers.

On a worker a task runs in a slot, as on one machine: limits, crashes and one thread for each task
are the same. A worker that dies loses only what it was computing; dask sends that to another one,
and the outcome is kept here, once.
"""

import threading
import time
from typing import Any

from suite.compute.outcome import Limits
from suite.compute.process import ForkServer
from suite.compute.slot import POLL_SECONDS, Slot, Task
from suite.names import UserError

CONNECT_SECONDS = 20
_server = ForkServer()  # one for each process of a dask worker
_here = threading.local()  # one slot for each of its threads


def compute_in_slot(
    pool: int, kind: type[Slot], limits: Limits, task: Task, given: tuple, *shared: Any
) -> Any:
    """Runs on a dask worker; `pool` tells the runs apart."""
    if getattr(_here, "pool", None) != pool:
        if hasattr(_here, "slot"):
            _here.slot.close()
        _here.slot, _here.pool = kind(_server, limits, *shared), pool
    _here.slot.start(task, *given)
    while (outcome := _here.slot.poll()) is None:
        if _cancelled():
            _here.slot.abandon()
            return kind.failure("cancelled", 0.0)
        time.sleep(POLL_SECONDS)
    return outcome


def _cancelled() -> bool:
    """Whether the run that asked for the present task has given it up."""
    from distributed import get_worker

    worker = get_worker()
    state = worker.state.tasks.get(worker.get_current_task())
    return state is None or state.state == "cancelled"


class DaskPool:
    """The workers of a scheduler at `address`; `shared` travels once to each of them."""

    def __init__(self, address: str, kind: type[Slot], limits: Limits, *shared: Any) -> None:
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
        self._slot = (time.time_ns(), kind, limits)
        try:  # to all workers, so that it is not lost with one
            self._shared = [
                self._client.scatter(item, broadcast=True, hash=False) for item in shared
            ]
        except TimeoutError as error:
            raise UserError(
                f"the dask scheduler at {address} has no worker; start one with `dask worker`"
            ) from error
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

    def submit(self, task: Task, *given: Any) -> None:
        """Send a task to the scheduler, with what it needs beside itself."""
        # A name of its own each time: dask must never answer from an earlier run's memory.
        self._futures[task.key] = self._client.submit(
            compute_in_slot, *self._slot, task, given, *self._shared,
            key=f"{task.method}-{task.key}-{time.time_ns()}",
        )  # fmt: skip
        self._started[task.key] = time.monotonic()

    def finished(self) -> list[tuple[str, Any]]:
        """Key and outcome of what has ended; waits a moment when nothing has."""
        done = [key for key, future in self._futures.items() if future.done()]
        if not done:
            time.sleep(POLL_SECONDS)
        ended = []
        for key in done:
            future = self._futures.pop(key)
            elapsed = time.monotonic() - self._started.pop(key)
            error = future.exception()
            _, kind, _ = self._slot
            outcome = kind.failure(f"dask: {error!r}", elapsed) if error else future.result()
            ended.append((key, outcome))
        return ended

    def drop(self) -> None:
        """Give up what is under way."""
        self._client.cancel(list(self._futures.values()), force=True)
        self._futures.clear()
        self._started.clear()

    def close(self) -> None:
        """Cancel what is under way and leave the scheduler to others."""
        self.drop()
        self._client.close()
