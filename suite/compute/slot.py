"""One place to compute: a worker process that is kept between cells and replaced when it fails.

A method that raises, hangs, exhausts its memory or crashes the interpreter ends as an outcome.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair

import psutil

from suite.compute import environment
from suite.compute.cell import Outcome, Task, failure
from suite.compute.worker import BEGUN
from suite.plan.digest import ROOT

POLL_SECONDS = 0.1
START_SECONDS = 120.0  # a worker imports what the method needs before the clock of a cell runs


@dataclass(frozen=True)
class Limits:
    """What one cell may use."""

    seconds: float
    memory_mb: float


class Slot:
    """A worker process and the cell that it computes."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.task: Task | None = None
        self.started = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, task: Task) -> None:
        """Begin `task`; the worker process is started when there is none."""
        if self._process is None or self._process.poll() is not None:
            self._spawn()
        self.task, self.started, self._begun = task, time.monotonic(), False
        try:
            self.connection.send(task)
        except OSError:  # it died between the cells
            self._spawn()
            self.connection.send(task)

    def poll(self, wait_seconds: float = 0.0) -> Outcome | None:
        """The outcome of the present task, None while it runs."""
        try:
            if self.connection.poll(wait_seconds):
                outcome = self.connection.recv()
                if outcome == BEGUN:
                    self._begun, self.started = True, time.monotonic()
                    return None
                self.task = None
                if outcome.fields["status"] != "ok":
                    self.close()  # memory that a failed method left behind goes with its process
                return outcome
        except (EOFError, OSError):
            return self._end(self._crash())
        limit = self.limits.seconds if self._begun else START_SECONDS
        if time.monotonic() - self.started > limit:
            return self._end(
                f"stopped after {limit:g} s, the limit of one cell (--timeout)"
                if self._begun
                else f"the worker process was not ready after {limit:g} s"
            )
        used = self._memory_mb()
        if used > self.limits.memory_mb:
            return self._end(
                f"stopped at {used:,.0f} MB of memory; the limit of one cell is "
                f"{self.limits.memory_mb:,.0f} MB (--memory)"
            )
        return None

    def abandon(self) -> None:
        """Give up the present task."""
        self.task = None
        self.close()

    def close(self) -> None:
        """End the worker process and what it started."""
        if self._process is None:
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(self._process.pid)
            for member in [*process.children(recursive=True), process]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.kill()
        self._process.wait()
        self.connection.close()
        self._output.close()
        self._process = None

    def _spawn(self) -> None:
        self.close()
        ours, theirs = socketpair()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
        # -P: the working directory must not shadow the project; it stays the user's own.
        command = [sys.executable, "-P", "-m", "suite.compute.worker"]
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            env={
                **environment.of_a_worker(os.environ),
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            },
        )
        theirs.close()
        self.connection = Connection(ours.detach())

    def _end(self, error: str) -> Outcome:
        self.task = None
        self.close()
        return failure(error, time.monotonic() - self.started)

    def _crash(self) -> str:
        """Why the worker is gone: its signal or exit code, and its last words."""
        code = self._process.wait()
        reason = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self._output.seek(0)
        last_words = self._output.read().decode(errors="replace").strip().splitlines()[-10:]
        hint = " (out of memory?)" if code == -signal.SIGKILL else ""
        return "\n".join([f"the worker process ended with {reason}{hint}", *last_words])

    def _memory_mb(self) -> float:
        try:
            return psutil.Process(self._process.pid).memory_info().rss / 1024**2
        except psutil.NoSuchProcess:
            return 0.0  # the next poll finds the connection closed


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_memory_mb(jobs: int) -> float:
    """An equal share of nine tenths of the machine's memory, so that no cell starves the others."""
    return 0.9 * _machine_memory() / jobs / 1024**2


def _machine_memory() -> int:
    limit = Path("/sys/fs/cgroup/memory.max")  # a container may have less than its host
    total = psutil.virtual_memory().total
    if limit.is_file() and (text := limit.read_text().strip()) != "max":
        return min(total, int(text))
    return total
