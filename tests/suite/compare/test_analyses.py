"""What a measure can decide, and what rounding does: on numbers where the answer is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from suite.compare import power, rounding
from suite.compare.decide import decisions
from suite.compare.runs import Frame
from suite.compare.verdicts import NOT_YET_RUN
from suite.publish.columns import Published
from suite.show.pages import render_text
from suite.show.tables.audit import audit_table, same_data, variants
from suite.show.tables.cost import cost
from suite.show.tables.decide import rounding_table
from tests.suite.compare.made_runs import made_run
from tests.suite.made import made_column


def noisy_frame(n: int = 10) -> Frame:
    """True q of 4 and 3 and an oracle of 5; q_adj adds noise, and 2 to the worse one."""
    rng = np.random.default_rng(0)
    runs = []
    for replicate in range(n):
        for method, truth, extra in (("a", 4.0, 0.0), ("b", 3.0, 2.5), ("oracle", 5.0, 0.0)):
            noise = rng.normal(0, 0.3)
            runs.append(made_run(method, replicate, truth + extra + noise, true_q=truth))
    return Frame(n, tuple(runs))


def test_an_improper_measure_is_found_out() -> None:
    q_adj, _, truth = decisions(noisy_frame(), simulated=True)
    assert (q_adj.as_truth, truth.as_truth) == (0.0, 1.0)
    assert q_adj.highest == "b"
    assert q_adj.gap.value == pytest.approx(0.5, abs=0.4)
    assert truth.gap.value == pytest.approx(-1.0)
    assert q_adj.worth == pytest.approx(0.5)
    assert q_adj.needed == power.replicates(0.5, q_adj.spread)
    assert power.power(q_adj.least, q_adj.spread, 10) == pytest.approx(0.8)


def test_re_splits_decide_less_than_new_data() -> None:
    source = noisy_frame()
    fresh, splits = (decisions(source, simulated)[0].least for simulated in (True, False))
    assert splits > 2 * fresh
    assert decisions(noisy_frame(4), simulated=True) == []


def test_rounding_has_the_spread_of_one_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    one = {("m", r): made_run("m", r, rng.normal(3, 0.4)) for r in range(2000)}
    other = {
        cell: replace(run, test=made_run("m", 0, rng.normal(3, 0.4)).test)
        for cell, run in one.items()
    }
    found = rounding.summarise(rounding.pair_up("scenario4-printed", one, other))
    assert found.sd_q_adj == pytest.approx(0.4, rel=0.05)
    assert (found.cells, found.differ, found.other_setting) == (2000, 2000, 0)
    same = rounding.summarise(rounding.pair_up("scenario4-printed", one, one))
    assert (same.differ, same.sd_q_adj, same.sd_true_q) == (0, 0.0, 0.0)
    assert rounding.summarise([]) is None


def test_cells_computed_twice_are_published_and_shown(tmp_path: Path) -> None:
    published = Published(tmp_path / "records")
    assert rounding_table(published) is None
    one = {("twin-64", 4): made_run("twin-64", 4, 3.0, settings={"epoch": 3})}
    other = {("twin-64", 4): made_run("twin-64", 4, 2.5, settings={"epoch": 4})}
    cells = rounding.pair_up("scenario4-printed", one, other)
    rounding.write(tmp_path / rounding.FILE, cells)
    assert rounding.read(tmp_path / rounding.FILE) == cells
    text = rounding_table(published).markdown()
    assert "| networks | 1 | 1 | 1 | 0.50 | 0.50 |" in text


def test_equal_data_are_one_variant(tmp_path: Path) -> None:
    for variant in ("printed", "released", "centred"):
        made_column(tmp_path, "scenario2", ["r-lasso", "oracle"], 3, variant)
    assert [v.name for v in variants(Published(tmp_path), "scenario2")] == [
        "printed = released = centred"  # made-up oracles are the same in all
    ]
    a = noisy_frame()
    b = Frame(10, tuple(replace(run, gain=[0.0, 0.2]) for run in a.every_run))
    assert same_data(a, a)
    assert not same_data(a, b)
    assert not same_data(a, Frame(10, ()))


def test_the_audit_tests_all_variants_in_three_conventions(tmp_path: Path) -> None:
    """25 replicates of the lassos: more than the tables use, and the audit uses them all."""
    for variant in ("printed", "released"):
        made_column(tmp_path, "scenario4", ["r-lasso", "x-lasso"], 25, variant)
    made_column(tmp_path, "scenario4", ["r-lasso", "x-lasso"], 19, "centred")
    table = audit_table(Published(tmp_path))
    lines = [line for line in table.tidy if line["scenario"] == "scenario4"]
    assert len(lines) == 9
    assert {line["replicates"] for line in lines} == {25, 19}
    tested = [line for line in lines if "p" in line]
    assert {line["variants"] for line in tested} == {"printed", "released"}
    assert all(line["finding"].startswith("open until centred") for line in lines)
    assert all(line["p_holm"] >= line["p"] for line in tested)


def test_cost_is_time_by_planned_replicates(tmp_path: Path) -> None:
    made_column(tmp_path, "scenario4", ["r-lasso"], replicates=4)  # 3 CPU seconds each
    table = cost(Published(tmp_path))
    (line,) = table.tidy
    assert line["core_seconds"] == 3.0
    assert line["planned_core_hours"] == pytest.approx(20 * 3 / 3600)


def test_the_front_page_says_nothing_it_does_not_know(tmp_path: Path) -> None:
    text = render_text(Published(tmp_path))["README.md"]
    found = text.partition("## The paper's claims")[0]
    assert found.count("\n1. ") == 1
    assert "2. " not in found
    assert NOT_YET_RUN not in found
    made_column(tmp_path, "scenario4", ["r-lasso", "x-lasso", "oracle", "random"], replicates=20)
    full = render_text(Published(tmp_path))["README.md"]
    assert "in scenario 4 one data set says as much" in full
    assert "findings/audit.md" in full
