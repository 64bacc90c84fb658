"""Publish what a run kept of real data: sums over rows for errors, and some predictions.

`<column>/pooled.npz` has rule S9b's products for every cell whose predictions the run kept.
`<column>/predictions/<method>.npz` has the predicted uplift of the test rows of the first
replicate, rounded to float32, and `rows.npz` which rows these are: all replicates would be tens of
megabytes, and whoever runs a cell again gets them to the last bit.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.files import DataFileError
from suite.compute import cell
from suite.names import UserError
from suite.publish.columns import PUBLISHED, Column, Published, columns
from suite.publish.pooled import Pooled, terms
from suite.store.disk import read_arrays, replacing
from suite.store.record import Record
from suite.store.store import Store, predictions_path

FIRST = 1  # so many replicates have their predictions published
FOLDER = "predictions"
ROWS = "rows"
CLOSE = 1e-6  # float32 beside the means that the record's bins have


def publish_predictions(store: Store, root: Path = PUBLISHED) -> Iterator[str]:
    """Add what `store` kept of the published cells of real data; says what came in."""
    published = Published(root)
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        kept = [record for record in column.records if _is_kept(store.root, record)]
        if experiment.has_variants or experiment.scale or not kept:
            continue
        yield from _pool(column, kept, store, root)
        yield from _keep(column, [r for r in kept if r.replicate < FIRST], store, root)


def problems(published: Published) -> list[str]:
    """Every published prediction or product that its record does not bear out."""
    found = []
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        try:
            told = list(_problems(column, published.root / column.name))
        except UserError as error:  # a damaged file
            told = [str(error)]
        found += [f"{column.name}/{text}; publish it again from its run" for text in told]
    return found


def _problems(column: Column, folder: Path) -> Iterator[str]:
    pooled = Pooled.read(folder)
    if pooled is not None:
        yield from pooled.problems(column.records)
    records = {record.key: record for record in column.records}
    rows = read_arrays(folder / FOLDER / f"{ROWS}.npz")
    for path in sorted((folder / FOLDER).glob("*.npz")):
        if path.stem != ROWS:
            for name, values in read_arrays(path).items():
                if reason := _objection(name, values, rows, records.get(name[4:])):
                    yield f"{FOLDER}/{path.name}: {name} {reason}"


def published_prediction(root: Path, record: Record) -> NDArray | None:
    """What is published of a record's predictions, rounded to float32; None where nothing is."""
    path = root / record.cell.column / FOLDER / f"{record.method}.npz"
    return read_arrays(path).get(f"{record.replicate:03d}-{record.key}")


def _is_kept(root: Path, record: Record) -> bool:
    """Whether a run kept the very predictions that a record was measured on, with row numbers."""
    path = predictions_path(root, record)
    if not record.ok or record.result.predictions_sha256 is None or not path.is_file():
        return False
    kept = read_arrays(path)
    same = cell.array_digest(kept["test"]) == record.result.predictions_sha256
    return same and "row_numbers" in kept


def _pool(column: Column, kept: Sequence[Record], store: Store, root: Path) -> Iterator[str]:
    """The products of all kept cells, unless more are published already."""
    old = Pooled.read(root / column.name)
    today = {record.key for record in column.records}
    before = set() if old is None else {key for *_, key in old.cells}
    ours = {record.key for record in kept}
    if old is not None and before == ours:
        return
    if lacking := (before & today) - ours:
        yield f"{column.name}: pooled rows stay; this run kept none of {len(lacking)} cells of them"
        return
    try:
        pooled = Pooled.of(_terms(kept, store))
    except DataFileError as error:
        yield f"{column.name}: no pooled rows without the data: {str(error).splitlines()[0]}"
        return
    pooled.write(root / column.name)
    yield f"{column.name}: pooled rows of {len(kept)} cells published"


def _terms(kept: Sequence[Record], store: Store) -> Iterator[tuple[Record, NDArray, NDArray]]:
    """What each row adds to q, by record; every replicate is loaded once."""
    for replicate in sorted({record.replicate for record in kept}):
        own = [record for record in kept if record.replicate == replicate]
        data = cell.load(own[0].cell.data.source, own[0].cell.data.options, replicate)
        digest, test = cell.data_digest(data), data.test
        for record in own:
            if record.result.data_sha256 != digest:
                raise DataFileError(f"the data here are not those of {record.method}'s record")
            predictions = read_arrays(predictions_path(store.root, record))["test"]
            yield record, terms(record, predictions, test.y, test.treatment), test.row_numbers


def _keep(column: Column, kept: Sequence[Record], store: Store, root: Path) -> Iterator[str]:
    """Predictions by method; those of records that are no longer published go."""
    folder = root / column.name / FOLDER
    today = {record.key for record in column.records}
    added = 0
    rows = read_arrays(folder / f"{ROWS}.npz")
    for method in sorted({record.method for record in kept}):
        path = folder / f"{method}.npz"
        old = {name: values for name, values in read_arrays(path).items() if name[4:] in today}
        new = dict(old)
        for record in (r for r in kept if r.method == method):
            arrays = read_arrays(predictions_path(store.root, record))
            new[f"{record.replicate:03d}-{record.key}"] = arrays["test"].astype(np.float32)
            rows[f"{record.replicate:03d}"] = arrays["row_numbers"].astype(np.int32)
        if set(new) - set(old):
            added += len(set(new) - set(old))
            _write(path, new)
    if added:
        _write(folder / f"{ROWS}.npz", rows)
        yield f"{column.name}: predictions of {added} cells published"


def _objection(
    name: str, values: NDArray, rows: dict[str, NDArray], record: Record | None
) -> str | None:
    """Why published predictions are not those of their record, None where they can be."""
    if record is None:
        return "belongs to no published record"
    if len(values) != record.result.rows["test"] or len(rows.get(name[:3], ())) != len(values):
        return f"has {len(values)} predictions of {record.result.rows['test']} test rows"
    edges = -(-np.arange(len(record.result.bins) + 1) * len(values) // len(record.result.bins))
    ordered = np.sort(values.astype(np.float64))[::-1]
    means = [ordered[a:b].mean() for a, b in pairwise(edges)]
    expected = [b.predicted for b in record.result.bins]
    return None if np.allclose(means, expected, rtol=CLOSE, atol=CLOSE) else "has other predictions"


def _write(path: Path, arrays: dict[str, NDArray]) -> None:
    with replacing(path) as file:
        np.savez_compressed(file, **dict(sorted(arrays.items())))
