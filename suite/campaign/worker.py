"""A worker process: takes the setup, then computes the units that arrive, one after the other."""

import ctypes
import os
import pickle
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection


def main(descriptor: int, parent: int) -> None:
    """Serve until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if sys.platform == "linux":  # a killed run must not leave a worker computing
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    from suite.campaign import work  # numpy comes in here, not before
    from suite.campaign.store import Result

    connection = Connection(descriptor)
    try:
        with open(connection.recv(), "rb") as file:
            setup = pickle.load(file)  # the parent's own file
        connection.send("ready")
        while True:
            task, arguments = connection.recv()
            start = time.process_time()
            try:
                arrays, values = work.TASKS[task](setup, **arguments)
                result = Result(arrays, values, time.process_time() - start)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}"
                text = f"{text} line {last.lineno})"
                result = Result(error=text[:2000], seconds=time.process_time() - start)
            connection.send(result)
    except EOFError:
        return


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
