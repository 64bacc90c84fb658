"""`suite verify --predictions`: numbers that do not follow from kept predictions are found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from suite.cli import FAILURES, MISUSE
from suite.cli.run import main as run
from suite.cli.verify import main as verify
from suite.publish.audit import audit, kept_arrays, rows_of
from suite.store.check import problems
from suite.store.record import Record
from suite.store.store import Store, predictions_path, write_records

METHODS = ("r-lasso", "random", "x-lasso")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    words = ["--methods", *METHODS, "--replicates", "1", "--jobs", "1"]
    assert run(["minute", *words, "--store", str(root)]) == 0
    return root


@pytest.fixture
def records(store: Path) -> dict[str, Record]:
    return {record.method: record for record in Store(store).records("minute")}


def audited(store: Path, record: Record) -> list[str]:
    return audit(record, kept_arrays(store, record), rows_of(record))


def test_honest_records_follow_from_their_predictions(
    store: Path, records: dict[str, Record], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(records) == sorted(METHODS)
    assert verify(["minute", "--predictions", str(store)]) == 0
    said = capsys.readouterr().out
    # The published records have the same predictions where their keys are today's.
    assert said.count("follows from its predictions") >= len(METHODS)
    assert "DOES NOT" not in said


def test_a_forged_record_that_agrees_with_itself_is_found(
    store: Path, records: dict[str, Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers of a better method under the name of a worse one, sealed and consistent."""
    honest, better = records["random"], records["x-lasso"]
    assert better.test.q_adj > honest.test.q_adj
    digest = honest.result.predictions_sha256
    forged = replace(honest, result=replace(better.result, predictions_sha256=digest))
    assert not problems(forged)
    assert Record.parse(forged.line()) == forged  # no reader of records alone can tell
    write_records(tmp_path / "minute" / "random.jsonl", [forged])
    kept = predictions_path(tmp_path, forged)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(predictions_path(store, honest).read_bytes())
    assert verify(["minute", "--methods", "random", "--predictions", str(tmp_path)]) == FAILURES
    assert "DOES NOT FOLLOW" in capsys.readouterr().out
    found = audited(tmp_path, forged)
    for what in ("result test q ", "result test rho", "result test q_adj", "result truth q "):
        assert any(problem.startswith(what) for problem in found), (what, found)
    # The numbers of other predictions, which say so themselves.
    copied = replace(honest, result=better.result)
    assert any("predictions_sha256" in problem for problem in audited(store, copied))


@pytest.mark.parametrize("change", ["one prediction", "fewer rows", "other data"])
def test_predictions_and_rows_that_are_not_the_record_s_are_found(
    change: str, store: Path, records: dict[str, Record]
) -> None:
    record = records["r-lasso"]
    arrays, data = dict(kept_arrays(store, record)), rows_of(record)
    if change == "one prediction":
        arrays["test"] = np.where(np.arange(len(arrays["test"])) == 7, 1e-3, arrays["test"])
    elif change == "fewer rows":
        arrays["test"] = arrays["test"][:-1]
    else:
        changed = replace(record.cell.data, replicate=1)
        data = rows_of(replace(record, cell=replace(record.cell, data=changed)))
    wanted = {"one prediction": "predictions_sha256", "fewer rows": "test rows"}
    assert any(wanted.get(change, "data_sha256") in text for text in audit(record, arrays, data))


def test_a_forged_reading_is_found(tmp_path: Path) -> None:
    words = ["--methods", "probe-exact", "--replicates", "100-100", "--jobs", "1"]
    assert run(["study-scenario4-printed", *words, "--store", str(tmp_path)]) == 0
    [record] = Store(tmp_path).records("study-scenario4-printed")
    assert audited(tmp_path, record) == []
    one, other = list(record.readings)[:2]
    swapped = {**record.readings, one: record.readings[other]}
    found = audited(tmp_path, replace(record, readings=swapped))
    assert found
    assert all(problem.startswith(f"readings {one} ") for problem in found)


def test_a_store_without_predictions_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(["minute", "--predictions", str(tmp_path)]) == MISUSE
    assert "keeps no predictions of a record of minute" in capsys.readouterr().err
