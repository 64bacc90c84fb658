"""The process that keeps the rows: it loads them, shows a method its part, and measures.

It never runs a method, and stays while cells of the same rows are computed.
"""

import socket
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

import datasets
from datasets.contract import Dataset
from suite.compute import cell, environment, messages
from suite.compute.cell import Fitted, measure, visible
from suite.compute.readings import measured
from suite.compute.serve import Answer, serve
from suite.compute.worker import packed_data, present
from suite.plan.cell import Planned
from suite.strict import build


def main(connection: socket.socket) -> None:
    """Load the rows, show them, measure predictions of them."""
    data: Dataset | None = None

    def answer(request: Mapping[str, Any], arrays: messages.Arrays) -> Answer:
        nonlocal data
        if request["do"] == "load":
            planned = Planned.of_message(request["planned"])
            data = load(planned)
            return _shown(data, planned.code.reads_truth)
        if request["do"] == "show":
            return _shown(data, request["reads_truth"])
        result = measure(data, arrays, build(Fitted, request["fitted"], "the method"))
        readings = measured(data, arrays, request["facts"])
        named = {name: asdict(reading) for name, reading in readings.items()}
        numbers = data.test.row_numbers
        kept = {} if numbers is None else {"row_numbers": numbers.astype(np.int64)}
        return {"result": asdict(result), "readings": named}, kept

    serve(connection, answer)


def load(planned: Planned) -> Dataset:
    """The rows of a cell."""
    wanted = planned.cell.data
    if planned.own_data is None:
        return cell.load(wanted.source, wanted.options, wanted.replicate)
    path = present(planned.own_data)
    sys.path.insert(0, str(path.parent))
    sources = {source.name: source for source in datasets.load_file(path)}
    return datasets.load_from(sources[wanted.source], replicate=wanted.replicate, **wanted.options)


def _shown(data: Dataset, reads_truth: bool) -> Answer:
    header, arrays = packed_data(visible(data, reads_truth))
    return {"data": header, "machine": asdict(environment.machine())}, arrays
