"""The process in which units run: it takes the setup, then computes what it is asked for."""

import os
import pickle
import socket
import time
import traceback
from collections.abc import Mapping
from typing import Any

from suite.campaign import work
from suite.campaign.setup import Setup
from suite.compute import messages
from suite.compute.serve import Answer, serve


def main(connection: socket.socket) -> None:
    """The setup first, then one unit after the other."""
    setup: Setup | None = None

    def answer(request: Mapping[str, Any], arrays: messages.Arrays) -> Answer:
        nonlocal setup
        if "setup" in request:
            with open(request["setup"], "rb") as file:
                setup = pickle.load(file)  # the parent's own file
            return {}, {}
        start = time.process_time()
        found, values = work.TASKS[request["task"]](setup, **request["arguments"])
        return {"values": values, "seconds": time.process_time() - start}, found

    serve(connection, answer, in_one_line)


def in_one_line(error: Exception) -> str:
    """An error as the page shows it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)} line {last.lineno}"
    return f"{type(error).__name__}: {error} ({where})"[:2000]
