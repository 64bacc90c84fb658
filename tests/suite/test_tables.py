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
from suite.show.pages import render_text
from suite.store.store import Store, write_records
from tests.suite.made import made_column, of_other_code

METHODS = ["r-lasso", "x-lasso", "causal-forest", "causal-forest-honest"]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Made-up records and the files rendered from them."""
    root, folder = tmp_path_factory.mktemp("records"), tmp_path_factory.mktemp("results")
    made_column(root, "scenario4", METHODS)
    command.write(Published(root), folder, {})
    return root, folder


@pytest.fixture
def here(rendered: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The command line looks at the rendered files."""
    monkeypatch.setattr(command, "PUBLISHED", rendered[0])
    monkeypatch.setattr(command, "RESULTS", rendered[1])
    return rendered


def test_every_table_of_the_paper_is_there(rendered: tuple[Path, Path]) -> None:
    names = files_in(rendered[1])
    for table in ("T1", "T2", "T3", "T4", "T5", "T6", "T7"):
        assert {f"paper/{table}.md", f"paper/{table}.csv", f"paper/latex/{table}.tex"} <= names
    assert {"paper/F4.svg", "paper/latex/T7-centred.tex", "findings/overview.svg"} <= names
    assert {"findings/claims.md", "findings/audit.csv", "README.md"} <= names
    column = {"README.md", "pairwise.csv", "sensitivity.csv", "curves.svg", "dots.svg", "time.svg"}
    assert {f"columns/scenario4-printed/{name}" for name in column} <= names
    sections = (rendered[1] / "paper" / "T7.md").read_text()
    assert sections.index("# T7") < sections.index("variant released") < sections.index("centred\n")


def files_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_every_link_of_a_page_leads_to_a_file(rendered: tuple[Path, Path]) -> None:
    elsewhere = {"../docs/suite.md", "../docs/measure.md", "records", "study/study.md"}
    elsewhere |= {"perf/peers.md"}  # not in this folder; the published ones are checked below
    for folder, known in ((rendered[1], elsewhere), (command.RESULTS, set())):
        for page in folder.rglob("*.md"):
            for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
                assert target in known or (page.parent / target).exists(), (page, target)


def test_tables_hold_ours_the_paper_s_and_the_verdict(rendered: tuple[Path, Path]) -> None:
    root, folder = rendered
    values = [r.test.q_adj for r in Published(root).column("scenario4", "printed").of("r-lasso")]
    lines = list(csv.DictReader(io.StringIO((folder / "paper" / "T7.csv").read_text())))
    cell = {"method": "r-lasso", "column": "scenario4", "variant": "printed"}
    (line,) = [line for line in lines if cell.items() <= line.items()]
    assert float(line["mean"]) == pytest.approx(sum(values) / len(values))
    assert float(line["paper"]) == 2.83
    assert line["verdict"] in {f"{word} (interim)" for word in DECIDED}
    text = (folder / "paper" / "T3.md").read_text()
    assert "not yet run" in text
    assert "Oracle (true uplift)" in text
    assert "private data" in (folder / "paper" / "T4.md").read_text()
    assert (folder / "paper" / "T5.md").read_text().count("private data") >= 12
    for words in ("Replicates: 0-7", "printed", "J = 10", "0123456789"):
        assert words in text


def test_what_has_not_run_is_named_once_and_fills_no_table(rendered: tuple[Path, Path]) -> None:
    text = (rendered[1] / "findings" / "beyond.md").read_text()
    assert "| not yet run |" not in text
    (waiting,) = [
        line for line in text.splitlines() if line.startswith("- Not yet run: scenario 1")
    ]
    assert waiting.count("twin-boost") == 4
    claims = (rendered[1] / "findings" / "claims.md").read_text()
    assert "variant printed" in claims
    assert "variant released" not in claims


def test_rendering_is_byte_stable(rendered: tuple[Path, Path], tmp_path: Path) -> None:
    command.write(Published(rendered[0]), tmp_path, {})
    assert files_in(tmp_path) == files_in(rendered[1])
    for name in files_in(tmp_path):
        assert (tmp_path / name).read_bytes() == (rendered[1] / name).read_bytes(), name


def test_check_passes_on_what_was_rendered(here: tuple[Path, Path]) -> None:
    assert command.main(["--check", "--strict"]) == 0


def test_check_fails_on_one_edited_digit(
    here: tuple[Path, Path], capsys: pytest.CaptureFixture
) -> None:
    names = ["paper/T2.md", "paper/T7.csv", "paper/latex/T1.tex", "findings/claims.md"]
    names += ["columns/scenario4-printed/dots.svg", "README.md"]
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


@pytest.mark.parametrize("name", ["T9.md", "paper/T9.md", "perf/more.csv"])
def test_check_fails_on_a_file_that_comes_from_no_record(
    here: tuple[Path, Path], name: str, capsys: pytest.CaptureFixture
) -> None:
    extra = here[1] / name
    extra.parent.mkdir(exist_ok=True)
    extra.write_text("3.99")
    try:
        assert command.main(["--check"]) == 1
        assert f"{name} comes from no record; delete it" in capsys.readouterr().err
        command.main([])
        assert extra.exists() == (not name.startswith("paper/"))  # only what was rendered goes
    finally:
        extra.unlink(missing_ok=True)


def test_records_and_measurements_are_no_unknown_files(here: tuple[Path, Path]) -> None:
    for name in ("records/scenario4-printed/x.jsonl", "perf/asv/a.json", "attested.jsonl"):
        (here[1] / name).parent.mkdir(parents=True, exist_ok=True)
        (here[1] / name).write_text("")
    assert command.main(["--check"]) == 0


def test_stale_records_are_marked_and_fail_only_the_strict_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    root, folder = tmp_path / "records", tmp_path / "results"
    made_column(root, "scenario4", ["r-lasso"])
    monkeypatch.setattr(command, "PUBLISHED", root)
    monkeypatch.setattr(command, "RESULTS", folder)
    command.main([])
    # The code changes after the tables were rendered.
    old = Store(root).records("scenario4-printed")
    path = root / "scenario4-printed" / "r-lasso.jsonl"
    write_records(path, [of_other_code(record) for record in old])
    assert command.main(["--check"]) == 0
    assert "stale in scenario4-printed: r-lasso" in capsys.readouterr().out
    assert command.main(["--check", "--strict"]) == 1
    stale = render_text(Published(root))
    for name in ("paper/T2.md", "paper/latex/T2.tex", "paper/T2.csv"):
        fresh = (folder / name).read_text()
        assert stale[name] != fresh  # the marks are there
        unmarked = files_of.without_stale_marks
        assert unmarked(stale[name]) == unmarked(fresh)


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
    assert "6 of 9" in uneven["paper/T2.md"]  # a row that lacks some shows how many it has


def test_the_published_tables_have_one_verdict_per_cell_and_common_replicates() -> None:
    """The rendered files themselves, as they are published."""
    files = {str(path): path.read_text() for path in command.RESULTS.glob("*/*.csv")}
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
    assert "not yet run" in files["paper/T1.md"]
    assert "not yet run" in files["findings/claims.md"]


def test_every_row_of_the_paper_has_its_method() -> None:
    """A row without a method would stay empty for ever."""
    from suite.plan import paper
    from suite.show.tables.scenario4 import T1_ALIASES

    known = {cls.paper_row for cls in baselines.methods().values()}
    for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7"):
        for row in paper.rows(table):
            assert T1_ALIASES.get(row, row) in known, (table, row)
