"""`python -m suite rounding`: two stores of the same cells, and what is refused."""

from pathlib import Path

import pytest

from suite.cli import rounding as command
from suite.compare.rounding import FILE, read
from tests.suite.made import made_column


def test_common_cells_are_written_beside_the_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    made_column(one, "scenario4", ["r-lasso", "x-lasso"], replicates=3)
    made_column(other, "scenario4", ["r-lasso"], replicates=2)
    monkeypatch.setattr(command, "PUBLISHED", tmp_path / "results" / "records")
    assert command.main([str(one), str(other)]) == 0
    assert "2 cells in common" in capsys.readouterr().out
    cells = read(tmp_path / "results" / FILE)
    assert [(cell.method, cell.replicate) for cell in cells] == [("r-lasso", 0), ("r-lasso", 1)]
    assert all(cell.q_adj_one == cell.q_adj_other and cell.same_setting for cell in cells)


def test_stores_without_common_cells_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    made_column(tmp_path / "one", "scenario4", ["r-lasso"], replicates=1)
    (tmp_path / "other").mkdir()
    for other, reason in (("other", "no cell in common"), ("none", "is no directory")):
        with pytest.raises(SystemExit):
            command.main([str(tmp_path / "one"), str(tmp_path / other)])
        assert reason in capsys.readouterr().err
