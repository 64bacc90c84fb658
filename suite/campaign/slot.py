"""One worker process and the unit it computes, within limits."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from typing import Any

import psutil

from suite.campaign.store import Result
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


class Slot:
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
            return self.give_up(f"the worker process ended with {reason}")
        limit = self._limits.seconds if self._ready else START_SECONDS
        if time.monotonic() - self._began > limit:
            return self.give_up(f"stopped after {limit:.0f} s, the limit of one fit")
        with contextlib.suppress(psutil.NoSuchProcess):
            used = psutil.Process(self._process.pid).memory_info().rss / 1024**2
            if used > self._limits.memory_mb:
                return self.give_up(
                    f"stopped at {used:,.0f} MB; the limit of one fit is "
                    f"{self._limits.memory_mb:,.0f} MB"
                )
        return None

    def give_up(self, error: str) -> Result:
        """End the process; the failure that the present unit becomes."""
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
