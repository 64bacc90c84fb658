"""The share of published cells that is computed again: drawn by the records, by nobody else."""

from pathlib import Path

import pytest

from suite.cli import verify as command
from suite.publish import sample
from suite.publish.columns import Published
from suite.publish.sample import draw, read, write
from suite.show.pages import render_text
from suite.store.store import Store, write_records
from tests.suite.made import made_column, made_record


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made_column(tmp_path, "scenario4", ["r-lasso", "x-lasso", "oracle"], replicates=10)
    made_column(tmp_path, "scenario1", ["r-lasso"], replicates=10)
    return tmp_path


def test_everyone_draws_the_same_cells(root: Path) -> None:
    one, other = draw(Published(root), 0.1), draw(Published(root), 0.1)
    assert list(one.lines()) == list(other.lines())
    assert (len(one), one.total) == (4, 40)
    assert len(draw(Published(root), 0.101)) == 5  # rounded up
    assert len(draw(Published(root), 1.0)) == 40
    larger = set(draw(Published(root), 0.5).lines())
    assert set(one.lines()) < larger


def test_another_record_draws_other_cells(root: Path) -> None:
    before = draw(Published(root), 0.2)
    path = root / "scenario1-printed" / "r-lasso.jsonl"
    old = Store(root).records("scenario1-printed")
    write_records(path, [*old, made_record("r-lasso", 10, experiment="scenario1")])
    after = draw(Published(root), 0.2)
    assert before.seed != after.seed
    assert set(before.lines()) != set(after.lines())


def test_failed_cells_are_not_drawn(root: Path) -> None:
    failed = made_record("logistic", 0, error="it broke")
    write_records(root / "scenario4-printed" / "logistic.jsonl", [failed])
    assert "logistic" not in {line[1] for line in draw(Published(root), 1.0).lines()}


def test_the_list_says_what_came_of_each_cell(root: Path, tmp_path: Path) -> None:
    drawn = draw(Published(root), 0.1)
    first = next(iter(drawn.lines()))
    write(drawn, {first[:3]: "identical"}, tmp_path / "list.csv")
    lines = read(tmp_path / "list.csv")
    assert [line["result"] for line in lines] == ["identical"] + ["not yet verified"] * 3
    assert {line["seed"] for line in lines} == {drawn.seed[:16]}
    assert lines[0]["key"] == first[3]


def test_the_command_draws_and_compares_with_a_run(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    monkeypatch.setattr(command, "Published", lambda: Published(root))
    monkeypatch.setattr(sample, "FILE", tmp_path / "verified.csv")
    assert command.main(["--sample", "10%", "--list"]) == 0
    assert "4 of 40 cells, drawn by records" in capsys.readouterr().out
    assert {line["result"] for line in read(sample.FILE)} == {"not yet verified"}
    assert command.main(["--sample", "10%", "--store", str(root)]) == 0
    assert {line["result"] for line in read(sample.FILE)} == {"identical"}
    assert command.main(["scenario4", "--sample", "10%"]) == 2
    assert command.main([]) == 2
    with pytest.raises(SystemExit):
        command.main(["--sample", "300%"])


def test_the_front_page_says_how_many_were_identical(tmp_path: Path) -> None:
    root = tmp_path / "records"
    made_column(root, "scenario4", ["r-lasso"], replicates=6)
    drawn = draw(Published(root), 0.5)
    cells = [line[:3] for line in drawn.lines()]
    said = {cells[0]: "identical", cells[1]: "NOT REPRODUCED: q_adj differs by +0.1"}
    write(drawn, said, tmp_path / "findings" / sample.FILE.name)
    text = render_text(Published(root))["README.md"]
    assert "Of 3 cells drawn by a digest of the records, 2 were computed again, 1 of them" in text
