"""One forked process as its parent sees it: watched, asked, ended."""

import contextlib
import os
import signal
import socket
import time
from pathlib import Path
from typing import Protocol

import psutil

from suite.compute import messages

LAST_WORDS = 1 << 12  # bytes of a process's output that are kept
_GRACE_SECONDS = 2.0
_READS = 100  # pieces of output taken at a time


class Server(Protocol):
    """Who forked it, and is told when it ends."""

    def code(self, pid: int) -> int | None: ...
    def end(self, pid: int) -> None: ...


class Child:
    """One forked process: its connection, its output, its end."""

    def __init__(self, server: Server, pid: int, connection: socket.socket, read: int) -> None:
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
        try:
            self._incoming.fill_from(self.connection)
        except BlockingIOError:
            if self.gone() and not self._readable():
                raise EOFError from None  # something that it left behind holds the connection
            return None
        except ConnectionError:
            raise EOFError from None
        return self._incoming.message()

    def memory_mb(self) -> float:
        """Resident memory of the process and of what it started."""
        total = 0
        for pid in _family(self.pid):
            with contextlib.suppress(psutil.Error):
                total += psutil.Process(pid).memory_info().rss
        return total / 1024**2

    def alone(self) -> bool:
        """Whether nothing lives that it started."""
        with contextlib.suppress(psutil.Error):
            return not psutil.Process(self.pid).children()
        return True

    def gone(self) -> bool:
        """Whether it has ended."""
        return self._server.code(self.pid) is not None

    def why_gone(self) -> str:
        """Its signal or exit code, and its last words."""
        self._drain()
        # Who dies closes its connection first; the word of its end follows a moment later.
        deadline = time.monotonic() + _GRACE_SECONDS
        while (code := self._server.code(self.pid)) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if code is None:
            reason = "closed its connection"
        elif code < 0:
            hint = " (out of memory?)" if code == -signal.SIGKILL else ""
            names = {item: item.name for item in signal.Signals}  # some have none
            reason = f"ended with signal {names.get(-code, -code)}{hint}"
        else:
            reason = f"ended with exit code {code}"
        words = self._words.decode(errors="replace").strip().splitlines()[-10:]
        return "\n".join([f"its process {reason}", *words])

    def close(self) -> None:
        """End it and all that it started."""
        if self.open:
            self.open = False
            self.connection.close()
            self._server.end(self.pid)
            os.close(self._read)

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            for _ in range(_READS):  # who prints faster than we read must not keep us here
                if not (piece := os.read(self._read, 1 << 16)):
                    return
                self._words += piece
                del self._words[:-LAST_WORDS]

    def _readable(self) -> bool:
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except (BlockingIOError, ConnectionError):
            return False


def _family(pid: int) -> list[int]:
    """A process and what it started, as far as can be seen in a moment.

    The kernel's list of children takes a tenth of the time that it takes to look at every process
    of the machine, and may miss one while others end: good enough to look again and again.
    """
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        try:
            tasks = Path(f"/proc/{found[-1]}/task").iterdir()
            lists = [(task / "children").read_text() for task in tasks]
        except OSError:  # it has ended, or the kernel keeps no such list
            with contextlib.suppress(psutil.Error):
                waiting += [child.pid for child in psutil.Process(found[-1]).children()]
        else:
            waiting += [int(child) for text in lists for child in text.split()]
    return found
