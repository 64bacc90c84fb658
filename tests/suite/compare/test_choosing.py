"""What choosing by a noisy score costs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from suite.compare.choosing import COUNTS, SCORES, Unit, choices
from suite.compute.readings import Reading
from suite.publish.columns import Published
from suite.show.findings_luck import price_of_choosing
from suite.show.tables.choosing import choosing_table
from suite.store.store import write_records
from suite.study.candidates import DEPTHS, PENALTIES, ROUNDS, Ridges, Trees
from tests.suite.made import made_record
from twin.qini import qini_curve
from twin.rows import Rows


def made_units(noise: float) -> list[Unit]:
    """Candidates of known worth; q_adj is that worth with noise, the other scores have none."""
    rng = np.random.default_rng(3)
    units = []
    for scenario in ("scenario1", "scenario2"):
        for replicate in range(100, 106):
            worth = rng.normal(size=41)
            known = {name: sign * worth for name, (sign, _) in SCORES.items()}
            known["q_adj"] = worth + noise * rng.normal(size=41)
            units.append(Unit(scenario, replicate, 5.0, known, worth))
    return units


def test_a_score_without_noise_chooses_the_best() -> None:
    units = made_units(noise=2.0)
    found = {(c.score, c.count): c for c in choices(units)}
    best = [5.0 - max(unit.scores["true_q"]) for unit in units]
    for score in set(SCORES) - {"q_adj"}:
        assert found[score, 41].regret.mean == pytest.approx(np.mean(best))
        assert found[score, 41].against_q_adj.mean < 0
    # Regret falls and optimism grows with the number of candidates.
    regrets = [found["q_adj", count].regret.mean for count in COUNTS]
    optimism = [found["q_adj", count].optimism.mean for count in COUNTS]
    assert regrets == sorted(regrets, reverse=True)
    assert optimism == sorted(optimism)
    assert abs(optimism[0]) < 0.5
    alike = {(c.score, c.count): c for c in choices(made_units(noise=0.0))}
    assert alike["q", 41].against_q_adj.mean == 0


def rows(n: int, rng: np.random.Generator) -> Rows:
    X = rng.normal(size=(n, 3)).astype(np.float32)
    t = rng.integers(0, 2, n)
    u = 0.2 * np.tanh(X[:, 0])
    return Rows.of(X, (rng.random(n) < 0.4 + t * u).astype(int), t, true_uplift=u)


@pytest.mark.parametrize("method", [Ridges, Trees])
def test_candidates_find_uplift_and_say_what_they_could_be_chosen_by(method: type) -> None:
    rng = np.random.default_rng(7)
    train, valid, test = (rows(n, rng) for n in (20_000, 4000, 2000))
    probe = method(threads=1, quick=False, upstream_result=None)
    probe.fit(train, valid, 0)
    found = probe.readings(test.X)
    assert max(np.corrcoef(r.uplift, test.true_uplift)[0, 1] for r in found.values()) > 0.9
    assert np.array_equal(probe.predict(test.X), next(iter(found.values())).uplift)
    for name, read in probe.readings(valid.X).items():
        scores = qini_curve(valid.y, read.uplift, valid.treatment).scores
        facts = found[name].facts
        assert facts["q_adj"] == pytest.approx(scores.q_adj)
        residual = valid.y - valid.y.mean()
        shift = valid.treatment - valid.treatment.mean()
        assert facts["r_loss"] == pytest.approx(np.mean((residual - shift * read.uplift) ** 2))


def test_candidates_are_as_many_as_the_table_says() -> None:
    assert len(PENALTIES) + len(DEPTHS) * len(ROUNDS) == COUNTS[-1]


def made_draw(root: Path, scenario: str, replicates: range) -> None:
    """Records of both probes with made-up readings."""
    for method, count in (("candidates-ridge", 20), ("candidates-trees", 21)):
        records = []
        for replicate in replicates:
            name = f"choosing-{scenario}"
            record = made_record(method, replicate, experiment=name, variant=None)
            rng = np.random.default_rng([replicate, count])
            readings = {}
            for number in range(count):
                made = made_record(method, 1000 * replicate + number).result
                facts = {score: float(rng.normal()) for score in SCORES if score != "true_q"}
                readings[str(number)] = Reading(made.test, made.truth, facts, "0" * 16)
            records.append(replace(record, readings=readings))
        write_records(root / f"choosing-{scenario}" / f"{method}.jsonl", records)


def test_the_table_and_its_sentence_need_draws(tmp_path: Path) -> None:
    assert choosing_table(Published(tmp_path)) is None
    assert price_of_choosing(Published(tmp_path)) is None
    made_draw(tmp_path, "scenario1", range(100, 101))
    assert choosing_table(Published(tmp_path)) is None
    made_draw(tmp_path, "scenario1", range(100, 103))
    made_draw(tmp_path, "scenario2", range(100, 102))
    table = choosing_table(Published(tmp_path))
    assert len(table.tidy) == len(SCORES) * len(COUNTS)
    assert "5 draws of 32 planned (interim): replicates 100-102" in table.notes[0]
    assert "Of 41 simple candidate models" in price_of_choosing(Published(tmp_path))
