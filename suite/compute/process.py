"""The server that processes are forked from, as this process sees it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence

from suite.compute.child import LAST_WORDS, Child
from suite.compute.environment import of_a_worker
from suite.plan.digest import ROOT

START_SECONDS = 300.0  # libraries of a cold disk are slow to import
_ANSWER = 1 << 16


class ServerGone(RuntimeError):
    """The server ended; its children ended with it."""


class ForkServer:
    """Starts the server when the first process is asked for; may be shared between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def fork(self, module: str, imports: Sequence[str] = ()) -> Child:
        """A new process that runs `main` of a module; `imports` are loaded before, once for all."""
        ours, theirs = socket.socketpair()
        read, write = os.pipe()
        os.set_blocking(read, False)
        with self._lock:
            if not self._lives():
                self._start()
            request = json.dumps({"run": module, "imports": list(imports)}).encode()
            socket.send_fds(self._control, [request], [theirs.fileno(), write])
            while self._began is None:
                self._listen(START_SECONDS)
            pid, self._began = self._began, None
        theirs.close()
        os.close(write)
        return Child(self, pid, ours, read)

    def code(self, pid: int) -> int | None:
        """The exit code of a child, None while it lives."""
        with self._lock:
            with contextlib.suppress(ServerGone):
                self._listen(0)
            if pid in self._living and self._lives():
                return None
            return self._ended.get(pid, -signal.SIGKILL)  # it went with its server

    def end(self, pid: int) -> None:
        """End a child and what it started; returns when it is gone."""
        with self._lock, contextlib.suppress(ServerGone, ConnectionError):
            if pid in self._living:
                self._control.sendall(json.dumps({"end": pid}).encode())
            while pid in self._living:
                self._listen(START_SECONDS)
            self._ended.pop(pid, None)

    def close(self) -> None:
        """End the server; its children end with it."""
        if self._process is not None:
            self._control.close()
            self._process.wait()
            self._process = None

    def _lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        self._began: int | None = None
        self._living: set[int] = set()
        self._ended: dict[int, int] = {}
        paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        # -P: the working directory must not shadow the project; it stays the user's own.
        command = (sys.executable, "-P", "-m", "suite.compute.server")
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            env={**of_a_worker(os.environ), "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        theirs.close()

    def _listen(self, seconds: float) -> None:
        """Take what the server says; waits at most `seconds` for the first word."""
        self._control.settimeout(seconds)
        try:
            while text := self._control.recv(_ANSWER):
                message = json.loads(text)
                if "began" in message:
                    self._began = message["began"]
                    self._living.add(self._began)
                else:
                    self._living.remove(message["ended"])
                    self._ended[message["ended"]] = message["code"]
                self._control.settimeout(0)
        except BlockingIOError:
            return
        except TimeoutError:
            self._process.kill()
        except ConnectionError:
            self._process.wait()
        self._output.seek(0)
        words = self._output.read().decode(errors="replace").strip()[-LAST_WORDS:]
        raise ServerGone(f"the process that starts others is gone\n{words}")
