"""The scores that epochs and settings are selected by."""

import numpy as np
import pytest

from tests.twin.small import parts, search
from twin import adjusted_qini_score
from twin.rows import Rows
from twin.selection import SCORES


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(8)
    logits = rng.normal(size=(500, 2)).astype(np.float32)
    return logits, rng.integers(0, 2, 500).astype(np.int8), rng.integers(0, 2, 500).astype(np.int8)


def test_scores_by_their_formulas(scored):
    logits, y, t = scored
    m = 1 / (1 + np.exp(-logits.astype(np.float64)))
    u, own = m[:, 1] - m[:, 0], m[np.arange(len(y)), t]
    likelihood = np.mean(np.log(np.where(y == 1, own, 1 - own)))
    for e in (0.5, 0.2):  # the propensity cancels
        mean_outcome = e * m[:, 1] + (1 - e) * m[:, 0]
        r_loss = np.mean(((y - mean_outcome) - (t - e) * u) ** 2)
        assert SCORES["r_loss"].of(logits, y, t) == pytest.approx(r_loss, rel=1e-12)
    assert SCORES["likelihood"].of(logits, y, t) == pytest.approx(likelihood, rel=1e-12)
    expected = adjusted_qini_score(y, u, t)
    assert SCORES["q_adj"].of(logits, y, t) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_certain_predictions_are_numbers(name, scored):
    _, y, t = scored
    logits = np.full((500, 2), 700, np.float32)
    logits[::2, 1] = -700
    assert np.isfinite(SCORES[name].of(logits, y, t))


@pytest.mark.parametrize("name", SCORES)
def test_the_winner_has_the_best_score_of_all_settings(name, rows: Rows, valid: Rows):
    found = search(halving=False, select=name).fit(*parts(rows), validation=parts(valid))
    scores = found.results_[f"valid_{name}"]
    assert found.best_score_ == (scores.min() if name == "r_loss" else scores.max())
    logits = found.networks_[0].logits(found.scaler_.standardised(valid.X))
    again = SCORES[name].of(logits, valid.y, valid.treatment)
    assert again == pytest.approx(found.best_score_, rel=1e-6)


def test_an_unknown_score_is_named_with_those_there_are(rows: Rows):
    with pytest.raises(ValueError, match="select.*q_adjj.*likelihood"):
        search(select="q_adjj").fit(*parts(rows))
