"""The table of scale: growth exponents of time and memory."""

from pathlib import Path

from suite.compute.outcome import Cost
from suite.plan.experiments import EXPERIMENTS
from suite.publish.columns import Published
from suite.show.pages import render_text
from suite.show.tables.scale import scale
from suite.store.store import write_records
from tests.suite.made import made_record

SIZES = {"synthetic-100k": 100_000, "synthetic-400k": 400_000, "synthetic-1m": 1_000_000}


def test_exponents_are_those_of_the_costs(tmp_path: Path) -> None:
    for name, rows in SIZES.items():
        record = made_record(
            "twin-512-structured",
            experiment=name,
            variant=None,
            rows={"train": rows - 1200, "valid": 600, "test": 600},
            cost=Cost({"fit": 1.0}, 0.01 * rows**0.5, rows / 1000),
        )
        write_records(tmp_path / name / "twin-512-structured.jsonl", [record])
    table = scale(Published(tmp_path))
    twin = [[field.plain for field in row] for row in table.rows[1:5]]
    assert [row[0] for row in twin] == ["100,000", "400,000", "1,000,000", "first to last"]
    assert [row[4] for row in twin] == ["", "0.50", "0.50", "0.50"]
    assert [row[6] for row in twin] == ["", "1.00", "1.00", "1.00"]
    assert table.rows[6][0].plain == "not yet run"  # the forest


def test_scale_has_no_comparison_of_quality(tmp_path: Path) -> None:
    record = made_record("twin-512-structured", experiment="synthetic-4m", variant=None)
    write_records(tmp_path / "synthetic-4m" / "twin-512-structured.jsonl", [record])
    names = render_text(Published(tmp_path))
    assert "findings/scale.md" in names
    assert not [name for name in names if name.startswith("columns/synthetic")]
    assert all(not e.in_paper for e in EXPERIMENTS.values() if e.scale)
