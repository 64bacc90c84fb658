"""A place to compute units: one process serves many, and is ended with the one that fails.

It stays because the rows are taken, and encoded, once for all units.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from suite.campaign.setup import SetupFile
from suite.campaign.store import Result
from suite.compute import messages
from suite.compute.outcome import Limits, end_of
from suite.compute.process import ForkServer
from suite.compute.slot import Phase, Slot, understood


@dataclass(frozen=True)
class Unit:
    """One piece of work: a function of `suite.campaign.work` by name, and its arguments."""

    task: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of its result on disk."""
        parts = (f"{name}={value}" for name, value in sorted(self.arguments.items()))
        return " ".join((self.task, *parts))

    @property
    def method(self) -> str:
        """What it runs."""
        return self.arguments.get("method", self.task)


class UnitSlot(Slot):
    """Computes one unit at a time; a new process after every failure."""

    time_limit = memory_limit = "the limit of one fit"

    def __init__(self, server: ForkServer, limits: Limits, setup: SetupFile) -> None:
        super().__init__(server, limits)
        self._setup = setup

    @staticmethod
    def failure(error: str, seconds: float) -> Result:
        """The result of a unit that failed."""
        return Result(error=end_of(error), seconds=seconds)

    def _begin(self) -> Phase:
        if self._worker is not None and not self._worker.gone():
            return self._asked()
        self._end_worker()
        self._worker = self._server.fork("suite.campaign.worker")
        self.started = time.monotonic()  # the server's first imports are nobody's time
        self._ask(self._worker, messages.packed({"setup": self._setup.path}))
        return self._await_setup

    def _await_setup(self) -> None:
        if self._answer(self._worker) is not None:
            self.started = time.monotonic()  # the clock of the unit runs from here on
            self._phase = self._asked()

    def _asked(self) -> Phase:
        request = {"task": self.task.task, "arguments": self.task.arguments}
        self._ask(self._worker, messages.packed(request))
        return self._await_result

    def _await_result(self) -> Result | None:
        if (found := self._answer(self._worker)) is None:
            return None
        answer, arrays = found
        if not self._worker.alone():
            self._end_worker()  # what a unit started ends with it
        with understood("its process sent what is no answer"):
            return Result(arrays, dict(answer["values"]), float(answer["seconds"]))
