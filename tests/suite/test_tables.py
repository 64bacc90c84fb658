"""Tables: complete, byte-stable, and checked against the records."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

import baselines
from suite.publish.columns import Published
from suite.show.tables import __main__ as command
from suite.show.tables import render_text
from suite.store.store import Store, write_records
from tests.suite.made import made_column

METHODS = ["r-lasso", "x-lasso", "causal-forest", "causal-forest-honest"]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Made-up records and the files rendered from them."""
    root, folder = tmp_path_factory.mktemp("records"), tmp_path_factory.mktemp("tables")
    made_column(root, "scenario4", METHODS)
    command.write(Published(root), folder)
    return root, folder


@pytest.fixture
def here(rendered: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The command line looks at the rendered files."""
    monkeypatch.setattr(command, "PUBLISHED", rendered[0])
    monkeypatch.setattr(command, "TABLES", rendered[1])
    return rendered


def test_every_table_of_the_paper_is_there(rendered: tuple[Path, Path]) -> None:
    names = {path.name for path in rendered[1].iterdir()}
    for table in ("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T7-released", "T7-centred"):
        assert {f"{table}.md", f"{table}.csv", f"{table}.tex"} <= names
    assert {"F4.svg", "F4.png", "claims.md", "audit.md"} <= names
    assert {"pairwise-scenario4-printed.md", "sensitivity-scenario4-printed.md"} <= names
    for kind in ("curves", "dots", "time"):
        assert f"{kind}-scenario4-printed.png" in names


def test_tables_hold_ours_the_paper_s_and_the_verdict(rendered: tuple[Path, Path]) -> None:
    root, folder = rendered
    values = [r.test.q_adj for r in Published(root).column("scenario4", "printed").of("r-lasso")]
    lines = list(csv.DictReader(io.StringIO((folder / "T7.csv").read_text())))
    (line,) = [x for x in lines if x["method"] == "r-lasso" and x["column"] == "scenario4"]
    assert float(line["mean"]) == pytest.approx(sum(values) / len(values))
    assert float(line["paper"]) == 2.83
    assert line["verdict"] in {"agrees", "same ranking", "differs"}
    text = (folder / "T3.md").read_text()
    assert "not yet run" in text
    assert "Oracle (true uplift)" in text
    assert "private data" in (folder / "T4.md").read_text()
    assert (folder / "T5.md").read_text().count("private data") >= 12
    for words in ("Replicates: 0-7", "printed", "J = 10", "0123456789"):
        assert words in text


def test_rendering_is_byte_stable(rendered: tuple[Path, Path], tmp_path: Path) -> None:
    command.write(Published(rendered[0]), tmp_path)
    for path in rendered[1].iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_check_passes_on_what_was_rendered(here: tuple[Path, Path]) -> None:
    assert command.main(["--check", "--strict"]) == 0


def test_check_fails_on_one_edited_digit(
    here: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    names = ["T2.md", "T7.csv", "T1.tex", "claims.md", "dots-scenario4-printed.svg"]
    originals = {here[1] / name: (here[1] / name).read_text() for name in names}
    for path, original in originals.items():
        position = re.search(r"\d(?=\D*$)", original[: len(original) // 2]).start()
        digit = str((int(original[position]) + 1) % 10)
        path.write_text(original[:position] + digit + original[position + 1 :])
    try:
        assert command.main(["--check"]) == 1
        problems = capsys.readouterr().err.splitlines()
    finally:
        for path, original in originals.items():
            path.write_text(original)
    for name in names:
        assert any(line.startswith(f"problem: {name} ") for line in problems), name


def test_check_fails_on_an_edited_record(
    here: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    path = here[0] / "scenario4-printed" / "r-lasso.jsonl"
    original = path.read_text()
    path.write_text(original.replace('"candidates": 3', '"candidates": 4', 1))
    try:
        assert command.main(["--check"]) == 1
        assert "r-lasso.jsonl, line 1" in capsys.readouterr().err
        assert command.main([]) == 1  # nor is anything rendered from it
    finally:
        path.write_text(original)


def test_check_fails_on_a_file_that_comes_from_no_record(here: tuple[Path, Path]) -> None:
    extra = here[1] / "T9.md"
    extra.write_text("3.99")
    try:
        assert command.main(["--check"]) == 1
    finally:
        extra.unlink()


def test_stale_records_are_marked_and_fail_only_the_strict_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    root, folder = tmp_path / "records", tmp_path / "tables"
    made_column(root, "scenario4", ["r-lasso"])
    monkeypatch.setattr(command, "PUBLISHED", root)
    monkeypatch.setattr(command, "TABLES", folder)
    command.main([])
    # The code changes after the tables were rendered.
    old = Store(root).records("scenario4-printed")
    path = root / "scenario4-printed" / "r-lasso.jsonl"
    write_records(path, [replace(record, key="of-other-code") for record in old])
    assert command.main(["--check"]) == 0
    assert "stale in scenario4-printed: r-lasso" in capsys.readouterr().out
    assert command.main(["--check", "--strict"]) == 1
    stale = render_text(Published(root))
    for name in ("T2.md", "T2.tex", "T2.csv"):
        fresh = (folder / name).read_text()
        assert stale[name] != fresh  # the marks are there
        unmarked = command.without_stale_marks
        assert unmarked(stale[name]) == unmarked(fresh)


def test_nothing_published_still_renders(tmp_path: Path) -> None:
    files = render_text(Published(tmp_path))
    assert "not yet run" in files["T1.md"]
    assert "not yet run" in files["claims.md"]


def test_every_row_of_the_paper_has_its_method() -> None:
    """A row without a method would stay empty for ever."""
    from suite.plan import paper
    from suite.show.tables.simulated import T1_ALIASES

    known = {cls.paper_row for cls in baselines.methods().values()}
    for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7"):
        for row in paper.rows(table):
            assert T1_ALIASES.get(row, row) in known, (table, row)
