"""What a forked process does: it answers requests, and says what went wrong."""

import os
import socket
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from suite.compute import messages
from suite.compute.environment import without_machine_paths
from suite.compute.outcome import LONGEST_ERROR

ERROR_LINES = 15

Answer = tuple[Mapping[str, Any], messages.Arrays]


def end_of(error: Exception) -> str:
    """The last lines of a traceback, as records keep them."""
    lines = "".join(traceback.format_exception(error)).strip().splitlines()
    return without_machine_paths("\n".join(lines[-ERROR_LINES:]))


def serve(
    connection: socket.socket,
    answer: Callable[[dict[str, Any], messages.Arrays], Answer],
    said: Callable[[Exception], str] = end_of,
) -> None:
    """Answer requests until the other side hangs up; `said` is the text of an error."""
    pid = os.getpid()
    while True:
        try:
            request = messages.receive(connection)
        except EOFError:
            return
        try:
            pieces = messages.packed(*answer(*request))
        except Exception as error:
            pieces = messages.packed({"error": said(error)[-LONGEST_ERROR:]})
        if os.getpid() != pid:  # a child that a method forked has nothing to say
            return
        messages.send(connection, pieces)
