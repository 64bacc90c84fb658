"""The study: halving read off a full training is halving, and the report pairs what it compares."""

import numpy as np
import pytest

import datasets
from suite.study.plan import FIRST_REPLICATE, Unit, units
from suite.study.report import render
from suite.study.unit import EPOCHS, Watch, simulate_halving
from twin.lane import Setting
from twin.search import RUNGS, survivors
from twin.trainer import Training


def test_no_unit_touches_the_replicates_of_the_tables() -> None:
    found = units()
    assert min(unit.replicate for unit in found) == FIRST_REPLICATE == 100
    assert len({unit.key for unit in found}) == len(found)
    assert {u.scenario for u in found} == {f"scenario{i}" for i in range(1, 5)}
    assert {u.variant for u in found} == {"printed", "released", "centred"}


def test_simulated_halving_is_halving() -> None:
    data = datasets.load("scenario4", replicate=100, n=600, p=9)
    settings = [
        Setting(hidden=(4,), learning_rate=rate, node_penalty=lam1, weight_penalty=lam2)
        for rate in (0.01, 0.1, 0.3)
        for lam1 in (0.0, 0.001)
        for lam2 in (0.0, 0.005)
    ]
    full = Training(settings, data.train, data.valid, seed=1)
    watch = Watch(full, data.test)
    for until in (*RUNGS, EPOCHS):
        full.advance(full.tracks, until, watch)
        watch.snapshot(until)
    simulated = simulate_halving(watch.stages)

    halved = Training(settings, data.train, data.valid, seed=1)
    tracks = halved.tracks
    for index, until in enumerate((*RUNGS, EPOCHS)):
        halved.advance(tracks, until)
        tracks = survivors(tracks, every_node_penalty=index == 0)
    X = halved.scaler.standardised(data.test.X)
    assert len(simulated) == len(halved.tracks)
    for one, other in zip(simulated, halved.tracks, strict=True):
        assert one.setting == other.setting
        assert one.best_score == other.best_score
        np.testing.assert_array_equal(one.uplift, other.checkpoint.uplift(X))


def test_report_pairs_by_data() -> None:
    """The mean difference counts only data that both sides have."""

    def record(scenario: str, kind: str, q_adj: float) -> dict:
        unit = Unit(scenario, "printed", 100, kind)
        row = {"rule": "full, best epoch, single", "q_adj": q_adj, "true_q": q_adj, "nodes": 0}
        return {"key": unit.key, "unit": vars(unit), "rows": [row]}

    records = [
        record("scenario1", "twin-mu", 3.0),
        record("scenario2", "twin-mu", 9.0),
        record("scenario1", "logistic", 2.5),
    ]
    line = next(x for x in render(records).splitlines() if "Twin_mu against Logistic, all" in x)
    assert [cell.strip() for cell in line.split("|")[2:4]] == ["1", "+0.50"]
    assert "not yet run" in render([])


@pytest.mark.slow
def test_a_unit_is_the_same_twice() -> None:
    from suite.study.unit import run_unit

    one, two = (run_unit(Unit("scenario4", "printed", 100, "exact")) for _ in range(2))
    assert one["rows"] == two["rows"]
