"""Frames from records, the replicates a column shows, and means over them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from suite.compare.frame import frame
from suite.compare.means import Mean, mean_of
from suite.compare.runs import Frame, by_score, paired_spread
from suite.compute.measures import Bin
from suite.plan.paper import Printed, printed, scenario_value, text
from tests.suite.compare.made_runs import made_frame, made_run
from tests.suite.made import made_record

BINS = (Bin(100.0, 50.0, 50.0, 0.5, 0.4), Bin(100.0, 50.0, 50.0, 0.1, 0.04))


def test_a_record_becomes_a_run() -> None:
    record = made_record("r-lasso", 3)
    (run,) = frame([record], planned=20).every_run
    assert (run.method, run.replicate) == ("r-lasso", 3)
    assert run.q_adj == record.test.q_adj
    assert run.regret == pytest.approx(record.truth.oracle_q - record.truth.q)
    assert run.by_convention["twincausal", 20].q == record.result.sensitivity["twincausal"]["20"].q


def test_bins_with_and_without_responses() -> None:
    (old,) = frame([made_record(bins=BINS)], planned=20).every_run
    assert (old.slope, old.bias) == pytest.approx((0.9, 0.08))
    assert old.q_error is None
    kept = (
        replace(BINS[0], treated_responses=35.0, control_responses=15.0),
        replace(BINS[1], treated_responses=20.0, control_responses=18.0),
    )
    (new,) = frame([made_record(bins=kept)], planned=20).every_run
    assert (new.slope, new.bias) == pytest.approx((0.9, 0.08))
    assert new.q_error > 0
    assert (old.calibration, new.calibration.p) == (None, pytest.approx(0.4626, abs=5e-5))


def test_one_weight_for_all_slopes_of_a_column() -> None:
    counts = {"treated_responses": 35.0, "control_responses": 15.0}
    kept = (
        replace(BINS[0], **counts),
        Bin(100.0, 50.0, 50.0, 0.3, 0.1, 49.0, 44.0),  # nearly all respond: little variance
        Bin(100.0, 50.0, 50.0, 0.1, 0.04, 20.0, 18.0),
    )
    lacking = tuple(replace(b, treated_responses=None, control_responses=None) for b in kept)
    alone = frame([made_record("r-lasso", 0, bins=kept)], planned=20).every_run[0]
    new, old = frame(
        [made_record("r-lasso", 0, bins=kept), made_record("r-lasso", 1, bins=lacking)], planned=20
    ).every_run
    assert new.slope == old.slope == pytest.approx(0.9)
    assert abs(alone.slope - new.slope) > 0.01


def test_failed_cells_are_counted_and_shown_nowhere() -> None:
    failed = made_record("x-lasso", 1, error="it broke")
    found = frame([made_record("x-lasso", 0), failed], planned=20)
    assert found.failed == {"x-lasso": 1}
    assert list(found.runs["x-lasso"]) == [0]


def test_a_column_has_one_set_of_replicates() -> None:
    found = made_frame({"a": [1] * 8, "b": [2] * 8, "late": [9] * 3, "oracle": [5] * 8})
    assert found.common == set(range(8))
    assert found.shown("late") == []
    assert found.count("late") == 3
    assert found.methods == ["a", "b"]
    assert by_score(found) == ["oracle", "b", "a", "late"]
    assert not found.interim
    assert made_frame({"a": [1] * 7}).interim


def test_replicates_beyond_the_planned_change_nothing() -> None:
    runs = [made_run("a", r, 1.0 if r < 5 else 100.0) for r in range(50)]
    found = Frame(5, tuple(runs))
    assert mean_of(found.shown("a"), lambda run: run.q_adj).value == 1.0
    assert len(found.every_run) == 50


def test_spread_of_paired_differences() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 8))
    source = made_frame({"a": a, "b": b})
    assert paired_spread([source.shown("a"), source.shown("b")]) == pytest.approx(
        np.std(a - b, ddof=1)
    )


def test_mean_and_standard_error() -> None:
    mean = Mean.of([1.0, 2.0, 4.0])
    assert mean.value == pytest.approx(7 / 3)
    assert mean.error == pytest.approx(np.std([1, 2, 4], ddof=1) / math.sqrt(3))
    assert Mean.of([]) is None
    assert Mean.of([1.0]).error is None
    assert mean_of([made_run("a", 0, 1.0, true_q=None)], lambda run: run.regret) is None


def test_printed_values_come_from_the_file() -> None:
    assert printed("T1", "structured=Yes, R=L1", "q_adj") == Printed(3.58, 0.1, True)
    assert printed("T1-text", "refit m=218 L2", "q_adj") == Printed(2.80, 0.1)
    assert printed("T5", "Logistic", "Test") == Printed(0.021, 0.007)
    assert scenario_value("Twin_mu", "scenario2") == Printed(2.32, 0.15)
    assert scenario_value("structured=No, R=L2", "scenario4") == Printed(3.15, 0.1)
    assert scenario_value("structured=No, R=L2", "scenario3") is None
    assert text("T3", "Twin_NN 512 structured", "m_hat/m") == "340/512"
