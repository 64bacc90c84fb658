"""The process that keeps the rows: it loads them, shows a method its part, and measures.

It never runs a method, and stays while cells of the same rows are computed.
"""

import socket
import sys
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

import datasets
from datasets.contract import Dataset
from suite.compute import cell, environment, messages
from suite.compute.cell import Fitted, measure, visible
from suite.compute.readings import measured
from suite.compute.worker import ERROR_LINES, packed_data, present
from suite.plan.cell import Planned
from suite.strict import build


def main(connection: socket.socket) -> None:
    """Answer requests until the other side hangs up."""
    data: Dataset | None = None
    while True:
        try:
            request, arrays = messages.receive(connection)
        except EOFError:
            return
        try:
            if request["do"] == "load":
                planned = Planned.of_message(request["planned"])
                data = load(planned)
                answer, arrays = _shown(data, planned.code.reads_truth)
            elif request["do"] == "show":
                answer, arrays = _shown(data, request["reads_truth"])
            else:
                result = measure(data, arrays, build(Fitted, request["fitted"], "the method"))
                readings = measured(data, arrays, request["facts"])
                numbers = data.test.row_numbers
                arrays = {} if numbers is None else {"row_numbers": numbers.astype(np.int64)}
                named = {name: asdict(reading) for name, reading in readings.items()}
                answer = {"result": asdict(result), "readings": named}
        except Exception as error:
            lines = "".join(traceback.format_exception(error)).strip().splitlines()
            text = environment.without_machine_paths("\n".join(lines[-ERROR_LINES:]))
            answer, arrays = {"error": text}, {}
        messages.send(connection, messages.packed(answer, arrays))


def load(planned: Planned) -> Dataset:
    """The rows of a cell."""
    wanted = planned.cell.data
    if planned.own_data is None:
        return cell.load(wanted.source, wanted.options, wanted.replicate)
    path = present(planned.own_data)
    sys.path.insert(0, str(path.parent))
    sources = {source.name: source for source in datasets.load_file(path)}
    return datasets.load_from(sources[wanted.source], replicate=wanted.replicate, **wanted.options)


def _shown(data: Dataset, reads_truth: bool) -> tuple[Mapping[str, Any], messages.Arrays]:
    header, arrays = packed_data(visible(data, reads_truth))
    return {"data": header, "machine": asdict(environment.machine())}, arrays
