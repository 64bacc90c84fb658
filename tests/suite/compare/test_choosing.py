"""What choosing by a noisy score costs."""

import json
from pathlib import Path

import numpy as np
import pytest

from suite.compare.choosing import COUNTS, FILE, SCORES, choices
from suite.publish.columns import Published
from suite.show.findings_luck import price_of_choosing
from suite.show.tables.choosing import choosing_table
from suite.study.choosing import _ridges, unit
from twin.rows import Rows


def made_units(noise: float, scenarios: tuple[str, ...] = ("scenario1", "scenario2")) -> list[dict]:
    """Candidates of known worth; q_adj is that worth with noise, the other scores have none."""
    rng = np.random.default_rng(3)
    units = []
    for scenario in scenarios:
        for replicate in range(100, 106):
            candidates = []
            for worth in rng.normal(size=41):
                noisy = worth + noise * rng.normal()
                candidates.append(
                    dict.fromkeys(SCORES, float(worth))
                    | {"r_loss": -float(worth), "r_loss_own_mean": -float(worth)}
                    | {"q_adj": noisy, "test_q_adj": float(worth), "test_true_q": float(worth)}
                )
            key = f"{scenario}/{replicate}"
            fields = {"scenario": scenario, "replicate": replicate, "oracle_q": 5.0}
            units.append({"key": key, **fields, "candidates": candidates})
    return units


def test_a_score_without_noise_chooses_the_best() -> None:
    units = made_units(noise=2.0)
    found = {(c.score, c.count): c for c in choices(units)}
    best = [5.0 - max(c["test_true_q"] for c in unit["candidates"]) for unit in units]
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


def test_the_table_and_its_sentence_need_draws(tmp_path: Path) -> None:
    published = Published(tmp_path / "records")
    path = tmp_path / FILE
    path.parent.mkdir()
    assert choosing_table(published) is None
    assert price_of_choosing(published) is None
    units = made_units(noise=2.0)
    path.write_text(json.dumps(units[0]) + "\n")
    assert choosing_table(published) is None
    path.write_text("".join(json.dumps(unit) + "\n" for unit in units))
    table = choosing_table(published)
    assert len(table.tidy) == len(SCORES) * len(COUNTS)
    assert "12 draws: replicates 100-105" in table.notes[0]
    assert "It matters by what" in price_of_choosing(published)


def test_ridge_candidates_find_the_uplift_of_a_linear_model() -> None:
    rng = np.random.default_rng(7)

    def rows(n: int) -> Rows:
        X = rng.normal(size=(n, 3)).astype(np.float32)
        t = rng.integers(0, 2, n)
        u = 0.2 * np.tanh(X[:, 0])
        return Rows.of(X, (rng.random(n) < 0.4 + t * u).astype(int), t, true_uplift=u)

    train, valid, test = rows(20_000), rows(50), rows(2000)
    first, *_, last = _ridges(train, valid, test)
    low, high = first.test
    assert np.corrcoef(high - low, test.true_uplift)[0, 1] > 0.95
    assert np.ptp(last.test[1] - last.test[0]) < np.ptp(high - low)  # a large penalty flattens


@pytest.mark.slow
def test_a_unit_is_the_same_when_run_again() -> None:
    one, other = (unit("scenario1", 100) for _ in range(2))
    assert len(one["candidates"]) == COUNTS[-1]
    assert one["candidates"] == other["candidates"]
