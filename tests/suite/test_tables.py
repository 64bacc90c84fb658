"""Tables: complete, byte-stable, and checked against the records."""

import csv
import io
import re
from pathlib import Path

import pytest

import baselines
from suite.cli import tables as command
from suite.compare.verdicts import DECIDED
from suite.publish.columns import Published
from suite.show import rendered as files_of
from suite.show.dots import dot_numbers
from suite.show.findings import front_page
from suite.show.tables import render_text
from suite.store.store import Store, write_records
from tests.suite.made import made_column, of_other_code

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
    monkeypatch.setattr(command, "FRONT", rendered[1].parent / "front.md")
    command.FRONT.write_text(front_page(Published(rendered[0])))
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
    assert line["verdict"] in {f"{word} (interim)" for word in DECIDED}
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
    monkeypatch.setattr(command, "FRONT", tmp_path / "README.md")
    command.main([])
    # The code changes after the tables were rendered.
    old = Store(root).records("scenario4-printed")
    path = root / "scenario4-printed" / "r-lasso.jsonl"
    write_records(path, [of_other_code(record) for record in old])
    assert command.main(["--check"]) == 0
    assert "stale in scenario4-printed: r-lasso" in capsys.readouterr().out
    assert command.main(["--check", "--strict"]) == 1
    stale = render_text(Published(root))
    for name in ("T2.md", "T2.tex", "T2.csv"):
        fresh = (folder / name).read_text()
        assert stale[name] != fresh  # the marks are there
        unmarked = files_of.without_stale_marks
        assert unmarked(stale[name]) == unmarked(fresh)


def test_check_fails_on_an_edited_front_page(
    here: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    assert "The paper's 13 [claims]" in command.FRONT.read_text()
    command.FRONT.write_text(command.FRONT.read_text().replace("13", "14"))
    assert command.main(["--check"]) == 1
    assert "front.md differs" in capsys.readouterr().err


def tidy_lines(files: dict[str, str]) -> list[dict[str, str]]:
    """The lines of every CSV file that has verdicts on cells."""
    found = []
    for name, content in files.items():
        if name.endswith(".csv"):
            lines = list(csv.DictReader(io.StringIO(content)))
            found += [line | {"file": name} for line in lines if "half_width" in line]
    assert found
    return found


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Rows with unequal numbers of replicates, in two scenarios."""
    root = tmp_path_factory.mktemp("uneven")
    made_column(root, "scenario4", METHODS, replicates=9)
    made_column(root, "scenario4", ["logistic", "twin-512-structured"], replicates=6)
    made_column(root, "scenario4", ["oracle", "random"], replicates=20)
    made_column(root, "scenario3", ["r-lasso", "x-lasso"], replicates=3)
    made_column(root, "insurance", ["logistic", "twin-mu"], replicates=5, variant=None)
    return render_text(Published(root))


def test_no_cell_has_two_verdicts(uneven: dict[str, str]) -> None:
    verdicts: dict[tuple[str, ...], set[str]] = {}
    for line in tidy_lines(uneven):
        if line["paper"]:
            cell = tuple(line[name] for name in ("experiment", "variant", "method"))
            verdicts.setdefault(cell, set()).add(line["verdict"])
    assert len(verdicts) > 30
    assert {cell: words for cell, words in verdicts.items() if len(words) > 1} == {}


def test_all_replicates_of_a_column_are_equal(uneven: dict[str, str]) -> None:
    columns: dict[tuple[str, ...], set[str]] = {}
    for line in tidy_lines(uneven):
        if line["mean"]:
            column = tuple(line[name] for name in ("experiment", "variant"))
            columns.setdefault(column, set()).add(line["replicates"])
    assert set(columns) == {("scenario4", "printed"), ("scenario3", "printed"), ("insurance", "")}
    assert all(len(counts) == 1 for counts in columns.values()), columns
    assert "6 of 9" in uneven["T2.md"]  # a row that lacks some shows how many it has


def test_the_published_tables_have_one_verdict_per_cell_and_common_replicates() -> None:
    """The rendered files themselves, as they are published."""
    files = {path.name: path.read_text() for path in command.TABLES.glob("*.csv")}
    verdicts: dict[tuple[str, ...], set[str]] = {}
    counts: dict[tuple[str, ...], set[str]] = {}
    for line in tidy_lines(files):
        column = line["experiment"], line["variant"]
        if line["paper"]:
            verdicts.setdefault((*column, line["method"]), set()).add(line["verdict"])
        if line["mean"]:
            counts.setdefault(column, set()).add(line["replicates"])
    assert [cell for cell, words in verdicts.items() if len(words) > 1] == []
    assert [column for column, numbers in counts.items() if len(numbers) > 1] == []


def test_a_figure_shows_rows_on_the_same_replicates(tmp_path: Path) -> None:
    made_column(tmp_path, "scenario4", METHODS, replicates=7)
    made_column(tmp_path, "scenario4", ["logistic"], replicates=5)
    numbers = dot_numbers(Published(tmp_path).column("scenario4", "printed"))
    assert all(row["replicates"] == list(range(7)) for row in numbers["rows"])
    assert numbers["left_out"] == ["logistic"]
    assert numbers["reference"] in METHODS
    (zero,) = [row for row in numbers["rows"] if row["method"] == numbers["reference"]]
    assert zero["q_adj"] == [0.0, 0.0]


def test_nothing_published_still_renders(tmp_path: Path) -> None:
    files = render_text(Published(tmp_path))
    assert "not yet run" in files["T1.md"]
    assert "not yet run" in files["claims.md"]


def test_every_row_of_the_paper_has_its_method() -> None:
    """A row without a method would stay empty for ever."""
    from suite.plan import paper
    from suite.show.tables.scenario4 import T1_ALIASES

    known = {cls.paper_row for cls in baselines.methods().values()}
    for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7"):
        for row in paper.rows(table):
            assert T1_ALIASES.get(row, row) in known, (table, row)
