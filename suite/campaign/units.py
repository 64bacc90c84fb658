"""Independent pieces of work in worker processes, each kept on disk as it ends.

The one function others call is `run_units`. A unit's result depends on the unit and the setup
alone, so order and number of workers move no number, and a run that was killed goes on where it
was. What raises, hangs, crashes or takes too much memory is a failed result, not an exception.
"""

import pickle
import tempfile
from collections.abc import Iterable
from multiprocessing.connection import wait
from typing import Any, Protocol

from suite.campaign.errors import UserError
from suite.campaign.slot import POLL_SECONDS, Limits, Slot, Unit
from suite.campaign.store import Result, Store


class Pool(Protocol):
    """Where units are computed: processes of this machine, or a cluster."""

    @property
    def jobs(self) -> int:
        """How many are computed at a time."""

    def free(self) -> int:
        """How many more may be submitted now."""

    def submit(self, unit: Unit) -> None:
        """Start a unit; there must be a free place."""

    def finished(self) -> list[tuple[str, Result]]:
        """Key and result of what has ended; waits a moment when nothing has."""

    def close(self) -> None:
        """End all processes."""


class Workers:
    """As many worker processes as jobs, started when first needed; each takes `setup` once."""

    def __init__(self, jobs: int, setup: Any, limits: Limits | None = None) -> None:
        if jobs < 1:
            raise UserError(f"--jobs is {jobs}; it must be at least 1")
        self._file = tempfile.NamedTemporaryFile(suffix=".setup")  # noqa: SIM115
        pickle.dump(setup, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.flush()
        self.jobs = jobs
        self._slots = [Slot(self._file.name, limits or Limits()) for _ in range(jobs)]

    def free(self) -> int:
        return sum(slot.unit is None for slot in self._slots)

    def submit(self, unit: Unit) -> None:
        next(slot for slot in self._slots if slot.unit is None).start(unit)

    def finished(self) -> list[tuple[str, Result]]:
        busy = [slot for slot in self._slots if slot.unit]
        wait([slot.connection for slot in busy], timeout=POLL_SECONDS)
        ended = [(slot.unit.key, slot.poll()) for slot in busy]
        return [(key, result) for key, result in ended if result is not None]

    def close(self) -> None:
        for slot in self._slots:
            slot.close()
        self._file.close()


def run_units(units: Iterable[Unit], pool: Pool, store: Store) -> dict[str, Result]:
    """Results by key; those in `store` are not computed again."""
    results, waiting, running = {}, [], 0
    for unit in units:
        found = store.get(unit.key)
        if found is None:
            waiting.append(unit)
        else:
            results[unit.key] = found
    waiting.reverse()
    while waiting or running:
        while waiting and pool.free() > 0:
            pool.submit(waiting.pop())
            running += 1
        for key, result in pool.finished():
            store.put(key, result)
            results[key] = result
            running -= 1
    return results
