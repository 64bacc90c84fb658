"""Rows of "What must hold" (docs/suite.md) about what a person types, and about odd files."""

import argparse
import json
import time
from pathlib import Path

import pytest

from datasets.own import scaffold
from suite.cli import MISUSE, arguments, listing, run
from suite.names import UserError
from suite.plan import describe
from suite.plan.cell import MethodCode, OwnFile
from suite.plan.digest import Code
from suite.plan.experiments import EXPERIMENTS
from suite.plan.methods import chosen, own_methods
from suite.publish import side
from suite.publish.columns import PUBLISHED
from suite.store.store import Store
from suite.study import units as study_units
from suite.study.report import render

LATIN_1 = """# -*- coding: latin-1 -*-
# caf\xe9
from baselines import Method


class Mine(Method):
    name = "mine"

    def _fit(self, train, valid, seed):
        self.settings_ = {"drink": "caf\xe9"}

    def _predict(self, X):
        return X[:, 0]
"""


def _named(name: str) -> str:
    """The text of a file with a method of this name."""
    return LATIN_1.replace("latin-1", "utf-8").replace('"mine"', repr(name))


@pytest.mark.parametrize("place", [PUBLISHED, PUBLISHED / "minute"])
def test_row_24_a_run_into_the_published_records_is_refused(
    place: Path, capsys: pytest.CaptureFixture
) -> None:
    assert run.main(["minute", "--store", str(place)]) == MISUSE
    assert "give a run another --store" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("upstream", "words"),
    [
        ({"a": "a"}, "a starts from a: a ring has no beginning"),
        ({"a": "b", "b": "c", "c": "b"}, "a ring has no beginning"),
        ({"a": "nobody"}, "unknown upstream method of a 'nobody'"),
    ],
)
def test_row_26_a_ring_of_upstream_methods_is_refused(upstream: dict, words: str) -> None:
    own = {name: MethodCode(name, upstream=first) for name, first in upstream.items()}
    with pytest.raises(UserError, match=words):
        chosen([], [], own, own)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("while True: pass\n", "did not finish loading within 5 s"),
        ("import os; os._exit(0)\n", "ended its process with exit code 0"),
    ],
)
def test_row_27_a_method_file_that_never_ends_or_exits_is_a_clear_error(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(describe, "SECONDS", 5.0 if "while" in text else 60.0)
    path = tmp_path / "mine.py"
    path.write_text(text)
    start = time.monotonic()
    with pytest.raises(UserError, match=words):
        own_methods([path])
    assert time.monotonic() - start < 90


def test_row_27_what_a_method_file_prints_is_not_taken_for_its_methods(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"import atexit\natexit.register(print, 5)\n{_named('mine')}")
    assert list(own_methods([path])) == ["mine"]


def test_row_35_a_wrong_folder_of_data_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path / "nonexistent"))
    assert run.main(["hillstrom", "--dry-run", "--store", str(tmp_path / "runs")]) == MISUSE
    message = capsys.readouterr().err
    assert "UPLIFT_DATA" in message
    assert "Traceback" not in message
    assert "UPLIFT_DATA" in listing.unavailable(EXPERIMENTS["hillstrom"])
    assert listing.unavailable(EXPERIMENTS["scenario4"]) is None


def test_row_37_a_torn_line_is_dropped_and_the_next_one_stands_on_its_own(tmp_path: Path) -> None:
    def computed(replicate: int) -> int:
        words = ["--methods", "random", "--replicates", f"{replicate}-{replicate}", "--jobs", "1"]
        return run.main(["ports-sanity", *words, "--store", str(tmp_path)])

    assert computed(100) == 0
    path = tmp_path / "ports-sanity" / "random.jsonl"
    with path.open("a") as file:
        file.write(path.read_text()[:200])  # a power cut in the middle of a line
    assert computed(101) == 0
    records, wrong = Store(tmp_path).read("ports-sanity")
    assert [record.replicate for record in records] == [100, 101]
    assert not wrong


def test_row_37_a_damaged_line_of_old_is_named(tmp_path: Path) -> None:
    path = tmp_path / "study" / "records.jsonl"
    path.parent.mkdir()
    path.write_text('{"key": "a"}\n{"key": "to\n{"key": "c"}\n')
    with pytest.raises(UserError, match="line 2 is no record"):
        list(side.unattested("study", tmp_path))


def test_row_37_the_page_of_the_study_shows_its_units() -> None:
    units = study_units.units()
    assert len(units) == side.planned("study")
    assert render(units) == (side.RESULTS / "study" / "study.md").read_text()


@pytest.mark.parametrize("text", ["nan", "inf", "1e999", "-1", "0", "nans", "nanh"])
def test_row_38_limits_that_are_no_numbers_are_refused(text: str) -> None:
    for reader in (arguments.seconds, arguments.megabytes):
        with pytest.raises(argparse.ArgumentTypeError, match="is not like"):
            reader(text)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x" * 251, "of 251 letters; a name may have 100"),
        ("x" + "\U00010400" * 90, "use plain letters, digits"),  # 361 bytes
        ("my method", "use plain letters, digits"),
    ],
    ids=["characters", "bytes", "space"],
)
def test_row_39_a_name_too_long_for_a_file_is_refused_in_the_plan(
    name: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(_named(name))
    with pytest.raises(UserError, match=words):
        own_methods([path])


def test_row_39_so_is_the_name_of_a_data_set(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "my_data.py"
    scaffold(path, {})
    path.write_text(path.read_text().replace('name = "my-data"', 'name = "my data"'))
    assert run.main(["--data", str(path), "--store", str(tmp_path / "runs")]) == MISUSE
    assert "calls a data set 'my data'; use plain letters" in capsys.readouterr().err


def test_row_39_a_latin_1_file_is_planned_and_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(LATIN_1.encode("latin-1"))
    file = describe.own_file(path)
    assert file.matches()
    sent = OwnFile(**json.loads(json.dumps({"path": file.path, "texts": dict(file.texts)})))
    assert sent.texts["mine.py"].encode("latin-1") == path.read_bytes()
    assert Code().digest(path)
    (tmp_path / "bad.py").write_bytes(b"# -*- coding: utf-8 -*-\nx = '\xe9'\n")
    with pytest.raises(UserError, match="is no Python file"):
        describe.own_file(tmp_path / "bad.py")


def test_row_50_the_error_of_a_method_file_has_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("raise ValueError('no\\x1b[2J, \\x1b]0;owned\\x07')\n")
    with pytest.raises(UserError, match="owned") as error:
        own_methods([path])
    assert not {"\x1b", "\x07"} & set(str(error.value))


@pytest.mark.parametrize("line", ["upstream = 3", 'paper_row = ["Logistic"]'])
def test_what_a_user_s_method_says_of_itself_has_the_right_types(line: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_named("mine").replace("    name =", f"    {line}\n    name =", 1))
    with pytest.raises(UserError, match=f"mine.py: .*{line.split()[0]} is .*; it must be a text"):
        own_methods([file])
