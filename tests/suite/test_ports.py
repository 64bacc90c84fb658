"""The comparison of the ports: recorded once, and shown as recorded."""

from pathlib import Path

import pytest

from suite.plan.digest import ROOT
from suite.ports import report as ports_report
from suite.ports import units as ports


def test_a_recorded_unit_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "RECORDS", tmp_path / "records.jsonl")
    unit = ports.Unit("sanity", "random", "100")
    ports.run([unit], None)
    first = ports.read()
    ports.run([unit], None)
    assert ports.read() == first
    assert [record["key"] for record in first] == ["sanity/random/100"]
    assert abs(first[0]["q"]) < 2  # a random ranking


def test_the_page_shows_the_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text((ROOT / ports_report.PAGE).read_text())
    monkeypatch.setattr(ports_report, "PAGE", page)
    monkeypatch.setattr(ports, "RECORDS", ROOT / ports.RECORDS)
    ports_report.render(ports.read(), list(ports.UNCUT))
    assert page.read_text() == (ROOT / "docs" / "baselines.md").read_text()


def test_a_missing_folder_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ports.main(["reference", "no-such-folder"])
    assert "no-such-folder" in capsys.readouterr().err
