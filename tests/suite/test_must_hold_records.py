"""Rows of "What must hold" (docs/suite.md) about records, their places and their stores."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from suite.names import UserError
from suite.publish.columns import Published
from suite.publish.verify import judge
from suite.store.record import BrokenRecord, Record, checksum
from suite.store.store import Store, read_lines, write_records
from tests.suite.made import COST, made_column, made_record

FOLDER = "scenario4-printed"
Body = dict[str, Any]


def resealed(change: Callable[[Body], None], record: Record | None = None) -> str:
    """A record's line with an edit and a seal that fits."""
    body = json.loads((record or made_record()).line())
    del body["checksum"]
    change(body)
    text = json.dumps({**body, "checksum": checksum(body)}, separators=(", ", ": "))
    return text + "\n"


def problem(tmp_path: Path, line: str, name: str = "r-lasso", folder: str = FOLDER) -> str:
    """What a reader of a store says of a line; it must not take it for a record."""
    path = tmp_path / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line)
    records, wrong = Store(tmp_path).read(folder)
    assert records == []
    assert wrong[0].line == 1
    return str(wrong[0])


def at(*path: str | int) -> Callable[[Any], Callable[[Body], None]]:
    """An edit of one field of a record."""

    def to(value: Any) -> Callable[[Body], None]:
        def change(body: Body) -> None:
            for name in path[:-1]:
                body = body[name]
            body[path[-1]] = value

        return change

    return to


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (at("result", "test", "q_adj")(99.0), "test"),
        (at("result", "train", "q_adj")(99.0), "train"),
        (at("result", "sensitivity", "paper", "5", "q")(99.0), "J = 5"),
        (at("result", "curve", "gain", 3)(99.0), "its curve gives"),
        (at("result", "bins", 0, "rows")(1), "bins do not hold the test rows"),
        (at("result", "bins", 0, "observed")(-99.0), "its bins give"),
        (at("result", "rows", "test")(7), "bins do not hold"),
    ],
)
def test_row_01_numbers_that_contradict_each_other_are_no_record(
    change: Callable[[Body], None], words: str, tmp_path: Path
) -> None:
    assert words in problem(tmp_path, resealed(change))


def test_row_01_a_forged_score_does_not_verify_whatever_the_processor_is_called() -> None:
    honest = made_record()
    test = replace(honest.result.test, q_adj=99.0)
    forged = replace(
        honest,
        result=replace(honest.result, test=test),
        origin=replace(honest.origin, cpu="Forged CPU", arithmetic="a forged kernel"),
    )
    assert not judge(forged, honest).holds


def test_row_11_the_name_of_a_processor_decides_nothing() -> None:
    """Identity is asked for by what was really in force, not by the name of the machine."""
    before = made_record()
    named = replace(before, origin=replace(before.origin, cpu="another name"))
    assert judge(before, named).said == "identical"
    other = replace(made_record(candidates=4), origin=named.origin)
    assert judge(before, other).said.startswith("NOT REPRODUCED")


