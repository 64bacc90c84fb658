"""Records: one line each, sealed."""

import json
import math
from dataclasses import replace

import pytest

from suite.store.record import BrokenRecord, Record, checksum
from tests.suite.made import COST, made_record


def test_a_record_comes_back_as_it_was() -> None:
    record = made_record(m_hat=340, m=512, settings={"rate": 0.1, "deep": [1, 2]})
    assert Record.parse(record.line()) == record
    assert record.line().count("\n") == 1


def test_every_edited_character_is_noticed() -> None:
    line = made_record().line().strip()
    digits = [i for i, character in enumerate(line) if character.isdigit()]
    for position in digits:
        other = str((int(line[position]) + 1) % 10)
        edited = line[:position] + other + line[position + 1 :]
        with pytest.raises(BrokenRecord):
            Record.parse(edited)


@pytest.mark.parametrize("line", ["", "{", "[]", "3", '{"key": 1}', made_record().line()[:200]])
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(BrokenRecord):
        Record.parse(line)


def test_fields_that_are_not_known_are_refused() -> None:
    body = json.loads(made_record().line())
    del body["checksum"]
    body["colour"] = "blue"
    with pytest.raises(BrokenRecord, match="colour"):
        Record.parse(json.dumps({**body, "checksum": checksum(body)}))


def test_no_nan_reaches_a_file() -> None:
    with pytest.raises(ValueError, match="JSON"):
        made_record(cost=replace(COST, cpu_seconds=math.nan)).line()
