"""Units on a cluster: a dask.distributed scheduler sends them to its workers.

There each unit runs in a process of its own, as on one machine: limits, failures and numbers are
the same. The setup travels once to each worker that needs it.
"""

import pickle
import tempfile
import threading
import time
from typing import Any

from suite import names
from suite.campaign.errors import UserError
from suite.campaign.slot import POLL_SECONDS, Limits, Slot, Unit
from suite.campaign.store import Result
from suite.compute.cluster import DaskPool

_here = threading.local()  # one slot for each thread of a dask worker


def compute_unit(setup: bytes, mark: int, unit: Unit, limits: Limits) -> Result:
    """Runs on a dask worker; `mark` tells the setups of different runs apart."""
    if getattr(_here, "mark", None) != mark:
        if hasattr(_here, "slot"):
            _here.slot.close()
        _here.file = tempfile.NamedTemporaryFile(suffix=".setup")  # noqa: SIM115
        _here.file.write(setup)
        _here.file.flush()
        _here.slot, _here.mark = Slot(_here.file.name, limits), mark
    _here.slot.start(unit)
    while (result := _here.slot.poll()) is None:
        if _cancelled():
            _here.slot.give_up("cancelled")
            return Result(error="cancelled")
        time.sleep(POLL_SECONDS)
    return result


def _cancelled() -> bool:
    """Whether the run that asked for the present unit has given it up."""
    from distributed import get_worker

    worker = get_worker()
    state = worker.state.tasks.get(worker.get_current_task())
    return state is None or state.state == "cancelled"


class Cluster(DaskPool):
    """The workers of a scheduler at `address`, with units for the cells of a benchmark."""

    def __init__(self, address: str, setup: Any, limits: Limits) -> None:
        try:
            super().__init__(address, limits)
        except names.UserError as error:
            raise UserError(str(error)) from error
        self._mark = time.time_ns()
        try:  # to all of them, so that it is not lost with one
            self._setup = self._client.scatter(pickle.dumps(setup), broadcast=True, hash=False)
        except TimeoutError as error:
            raise UserError(
                f"the dask scheduler at {address} has no worker; start one with `dask worker`"
            ) from error

    def submit(self, unit: Unit) -> None:
        """Send a unit to the scheduler."""
        # A key of its own each time: dask must never answer from an earlier run's memory.
        name = f"{unit.task}-{time.time_ns()}"
        self._futures[unit.key] = self._client.submit(
            compute_unit, self._setup, self._mark, unit, self._limits, key=name
        )
        self._started[unit.key] = time.monotonic()

    def finished(self) -> list[tuple[str, Result]]:
        """Key and result of what has ended; a worker that is lost for good is a failure."""
        return [
            (key, found if isinstance(found, Result) else Result(error=found.error))
            for key, found in super().finished()
        ]
