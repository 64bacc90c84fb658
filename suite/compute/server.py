"""A process that others are forked from: libraries loaded, one thread, pinned instructions.

It never runs a method. Every child is in a session of its own; what a child leaves behind falls
to this process, which ends it. Requests come on a socket, with the child's connections attached.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Sequence

_LINE = 1 << 20
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main(descriptor: int, parent: int) -> None:
    """Serve the connections that come on `descriptor` until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != parent:  # it died before the request was made
        sys.exit(1)
    _preload()
    Server(socket.socket(fileno=descriptor)).run()


def _preload() -> None:
    """What every child needs, imported once."""
    import baselines
    import datasets
    from suite.compute import environment, keeper, worker  # noqa: F401

    baselines.methods()
    datasets.sources()
    environment.machine()
    gc.collect()
    gc.freeze()  # children share these pages as long as nobody touches them


class Server:
    """Forks on request; says when a child has ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._living: set[int] = set()
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)
        self._wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)

    def run(self) -> None:
        """Until the parent hangs up."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._control, selectors.EVENT_READ)
            ready.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is self._control:
                        if not self._serve():
                            return
                    else:
                        with contextlib.suppress(BlockingIOError):
                            self._woken.recv(_LINE)
                self._reap()

    def _serve(self) -> bool:
        text, descriptors, _, _ = socket.recv_fds(self._control, _LINE, 2)
        if not text:
            return False
        request = json.loads(text)
        if "end" in request:
            if request["end"] in self._living:
                _kill_tree(request["end"])
            return True
        for module in (*request["imports"], request["run"]):
            # Where it cannot be imported, the child says so when it needs it.
            with contextlib.suppress(Exception, SystemExit):
                importlib.import_module(module)
        pid = os.fork()
        if pid == 0:
            self._become(request["run"], *descriptors)
        self._living.add(pid)
        for number in descriptors:
            os.close(number)
        self._say({"began": pid})
        return True

    def _become(self, module: str, connection: int, output: int) -> None:
        """The child's whole life: `main` of a module, with its connection."""
        code = 70
        try:
            os.setsid()
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            _prctl(PR_SET_CHILD_SUBREAPER, 1)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for inherited in (self._control, self._woken, self._wake):
                inherited.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            importlib.import_module(module).main(socket.socket(fileno=connection))
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except BaseException as error:
            with contextlib.suppress(BaseException):
                sys.excepthook(type(error), error, error.__traceback__)
            code = 1
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        """Notice who has ended; end what the dead left behind."""
        ended = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid in self._living:
                self._living.remove(pid)
                ended.append({"ended": pid, "code": os.waitstatus_to_exitcode(status)})
        for orphan in set(_children(os.getpid())) - self._living:
            _kill_tree(orphan)
        for message in ended:
            self._say(message)

    def _say(self, message: dict[str, int]) -> None:
        self._control.sendall(json.dumps(message).encode() + b"\n")


def _kill_tree(pid: int) -> None:
    """A process and all that it started, stopped first so that none escapes while we look."""
    found, waiting = [], [pid]
    while waiting:
        member = waiting.pop()
        found.append(member)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGSTOP)
        waiting += _children(member)
    for member in found:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)


def _children(pid: int) -> Sequence[int]:
    import psutil

    with contextlib.suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children()]
    return []


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
