"""Kept predictions scored again, without fitting: a record's numbers must follow from them.

A forger who changes numbers has to change the predictions too, and who changes both has to find
predictions that give these numbers on the rows of the data set.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from datasets.contract import Dataset
from suite.compute import measures
from suite.compute.cell import array_digest, data_digest, load
from suite.compute.readings import MARK, measured
from suite.store.disk import read_arrays
from suite.store.record import Record
from suite.store.store import predictions_path

# Digests must be identical; numbers may be rounded otherwise here than in a cell's own process.
_CLOSE = 1e-9


def kept_arrays(root: Path, record: Record) -> Mapping[str, NDArray[Any]] | None:
    """The predictions that a store keeps of a record, None where it has none."""
    return read_arrays(predictions_path(root, record)) or None


@lru_cache(maxsize=1)
def _loaded(source: str, options: tuple[tuple[str, Any], ...], replicate: int) -> Dataset:
    return load(source, dict(options), replicate)


def rows_of(record: Record) -> Dataset:
    """The rows of a record's cell; the last ones stay at hand."""
    data = record.cell.data
    return _loaded(data.source, tuple(sorted(data.options.items())), data.replicate)


def audit(record: Record, arrays: Mapping[str, NDArray[Any]], data: Dataset) -> list[str]:
    """Every number of a record that does not follow from its predictions on these rows."""
    uplift = arrays["test"]
    if uplift.shape != (len(data.test),):
        return [f"{uplift.shape} predictions are kept of {len(data.test)} test rows"]
    bins, curve = measures.bin_table(data.test, uplift)
    again = replace(
        record.result,
        test=measures.score(data.test, uplift),
        truth=measures.truth(data.test, uplift),
        bins=bins,
        curve=curve,
        sensitivity=measures.sensitivity(data.test, uplift),
        data_sha256=data_digest(data),
        predictions_sha256=array_digest(uplift),
    )
    found = record.result
    if record.origin.carried is not None:  # its line held neither digests nor responses
        again, found = again.numbers(), found.numbers()
    facts = {name: record.readings[name].facts for name in record.readings if MARK + name in arrays}
    readings = measured(data, arrays, facts)
    here = {"result": asdict(again), "readings": {n: asdict(r) for n, r in readings.items()}}
    there = {
        "result": asdict(found),
        "readings": {n: asdict(r) for n, r in record.readings.items()},
    }
    return list(_differences(there, here))


def _differences(found: Any, again: Any, where: str = "") -> Iterator[str]:
    if isinstance(found, Mapping) and isinstance(again, Mapping) and set(found) == set(again):
        for name in found:
            yield from _differences(found[name], again[name], f"{where} {name}".strip())
    elif isinstance(found, list | tuple) and len(found) == len(again):
        for number, pair in enumerate(zip(found, again, strict=True), start=1):
            yield from _differences(*pair, f"{where} {number}")
    elif isinstance(found, float) and isinstance(again, float):
        if not math.isclose(found, again, rel_tol=_CLOSE, abs_tol=_CLOSE):
            yield f"{where} is {found:.6g}, the kept predictions give {again:.6g}"
    elif found != again:
        yield f"{where} is {found!s:.40}, the kept predictions give {again!s:.40}"
