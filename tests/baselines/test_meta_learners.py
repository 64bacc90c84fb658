"""Outcome ranking and the S-, T- and DR-learner against the libraries and against brute force."""

from dataclasses import replace

import numpy as np
import pytest

import baselines
from baselines import dr_learner
from twin import Rows

# A booster as scikit-learn's interface takes it; rounds are its number of trees.
PARAMETERS = ("eta", "gamma", "max_depth", "min_child_weight", "max_delta_step")


def rows_of(n: int, seed: int, e: float = 0.5) -> Rows:
    """Responses depend on the second covariate, the effect of the treatment on the first."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)).astype(np.float32)
    treatment = (rng.random(n) < e).astype(int)
    uplift = 0.3 * (X[:, 0] > 0)
    y = rng.random(n) < 0.1 + 0.4 * (X[:, 1] > 0) + uplift * treatment
    return Rows.of(X, y, treatment, propensity=e, true_uplift=uplift)


@pytest.fixture(scope="module")
def rows() -> Rows:
    return rows_of(1000, 1, e=0.3)


def classifier(settings):
    """xgboost's classifier with the settings that a search has chosen."""
    import xgboost as xgb

    chosen = {name: settings[name] for name in PARAMETERS}
    return xgb.XGBClassifier(n_estimators=settings["rounds"], max_bin=64, n_jobs=1, **chosen)


@pytest.fixture
def nothing_random(monkeypatch):
    """Settings drawn as ever, but without subsamples: libraries seed those in their own ways."""
    from baselines import boost

    monkeypatch.setitem(boost.SPACE, "subsample", (1.0,))
    monkeypatch.setitem(boost.SPACE, "colsample_bytree", (1.0,))


def test_the_s_learner_equals_that_of_causalml(rows, nothing_random):
    from causalml.inference.meta import BaseSClassifier

    ours = baselines.method("s-learner")(quick=True).fit(rows, rows, 0)
    theirs = BaseSClassifier(classifier(ours.settings_))
    theirs.fit(rows.X, treatment=rows.treatment, y=rows.y)
    np.testing.assert_allclose(ours.predict(rows.X), theirs.predict(rows.X)[:, 0], atol=1e-6)


def test_the_t_learner_equals_that_of_causalml(rows, nothing_random):
    from causalml.inference.meta import BaseTClassifier

    ours = baselines.method("t-learner")(quick=True).fit(rows, rows, 0)
    theirs = BaseTClassifier(
        control_learner=classifier(ours.settings_["m10"]),
        treatment_learner=classifier(ours.settings_["m11"]),
    )
    theirs.fit(rows.X, treatment=rows.treatment, y=rows.y)
    np.testing.assert_allclose(ours.predict(rows.X), theirs.predict(rows.X)[:, 0], atol=1e-6)


def test_pseudo_outcomes_row_by_row(rows):
    """Inverse probability weighting, corrected by the models: written out for each arm."""
    m = np.random.default_rng(0).random((2, len(rows)))
    found = dr_learner.pseudo_outcomes(rows, m)
    for i in range(50):
        treated = m[1, i] + (rows.treatment[i] == 1) * (rows.y[i] - m[1, i]) / 0.3
        control = m[0, i] + (rows.treatment[i] == 0) * (rows.y[i] - m[0, i]) / 0.7
        assert found[i] == pytest.approx(treated - control)


def test_pseudo_outcomes_have_the_uplift_as_mean_whatever_the_models_say():
    """Doubly robust with a known propensity: a wrong model costs precision, not the mean."""
    rows = rows_of(200_000, 4, e=0.3)
    wrong = np.full((2, len(rows)), [[0.9], [0.2]])
    found = dr_learner.pseudo_outcomes(rows, wrong)
    for high in (True, False):
        there = (rows.true_uplift > 0) == high
        error = found[there].std() / there.sum() ** 0.5
        assert abs(found[there].mean() - rows.true_uplift[there].mean()) < 4 * error


def test_the_dr_learner_predicts_no_row_from_itself(rows, monkeypatch):
    """The outcome of a row turned round: its own m stays, as far as the folds left it out."""
    seen = []
    real = dr_learner.pseudo_outcomes

    def spy(rows, m):
        seen.append(m.copy())
        return real(rows, m)

    monkeypatch.setattr(dr_learner, "pseudo_outcomes", spy)
    # One setting, so that the outcome cannot reach m through the choice of settings.
    method = baselines.method("dr-learner")
    monkeypatch.setattr(method, "boost", replace(method.boost, draws=1))
    monkeypatch.setattr("baselines.boost._cross_validate", lambda params, folds: (0.0, 20))
    y = rows.y.copy()
    y[7] = 1 - y[7]
    for outcome in (rows.y, y):
        method().fit(replace(rows, y=outcome), rows, 0)
    first, second = seen
    np.testing.assert_array_equal(first[:, 7], second[:, 7])
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", ["s-learner", "t-learner", "dr-learner"])
def test_learners_find_the_rows_that_are_moved(name, rows):
    method = baselines.method(name)(quick=True).fit(rows_of(3000, 5), rows, 0)
    test = rows_of(1000, 6)
    predicted = method.predict(test.X)
    high = test.true_uplift > 0
    assert predicted[high].mean() - predicted[~high].mean() > 0.15


def test_outcome_ranking_never_sees_the_treatment(rows):
    """Another treatment of the same rows changes nothing; the ranking is that of the responses."""
    other = replace(rows, treatment=1 - rows.treatment)
    first, second = (
        baselines.method("outcome-ranking")(quick=True).fit(given, given, 0).predict(rows.X)
        for given in (rows, other)
    )
    np.testing.assert_array_equal(first, second)
    responds = rows.X[:, 1] > 0
    assert first[responds].mean() - first[~responds].mean() > 0.25
