"""A worker process: computes the cells that arrive on its connection, one after the other."""

import ctypes
import os
import signal
import sys
from multiprocessing.connection import Connection

BEGUN = "begun"  # the method is imported: from here on the clock of the cell runs


def main(descriptor: int, parent: int) -> None:
    """Serve until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _die_with(parent)
    from suite.compute.cell import compute  # numpy comes in here, not before

    connection = Connection(descriptor)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(compute(task, lambda: connection.send(BEGUN)))


def _die_with(parent: int) -> None:
    """A killed run must not leave a worker computing: the kernel ends it with its parent."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the request was made
        sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
