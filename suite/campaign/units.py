"""Independent pieces of work in worker processes, each kept on disk as it ends.

The one function others call is `run_units`. A unit's result depends on the unit and the setup
alone, so order and number of workers move no number, and a run that was killed goes on where it
was. What raises, hangs, crashes or takes too much memory is a failed result, not an exception.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from socket import socketpair
from typing import Any, Self

import psutil

from suite.campaign.errors import UserError
from suite.campaign.store import Result, Store
from suite.compute.environment import of_a_worker

POLL_SECONDS = 0.2
START_SECONDS = 600.0  # to import and to take the setup, before the clock of a unit runs
ROOT = Path(__file__).resolve().parents[2]


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


@dataclass(frozen=True)
class Limits:
    """What one unit may use."""

    seconds: float = 3600.0
    memory_mb: float = field(default_factory=lambda: 0.8 * psutil.virtual_memory().total / 1024**2)


class Workers:
    """As many worker processes as jobs, started when first needed; each takes `setup` once."""

    def __init__(self, jobs: int, setup: Any, limits: Limits | None = None) -> None:
        if jobs < 1:
            raise UserError(f"--jobs is {jobs}; it must be at least 1")
        self._file = tempfile.NamedTemporaryFile(suffix=".setup")  # noqa: SIM115
        pickle.dump(setup, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.flush()
        self.slots = [_Slot(self._file.name, limits or Limits()) for _ in range(jobs)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self.slots:
            slot.close()
        self._file.close()


def run_units(
    units: Iterable[Unit],
    workers: Workers,
    store: Store,
    ended: Callable[[Unit, Result], None] = lambda unit, result: None,
) -> dict[str, Result]:
    """Results by key; those in `store` are not computed again."""
    results, waiting, slots = {}, [], workers.slots
    for unit in units:
        found = store.get(unit.key)
        if found is None:
            waiting.append(unit)
        else:
            results[unit.key] = found
    waiting.reverse()
    while waiting or any(slot.unit for slot in slots):
        for slot in slots:
            if slot.unit is None and waiting:
                slot.start(waiting.pop())
        busy = [slot for slot in slots if slot.unit]
        wait([slot.connection for slot in busy], timeout=POLL_SECONDS)
        for slot in busy:
            unit, result = slot.unit, slot.poll()
            if result is not None:
                store.put(unit.key, result)
                results[unit.key] = result
                ended(unit, result)
    return results


class _Slot:
    """A worker process and the unit it computes; a new process after every failure."""

    def __init__(self, setup: str, limits: Limits) -> None:
        self._setup, self._limits = setup, limits
        self.unit: Unit | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.connection: Connection

    def start(self, unit: Unit) -> None:
        if self._process is None or self._process.poll() is not None:
            self._spawn()
        self.unit, self._began, self._ready = unit, time.monotonic(), self._fresh is False
        with contextlib.suppress(OSError):  # a dead worker is found by poll
            self.connection.send((unit.task, dict(unit.arguments)))

    def poll(self) -> Result | None:
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if message == "ready":
                    self._ready, self._fresh, self._began = True, False, time.monotonic()
                    continue
                self.unit = None
                if message.error:
                    self.close()
                return message
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self._process.wait()
            reason = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return self._give_up(f"the worker process ended with {reason}")
        limit = self._limits.seconds if self._ready else START_SECONDS
        if time.monotonic() - self._began > limit:
            return self._give_up(f"stopped after {limit:.0f} s, the limit of one fit")
        with contextlib.suppress(psutil.NoSuchProcess):
            used = psutil.Process(self._process.pid).memory_info().rss / 1024**2
            if used > self._limits.memory_mb:
                return self._give_up(
                    f"stopped at {used:,.0f} MB; the limit of one fit is "
                    f"{self._limits.memory_mb:,.0f} MB"
                )
        return None

    def _give_up(self, error: str) -> Result:
        seconds = time.monotonic() - self._began
        self.unit = None
        self.close()
        return Result(error=error, seconds=seconds)

    def _spawn(self) -> None:
        self.close()
        ours, theirs = socketpair()
        # -P: the working directory must not shadow the project; it stays the user's own.
        command = [sys.executable, "-P", "-m", "suite.campaign.worker"]
        paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
        environment = {
            **of_a_worker(os.environ),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        self.connection = Connection(ours.detach())
        self._fresh = True
        with contextlib.suppress(OSError):
            self.connection.send(self._setup)

    def close(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self.connection.close()
        self._process = None
