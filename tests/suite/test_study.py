"""The study: halving read off a full training is halving, and the report pairs what it compares."""

import numpy as np
import pytest

import datasets
from suite.study.grids import halved, trained_in_full
from suite.study.pairs import Series, compare, table
from suite.study.probes import TwinMu
from suite.study.report import render
from twin.lane import Setting
from twin.trainer import Training


def test_simulated_halving_is_halving() -> None:
    data = datasets.load("scenario4", replicate=100, n=600, p=9)
    settings = [
        Setting(hidden=(4,), learning_rate=rate, node_penalty=lam1, weight_penalty=lam2)
        for rate in (0.01, 0.1, 0.3)
        for lam1 in (0.0, 0.001)
        for lam2 in (0.0, 0.005)
    ]
    full = Training(settings, data.train, data.valid, seed=1)
    simulated = trained_in_full(full)["halving"]
    stopped = Training(settings, data.train, data.valid, seed=1)
    real = halved(stopped)
    X = stopped.scaler.standardised(data.test.X)
    assert len(simulated) == len(real) == len(settings)
    for one, other in zip(simulated, real, strict=True):
        assert one.setting == other.setting
        assert one.best_score == other.best_score
        np.testing.assert_array_equal(one.network.uplift(X), other.network.uplift(X))


def test_readings_are_means_of_the_best_settings() -> None:
    """Brute force: every network predicts, the best k of them are averaged."""
    data = datasets.load("scenario4", replicate=100, n=600, p=9)
    probe = TwinMu().fit(data.train, data.valid, seed=1)
    readings = probe.readings(data.test.X)
    kept = sorted(probe._kept["halving"], key=lambda candidate: -candidate.best_score)
    X = probe._scaler.standardised(data.test.X)
    for most in (1, 5, 20):
        read = readings[f"halving, best epoch, {'single' if most == 1 else f'{most} best'}"]
        mean = np.mean([candidate.network.uplift(X) for candidate in kept[:most]], axis=0)
        np.testing.assert_array_equal(read.uplift, mean)
        assert read.facts["members"] == most
    single = readings["halving, best epoch, single"].uplift
    np.testing.assert_array_equal(probe.predict(data.test.X), single)


def test_report_pairs_by_data() -> None:
    """The mean difference counts only data that both sides have."""

    def record(scenario: str, kind: str, q_adj: float) -> dict:
        unit = {"scenario": scenario, "variant": "printed", "replicate": 100, "kind": kind}
        unit |= {"weight_start": "parts", "scale_start": "ones"}
        row = {"rule": "full, best epoch, single", "q_adj": q_adj, "true_q": q_adj, "nodes": 0}
        oracle = {"true_q": 1.0}
        return {"unit": unit, "rows": [row], "oracle": oracle, "attested": True}

    records = [
        record("scenario1", "twin-mu", 3.0),
        record("scenario2", "twin-mu", 9.0),
        record("scenario1", "logistic", 2.5),
    ]
    line = next(x for x in render(records).splitlines() if "Twin_mu against Logistic, all" in x)
    assert [cell.strip() for cell in line.split("|")[2:4]] == ["1", "+0.50"]
    assert "not yet run" in render([])


def test_variants_of_a_draw_are_one_observation() -> None:
    """Scenario 2: printed and released have the same data, centred another's."""

    def made(label: str, values: dict[tuple[str, int, str], float]) -> Series:
        rows = {cell: {"q_adj": value, "true_q": value} for cell, value in values.items()}
        data = {cell: "d2" if cell[2] == "centred" else f"d{cell[1]}" for cell in values}
        return Series(label, rows, data)

    cells = [("scenario2", 100, v) for v in ("printed", "released", "centred")]
    cells.append(("scenario2", 101, "printed"))
    one = made("one", dict(zip(cells, (0.3, 0.3, 0.1, 0.4), strict=True)))
    zero = made("zero", dict.fromkeys(cells, 0.0))
    line = compare(one, zero)
    assert line.draws == 2
    assert line.means["true_q"] == pytest.approx(0.3)  # of 0.2 and 0.4
    assert line.estimates == {}  # two draws have no interval


def test_a_star_is_for_what_stays_after_holm() -> None:
    rng = np.random.default_rng(0)
    cells = [(f"scenario{s}", r, "printed") for s in range(1, 5) for r in range(4)]

    def made(values: np.ndarray) -> Series:
        rows = {c: {"q_adj": v, "true_q": v} for c, v in zip(cells, values, strict=True)}
        return Series("made", rows, {cell: str(cell) for cell in cells})

    zero = made(np.zeros(16))
    noise = rng.normal(0, 1, (20, 16))
    lines = [compare(made(values), zero) for values in noise]
    assert "] *" not in table(lines)
    assert table([*lines, compare(made(noise[0] + 5), zero)]).count("] *") == 2
    assert all(line.draws == 16 for line in lines)
