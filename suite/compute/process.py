"""Processes for cells, as this process sees them: forked from one server, watched, ended."""

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

import psutil

from suite.compute import messages
from suite.compute.environment import of_a_worker
from suite.plan.digest import ROOT

START_SECONDS = 300.0  # libraries of a cold disk are slow to import
LAST_WORDS = 1 << 12  # bytes of a process's output that are kept
_ANSWER = 1 << 16


class ForkServer:
    """Starts the server when the first process is asked for; may be shared between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def fork(self, kind: str, imports: Sequence[str] = ()) -> "Child":
        """A new process of `suite.compute.<kind>`, with its connection."""
        ours, theirs = socket.socketpair()
        read, write = os.pipe()
        os.set_blocking(read, False)
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            request = json.dumps({"do": kind, "imports": list(imports)}).encode()
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
            self._listen(0)
            return self._ended.get(pid)

    def end(self, pid: int) -> None:
        """End a child and what it started; returns when it is gone."""
        with self._lock:
            if pid not in self._ended:
                self._control.sendall(json.dumps({"do": "end", "pid": pid}).encode())
            while pid not in self._ended:
                self._listen(START_SECONDS)
            del self._ended[pid]

    def close(self) -> None:
        """End the server; its children end with it."""
        if self._process is not None:
            self._control.close()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        self._began: int | None = None
        self._ended: dict[int, int] = {}
        paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        # -P: the working directory must not shadow the project; it stays the user's own.
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "suite.compute.server",
                str(theirs.fileno()),
                str(os.getpid()),
            ],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            env={
                **of_a_worker(os.environ),
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            },
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
                else:
                    self._ended[message["ended"]] = message["code"]
                self._control.settimeout(0)
        except BlockingIOError:
            return
        except TimeoutError:
            self._process.kill()
        self._output.seek(0)
        words = self._output.read().decode(errors="replace").strip()[-LAST_WORDS:]
        raise RuntimeError(f"the process that starts cells is gone\n{words}")


class Child:
    """One forked process: its connection, its output, its end."""

    def __init__(self, server: ForkServer, pid: int, connection: socket.socket, read: int) -> None:
        self._server, self.pid, self.connection, self._read = server, pid, connection, read
        self._words = bytearray()
        self._incoming: messages.Incoming | None = None
        self.open = True

    def ask(self, pieces: list[memoryview], largest: int = messages.LARGEST_MESSAGE) -> None:
        """Send a request; `answer` then gives what comes back, `largest` bytes at most."""
        self.connection.setblocking(True)
        messages.send(self.connection, pieces)
        self.connection.setblocking(False)
        self._incoming = messages.Incoming(largest)

    def answer(self) -> tuple[dict, dict] | None:
        """The answer once it is complete. `EOFError`: the process ended without one."""
        self._drain()
        incoming = self._incoming
        try:
            while not incoming.complete:
                piece = self.connection.recv(min(1 << 20, incoming.wanted))
                if not piece:
                    raise EOFError
                incoming.take(piece)
        except BlockingIOError:
            if self._server.code(self.pid) is not None and not self._readable():
                raise EOFError from None  # something that it left behind holds the connection
            return None
        except ConnectionError:
            raise EOFError from None
        return incoming.message()

    def memory_mb(self) -> float:
        """Resident memory of the process and of what it started."""
        total = 0
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            for member in [process, *process.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += member.memory_info().rss
        return total / 1024**2

    def why_gone(self) -> str:
        """Its signal or exit code, and its last words."""
        self._drain()
        code = self._server.code(self.pid)
        if code is None:
            reason = "closed its connection"
        elif code < 0:
            hint = " (out of memory?)" if code == -signal.SIGKILL else ""
            reason = f"ended with signal {signal.Signals(-code).name}{hint}"
        else:
            reason = f"ended with exit code {code}"
        words = self._words.decode(errors="replace").strip().splitlines()[-10:]
        return "\n".join([f"the process of the cell {reason}", *words])

    def close(self) -> None:
        """End it and all that it started."""
        if self.open:
            self.open = False
            self.connection.close()
            self._server.end(self.pid)
            os.close(self._read)

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._read, 1 << 16):
                self._words += piece
                del self._words[:-LAST_WORDS]

    def _readable(self) -> bool:
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except (BlockingIOError, ConnectionError):
            return False
