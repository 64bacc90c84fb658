"""The ports rank test rows as the R packages do (extract of a draw of scenario 4)."""

from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import spearmanr

import baselines
from twin import Rows, qini_score

SEED = 7


def fixed(name: str, **settings) -> type:
    """The forest with one setting instead of its grid."""
    grid = {key: (value,) for key, value in settings.items()}
    return type("Fixed", (baselines.method(name),), {"grid": grid})


def test_the_extract_is_small():
    assert Path(__file__).with_name("reference_extract.npz").stat().st_size < 450_000


def test_r_against_itself_is_the_noise_to_expect(extract):
    for predictor, least in (("rlasso", 0.99), ("xlasso", 0.98), ("grf_honest", 0.98)):
        assert extract.spearman(extract.ranks[f"{predictor}_seed2"], predictor) > least


@pytest.mark.parametrize(("name", "predictor"), [("r-lasso", "rlasso"), ("x-lasso", "xlasso")])
def test_lassos_rank_like_rlearner(name, predictor, extract):
    method = baselines.method(name)().fit(extract.train, extract.valid, SEED)
    assert extract.spearman(method.predict(extract.test.X), predictor) >= 0.98


@pytest.mark.parametrize(
    ("name", "predictor"),
    [("causal-forest", "grf_adaptive"), ("causal-forest-honest", "grf_honest")],
)
def test_small_causal_forests_rank_like_grf(name, predictor, extract):
    """60 trees instead of 2000 leave noise; the slow test has 500."""
    method = fixed(name, trees=60, depth=None)().fit(extract.train, extract.valid, SEED)
    assert extract.spearman(method.predict(extract.test.X), predictor) >= 0.83


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "predictor"),
    [("causal-forest", "grf_adaptive"), ("causal-forest-honest", "grf_honest")],
)
def test_causal_forests_rank_like_grf(name, predictor, extract):
    method = fixed(name, trees=500, depth=None)().fit(extract.train, extract.valid, SEED)
    assert extract.spearman(method.predict(extract.test.X), predictor) >= 0.93


@pytest.mark.parametrize(
    ("name", "predictor"),
    [("uplift-forest-kl", "upliftRF_KL"), ("uplift-forest-ed", "upliftRF_ED")],
)
def test_uplift_forests_rank_like_upliftrf(name, predictor, extract):
    """R against itself with another seed has 0.73 to 0.80."""
    method = fixed(name, trees=100, depth=None)().fit(extract.train, extract.valid, SEED)
    predicted, test = method.predict(extract.test.X), extract.test
    assert extract.spearman(predicted, predictor) >= 0.6
    of_r = qini_score(test.y, extract.ranks[predictor], test.treatment)
    assert qini_score(test.y, predicted, test.treatment) >= of_r - 0.5


def test_qini_based_ranks_like_qlhs(extract):
    """qLHS selected on validation rows of its own; the extract has a tenth of ours."""
    method = baselines.method("qini-based")().fit(extract.train, extract.valid, SEED)
    assert extract.spearman(method.predict(extract.test.X), "qLHS") >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "predictor"),
    [("causal-forest", "grf_adaptive"), ("causal-forest-honest", "grf_honest")],
)
def test_causal_forests_rank_like_grf_where_scenario_3_has_outcomes(
    name, predictor, reference_folder
):
    """Rows with x1 < 1 have y = 0 but for 0.1 %: no effect, and an order that is chance."""
    frame = pd.read_parquet(reference_folder / "scenario3_seed900.parquet")
    predictions = pd.read_parquet(reference_folder / "scenario3_seed900_predictions.parquet")
    covariates = [column for column in frame if column.startswith("x")]
    parts = dict(iter(frame.groupby("part")))
    train, valid = (
        Rows.of(parts[part][covariates], parts[part]["y"], parts[part]["treatment"])
        for part in ("train", "valid")
    )
    method = fixed(name, trees=500, depth=None)().fit(train, valid, SEED)
    predicted = method.predict(parts["test"][covariates])
    of_r = predictions.loc[predictions.part == "test", predictor].to_numpy()
    some = parts["test"]["x1"].to_numpy() > 1
    correlation = spearmanr(predicted[some], of_r[some])[0]
    assert correlation >= 0.93