DEEP = "[" * 100_000
LINES = {
    "nan": '{"a": NaN, "checksum": "x"}',
    "too-large": '{"format": 2, "a": 1e999, "checksum": "x"}',
    "old-too-large": '{"a": 1e999, "checksum": "x"}',
    "deep": DEEP,
    "deep-and-closed": '{"format": 2, "a": ' + "[" * 900 + "]" * 900 + ', "checksum": "x"}',
    "digits": "1" * 5000,
    "null": "null",
    "empty": "",
    "format": '{"format": [], "checksum": "x"}',
    "nul": "\0\0\0",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_row_18_a_line_of_any_content_is_a_problem(line: str, tmp_path: Path) -> None:
    assert "r-lasso.jsonl, line 1" in problem(tmp_path, f"{line}\n")


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize(
    "body", [{}, {"options": None}, {"digest": 3, "options": {}}, {"key": None, "cell": []}]
)
def test_row_18_also_with_a_seal_that_fits(form: int, body: Body, tmp_path: Path) -> None:
    sealed = {"format": 2, **body} if form == 2 else body
    line = json.dumps({**sealed, "checksum": checksum(sealed)}, separators=(", ", ": "))
    assert problem(tmp_path, line + "\n")


@pytest.mark.parametrize(
    "change",
    [
        at("result", "test")(None),
        at("result", "test", "colour")("blue"),
        at("result", "sensitivity")(None),
        lambda body: body.pop("key"),
        at("key")("0" * 20),
        at("cell", "data", "replicate")("0"),
        at("cell", "data", "replicate")(-5),
        at("cell", "data", "replicate")(True),
        at("result")("maybe"),
        at("error")("both a result and an error"),
        at("error")(""),
        lambda body: body.update(result=None, error=""),
        at("result", "test", "q_adj")("9"),
        at("result", "test", "rho")(7),
        at("result", "test", "q")(10**400),
        at("result", "settings")(json.loads('{"a": ' + "[" * 60 + "]" * 60 + "}")),
        at("cost", "seconds")({"fit": -1.0}),
        at("cost", "seconds")({"fit": "nan"}),
        at("cost", "cpu_seconds")("nan"),
        at("result", "m_hat")(2.5),
    ],
)
def test_row_16_18_19_types_and_ranges_are_checked_by_every_reader(
    change: Callable[[Body], None], tmp_path: Path
) -> None:
    assert problem(tmp_path, resealed(change))


def test_row_16_a_record_with_a_wrong_number_is_not_made() -> None:
    with pytest.raises((BrokenRecord, ValueError)):
        Record.parse(made_record(cost=replace(COST, seconds={"tune": float("nan")})).line())


def test_row_14_a_record_is_one_line_whatever_its_text(tmp_path: Path) -> None:
    record = made_record(settings={"a": "x\u2028y\x85\x1c\r\n\udcff\0"})
    write_records(tmp_path / FOLDER / "r-lasso.jsonl", [record, made_record(replicate=1)])
    assert Store(tmp_path).read(FOLDER) == ([record, made_record(replicate=1)], [])


def test_row_20_one_published_line_per_cell(tmp_path: Path) -> None:
    twice = [made_record(), made_record(candidates=5)]
    write_records(tmp_path / FOLDER / "r-lasso.jsonl", twice)
    (said,) = Published(tmp_path).problems()
    assert "2 lines for replicate 0" in said


def _moved(record: Record, **changes: Any) -> Record:
    from suite.plan.cell import key_of

    cell = replace(record.cell, **changes)
    return replace(record, cell=cell, key=key_of(cell, record.basis))


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (made_record("x-lasso"), "it is a record of scenario4-printed/x-lasso"),
        (made_record(variant="released"), "it is a record of scenario4-released"),
        (made_record(experiment="hillstrom", variant=None), "it is a record of hillstrom"),
        (made_record(origin={"dirty": True}), "uncommitted"),
        (made_record(origin={"commit": None, "dirty": None}), "outside a git checkout"),
        (_moved(made_record(), quick=True), "quick"),
        (_moved(made_record(), seed=1), "seed"),
        (_moved(made_record(), data=made_record("r-lasso", experiment="scenario1").cell.data),
         "its data are scenario1"),
    ],
)  # fmt: skip
def test_row_21_a_published_record_lies_where_it_belongs(
    record: Record, words: str, tmp_path: Path
) -> None:
    write_records(tmp_path / FOLDER / "r-lasso.jsonl", [record])
    (said,) = Published(tmp_path).problems()
    assert words in said


def test_row_33_two_writers_never_share_a_store_also_without_the_lock_file(tmp_path: Path) -> None:
    with Store(tmp_path).writing():
        (tmp_path / ".lock").unlink()
        with pytest.raises(UserError, match="in use by"), Store(tmp_path).writing():
            pass


def test_row_49_odd_stores_are_explained(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UserError, match="is a file; a store is a folder"):
        Store(file)
    store = Store(tmp_path / "store")
    with store.writing() as writer:
        writer.append(made_record())
        half = tmp_path / "store" / FOLDER / "predictions" / "r-lasso" / "000-x.half"
        half.parent.mkdir(parents=True)
        half.write_text("left by a power cut")
        (half.parent.parent / "my.half").mkdir()  # the predictions of a method of this name
        writer.mend(FOLDER)
        assert not half.exists()
        folder = tmp_path / "store" / FOLDER / "oracle.jsonl"
        folder.mkdir()
        with pytest.raises(UserError, match="is a folder"):
            writer.mend(FOLDER)
    assert "folder" in str(store.read(FOLDER)[1][0])
    assert len(list(read_lines(folder))) == 1


@pytest.mark.parametrize("name", ["../../escape", "a/b", ".hidden", ""])
def test_row_51_names_that_leave_the_store_are_refused(name: str, tmp_path: Path) -> None:
    store = tmp_path / "a" / "store"
    with Store(store).writing() as writer:
        for record in (_moved(made_record(), method=name), _moved(made_record(), column=name)):
            with pytest.raises(UserError, match="cannot name a file"):
                writer.append(record)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == []


def test_what_is_published_holds(tmp_path: Path) -> None:
    """The same checks pass on a column that nobody touched."""
    made_column(tmp_path, "scenario4", ["r-lasso"], replicates=2)
    assert Published(tmp_path).problems() == []
