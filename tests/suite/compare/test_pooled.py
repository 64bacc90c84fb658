"""Errors of differences on real data from sums over rows, and the predictions behind them."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from suite.compare.resplits import nadeau_bengio, pooled_rows
from suite.compute import cell
from suite.publish.columns import Published
from suite.publish.pooled import Pooled
from suite.publish.predictions import problems, publish_predictions
from suite.show.tables.insurance import t5
from suite.store.record import Record
from suite.store.store import Store, write_records
from tests.suite.made import made_record
from twin.qini_error import qini_difference


def test_products_give_the_error_of_the_worked_example() -> None:
    psi = np.array([[0.3, 0.0, 0.4, 0.0], [0.3, 0.2, 0.0, 0.0]])
    records = [made_record(method, r) for method in ("r-lasso", "x-lasso") for r in (0, 1)]
    terms = [*psi, *np.zeros((2, 4))]  # the second method adds nothing
    rows = np.arange(4)
    pooled = Pooled.of((r, t, rows) for r, t in zip(records, terms, strict=True))
    assert pooled.error("r-lasso", "x-lasso", (0, 1)) == pytest.approx(0.3742, abs=5e-5)
    assert pooled.error("r-lasso", "x-lasso", (0, 2)) is None


def test_products_equal_the_rows_themselves(tmp_path: Path) -> None:
    """Brute force: every row of the data set in a dense table, 0 where it was in another part."""
    rng = np.random.default_rng(1)
    dense = {m: np.zeros((3, 50)) for m in ("r-lasso", "x-lasso")}
    terms = []
    for replicate in range(3):
        rows = rng.permutation(50)[:15]
        for method, table in dense.items():
            psi = rng.normal(size=15)
            table[replicate, rows] = psi
            terms.append((made_record(method, replicate), psi, rows))
    Pooled.of(terms).write(tmp_path)
    pooled = Pooled.read(tmp_path)
    for replicates in ([0, 1, 2], [0, 2]):
        expected = pooled_rows((dense["r-lasso"] - dense["x-lasso"])[replicates])
        assert pooled.error("r-lasso", "x-lasso", replicates) == pytest.approx(expected)


METHODS = ("twin-512-structured", "logistic", "twin-mu")


def made_run(store: Store, root: Path, replicates: int) -> list[Record]:
    """Made-up predictions of real rows, measured and kept as a run does."""
    records = []
    with store.writing() as writer:
        for replicate in range(replicates):
            data = cell.load("insurance", {}, replicate)
            for method in METHODS:
                rng = np.random.default_rng([replicate, len(method)])
                found = {part: rng.normal(size=len(getattr(data, part))) for part in cell.PARTS}
                found["test"] += 0.5 * data.test.X[:, 0]
                fitted = cell.Fitted({}, 1, None, None, None, {"fit": 1.0}, 1.0)
                result = cell.measure(data, found, fitted)
                record = made_record(method, replicate, experiment="insurance", variant=None)
                record = replace(record, result=result)
                kept = {"test": found["test"], "row_numbers": data.test.row_numbers}
                writer.append(record, kept)
                records.append(record)
    for method in METHODS:
        own = [record for record in records if record.method == method]
        write_records(root / "insurance" / f"{method}.jsonl", own)
    return records


@pytest.mark.skipif("UPLIFT_DATA" not in os.environ, reason="UPLIFT_DATA names no folder of data")
def test_a_run_on_real_data_publishes_sums_over_rows_and_predictions(tmp_path: Path) -> None:
    root, store = tmp_path / "published", Store(tmp_path / "run")
    records = made_run(store, root, 5)
    said = list(publish_predictions(store, root))
    assert said == [
        "insurance: pooled rows of 15 cells published",
        "insurance: predictions of 3 cells published",
    ]
    assert list(publish_predictions(store, root)) == []  # nothing new
    assert problems(Published(root)) == []
    # One replicate: the paired error of the two rankings in that test set.
    pooled = Pooled.read(root / "insurance")
    test = cell.load("insurance", {}, 3).test
    paths = [next((store.root / "insurance" / "predictions" / m).glob("003-*")) for m in METHODS]
    kept = [np.load(path)["test"] for path in paths[:2]]
    expected = qini_difference(test.y, *kept, test.treatment).standard_error
    assert pooled.error(*METHODS[:2], [3]) == pytest.approx(expected)
    q = {m: np.array([r.result.test.q for r in records if r.method == m]) for m in METHODS}
    error = pooled.error("logistic", "twin-512-structured", range(5))
    assert 0 < error < nadeau_bengio(q["logistic"] - q["twin-512-structured"]) * 3
    text = t5(Published(root)).csv()
    (line,) = [x for x in text.splitlines() if "Logistic minus" in x]
    assert "pooled rows" in line
    assert f"{error:.9g}" in line
    # A file that was changed is found.
    path = root / "insurance" / "predictions" / "logistic.npz"
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays[min(arrays)] = arrays[min(arrays)] + np.float32(0.01)
    np.savez_compressed(path, **arrays)
    Pooled(pooled.cells, pooled.products * 1.1).write(root / "insurance")
    found = problems(Published(root))
    assert sum("has other predictions" in line for line in found) == 1
    assert sum("another error of q than its record" in line for line in found) == 15
