"""Rows of "What must hold" (docs/suite.md) about keys and about what is published."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import datasets
from suite.cli import MISUSE, verify
from suite.cli import publish as publish_command
from suite.compute import environment
from suite.names import UserError
from suite.plan.cell import MethodCode, key_of
from suite.plan.describe import own_file
from suite.plan.digest import ROOT, Code
from suite.plan.plan import CELL, code_facts
from suite.publish import merge
from suite.publish.attested import Attested
from suite.publish.columns import Published
from suite.publish.merge import publish
from suite.store.record import Record
from suite.store.store import Store, write_records
from tests.suite.made import made_column, made_record, of_other_code

FOLDER = "scenario4-printed"


@pytest.fixture
def any_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up records name no commit of this repository."""
    monkeypatch.setattr(merge.Commits, "objection", lambda *_: None)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    made_column(tmp_path / "published", "scenario4", ["r-lasso"], replicates=2)
    return tmp_path / "published"


def offered(tmp_path: Path, *records: Record) -> Store:
    """A store with these records."""
    store = Store(tmp_path / "offered")
    with store.writing() as writer:
        for record in records:
            writer.append(record)
    return store


def one_digit(text: str) -> str:
    position = text.index('"q": ') + len('"q": -0')
    digit = next(i for i in range(position, len(text)) if text[i].isdigit())
    return text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1 :]


@pytest.mark.usefixtures("any_commit")
@pytest.mark.parametrize("broken", ["published", "offered"])
def test_row_03_publish_stops_at_a_broken_line_and_removes_nothing(
    broken: str, published: Path, tmp_path: Path
) -> None:
    store = offered(tmp_path, made_record(replicate=3), made_record(replicate=4))
    path = (published if broken == "published" else store.root) / FOLDER / "r-lasso.jsonl"
    path.write_text(one_digit(path.read_text()))
    before = {p: p.read_bytes() for p in published.rglob("*.jsonl")}
    with pytest.raises(UserError, match=r"r-lasso\.jsonl, line 1"):
        list(publish(store, published))
    assert {p: p.read_bytes() for p in published.rglob("*.jsonl")} == before


@pytest.mark.usefixtures("any_commit")
def test_row_03_also_where_a_line_is_torn_in_the_middle(published: Path, tmp_path: Path) -> None:
    store = offered(tmp_path, made_record(replicate=3), made_record(replicate=4))
    path = store.root / FOLDER / "r-lasso.jsonl"
    first, second = path.read_text().splitlines(keepends=True)
    path.write_text(f"{first[:500]}\n{second}")
    with pytest.raises(UserError, match="line 1"):
        list(publish(store, published))


EDITS = {
    "fits on other rows": (CELL, "method.fit(data.train,", "method.fit(data.test,"),
    "hands on something else": (CELL, "result.m_hat", "result.m"),
    "loads another replicate": ("datasets/__init__.py", "load(replicate,", "load(replicate + 1,"),
    "uses two threads": ("suite/compute/pinned.py", "THREADS = 1", "THREADS = 2"),
    "rounds otherwise": ("suite/compute/pinned.py", '"Haswell"', '"Prescott"'),
    "measures otherwise": ("suite/compute/measures.py", "100", "101"),
    "checks less": ("baselines/contract.py", "uplift.size != len(X)", "False"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_row_06_the_key_changes_with_everything_that_decides_a_number(
    edit: str, tmp_path: Path
) -> None:
    for file in Code().closure(CELL):
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    before = Code(tmp_path).digest(CELL)
    assert before == Code().digest(CELL)
    name, old, new = EDITS[edit]
    text = (tmp_path / name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new))
    assert Code(tmp_path).digest(CELL) != before


def test_row_06_and_with_the_content_of_files_that_have_no_published_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import files

    source = datasets.source("criteo-synthetic")
    (item,) = source.files()
    assert not item.sha256
    path = tmp_path / "rows"
    monkeypatch.setattr(files, "find", lambda file: path if path.exists() else None)
    found = [source.content()]
    for text in ("seed 0", "seed 1"):
        path.write_text(text)
        found.append(source.content())
    assert found[0] is None
    assert len(set(found)) == 3
    cell, basis = made_record().cell, made_record().basis
    assert len({key_of(cell, replace(basis, content=content)) for content in found}) == 3


def test_row_17_the_key_covers_the_files_beside_a_user_s_method(tmp_path: Path) -> None:
    mine, helper = tmp_path / "mine.py", tmp_path / "helper_mod.py"
    mine.write_text("import sys\nsys.path.insert(0, '.')\nimport helper_mod\n")
    helper.write_text("SIGN = 1\n")
    method = MethodCode("mine", file=own_file(mine))
    before = code_facts(method, "scenario4").digests
    assert set(method.file.texts) == {"mine.py", "helper_mod.py"}
    helper.write_text("SIGN = -1\n")
    assert code_facts(method, "scenario4").digests != before
    assert not method.file.matches()


def _of(**changes: object) -> Callable[[Record], Record]:
    return lambda record: replace(record, **changes)


def _quick(record: Record) -> Record:
    cell = replace(record.cell, quick=True)
    return replace(record, cell=cell, key=key_of(cell, record.basis))


def test_row_15_a_key_that_is_not_the_cell_s_is_no_record(published: Path, tmp_path: Path) -> None:
    store = offered(tmp_path, replace(made_record(replicate=7), key="0" * 20))
    with pytest.raises(UserError, match="the key is not that of its cell"):
        list(publish(store, published))


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (made_record(replicate=7, origin={"commit": "f" * 40}), "is not in this repository"),
        (_quick(made_record(replicate=7)), "quick run"),
        (made_record("mine", replicate=7), "mine is not a method of the project"),
    ],
)
def test_row_15_publish_takes_only_cells_of_the_plan(
    record: Record, words: str, published: Path, tmp_path: Path
) -> None:
    (message,) = publish(offered(tmp_path, record), published)
    assert "refused 1" in message
    assert words in message
    assert len(Store(published).records(FOLDER)) == 2


def test_row_22_verify_compares_only_cells_of_today_s_code(tmp_path: Path) -> None:
    root = tmp_path / "published"
    records = [of_other_code(made_record(replicate=r)) for r in range(2)]
    write_records(root / FOLDER / "r-lasso.jsonl", records)
    column = Published(root, Attested()).column("scenario4", "printed")
    with pytest.raises(UserError, match="0 of the 2 published cells by today's code"):
        verify._today(column, list(column.records), root)  # a copy of what is published
    made_column(tmp_path / "runs", "scenario4", ["r-lasso"], replicates=2)
    assert len(verify._today(column, list(column.records), tmp_path / "runs")) == 2


@pytest.mark.usefixtures("any_commit")
def test_row_23_other_numbers_under_a_published_key_are_said(
    published: Path, tmp_path: Path
) -> None:
    (message,) = publish(offered(tmp_path, made_record(candidates=4)), published)
    assert "r-lasso, replicate 0 has other numbers" in message
    assert {r.result.candidates for r in Store(published).records(FOLDER)} == {3}


def test_row_52_the_commit_of_a_record_is_that_of_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = environment.git_state()
    if here == (None, None):
        pytest.skip("not a git checkout")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    assert environment.git_state() == here
    assert "GIT_DIR" not in environment.git_environment()


def test_a_store_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(publish_command, "PUBLISHED", tmp_path / "published")
    assert publish_command.main(["--store", str(tmp_path / "nowhere")]) == MISUSE
    assert "no store at" in capsys.readouterr().err
