"""XGBoost learners, Qini-based regression and the bounds against independent truth."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import baselines
from baselines import boost
from baselines._logistic import _minimise, lasso_supports, maximum_likelihood
from twin import Rows, adjusted_qini_score


def rows_of(n: int, seed: int, e: float = 0.5) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)).astype(np.float32)
    treatment = (rng.random(n) < e).astype(int)
    uplift = 0.4 * (X[:, 0] > 0)
    y = rng.random(n) < 0.3 + uplift * treatment
    return Rows.of(X, y, treatment, propensity=e, true_uplift=uplift)


@pytest.fixture
def boost_calls(monkeypatch):
    """What the learners hand to the boosting; the real one runs."""
    calls = []
    real = boost.Boost.fit

    def spy(self, X, y, rng, *, weight=None):
        fit = real(self, X, y, rng, weight=weight)
        calls.append({"X": X, "y": np.asarray(y), "weight": weight, "fit": fit})
        return fit

    monkeypatch.setattr(boost.Boost, "fit", spy)
    return calls


def test_the_r_learner_boosts_residual_on_residual_with_weights(boost_calls):
    rows = rows_of(1500, 1, e=0.3)
    method = baselines.method("r-xgboost")(quick=True).fit(rows, rows, 0)
    m, tau = boost_calls
    w = rows.treatment - 0.3
    np.testing.assert_array_equal(m["y"], rows.y)
    assert m["weight"] is None
    np.testing.assert_allclose(tau["weight"], w**2)
    np.testing.assert_allclose(tau["y"], (rows.y - m["fit"].out_of_fold()) / w)
    predicted = method.predict(rows.X)
    high = rows.true_uplift > 0
    assert predicted[high].mean() - predicted[~high].mean() > 0.2


def test_the_x_learner_boosts_imputed_effects(boost_calls):
    rows = rows_of(1500, 2, e=0.3)
    method = baselines.method("x-xgboost")(quick=True).fit(rows, rows, 0)
    m1, m0, u1, u0 = boost_calls
    treated = rows.treatment == 1
    np.testing.assert_allclose(
        u1["y"], rows.y[treated] - m0["fit"].predict(rows.X[treated]), atol=1e-7
    )
    np.testing.assert_allclose(
        u0["y"], m1["fit"].predict(rows.X[~treated]) - rows.y[~treated], atol=1e-7
    )
    expected = 0.7 * u1["fit"].predict(rows.X) + 0.3 * u0["fit"].predict(rows.X)
    np.testing.assert_allclose(method.predict(rows.X), expected, atol=1e-6)


def test_out_of_fold_predictions_come_from_the_other_folds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3)).astype(np.float32)
    y = rng.standard_normal(300)  # noise: a booster knows only rows it has seen
    fit = boost.Boost(draws=1, n_folds=5).fit(X, y, np.random.default_rng(1))
    left_out = np.concatenate([fold.rows for fold in fit.folds])
    assert sorted(left_out) == list(range(300))
    assert abs(np.corrcoef(fit.out_of_fold(), y)[0, 1]) < 0.2


def test_cross_validation_equals_that_of_xgboost():
    """Both ways out: early stopping, and no stop before the last round."""
    import xgboost as xgb

    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5)).astype(np.float32)
    data = xgb.DMatrix(X, label=X[:, 0] + rng.standard_normal(400), nthread=1)
    number = np.arange(400) % 4
    splits = [(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(4)]
    folds = [boost.Fold(data.slice(i), data.slice(o), o) for i, o in splits]
    stops = set()
    for eta in (0.3, 0.001):
        params = {**boost.Boost()._draw(rng), "eta": eta, "subsample": 0.5}
        log = xgb.cv(
            params,
            data,
            boost.N_ROUNDS,
            folds=splits,
            early_stopping_rounds=boost.PATIENCE,
            as_pandas=False,
        )["test-rmse-mean"]
        assert boost._cross_validate(params, folds) == (log[-1], len(log))
        stops.add(len(log) < boost.N_ROUNDS)
    assert stops == {True, False}


def test_a_quick_run_draws_two_settings_and_keeps_the_rest():
    own = boost.Boost(draws=9, n_folds=3, deepest=4, bins=16)
    method = type("Other", (baselines.method("r-xgboost"),), {"boost": own})
    assert boost.Boost.of(method(threads=2)) == replace(own, threads=2)
    assert boost.Boost.of(method(quick=True)) == replace(own, draws=2)


def test_boosting_takes_the_best_draw(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1.0, -1.0) + 0.1 * rng.standard_normal(600)
    fit = boost.Boost(draws=4).fit(X, y, np.random.default_rng(1))
    assert ((fit.out_of_fold() - y) ** 2).mean() < 0.1
    assert set(fit.settings) == {*boost.SPACE, "max_depth", "gamma", "rounds"}


def test_maximum_likelihood_equals_statsmodels():
    rng = np.random.default_rng(2)
    A = np.column_stack([np.ones(500), rng.standard_normal((500, 4))])
    y = (rng.random(500) < expit(A @ [0.3, 1, -1, 0.5, 0])).astype(float)
    b, s = maximum_likelihood(A, y)
    reference = sm.Logit(y, A).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(b, reference.params, atol=1e-6)
    np.testing.assert_allclose(s, reference.bse, rtol=1e-5)


def test_separated_data_stop_where_the_deviance_settles():
    """All rows of a group have the outcome 1: its coefficient has no finite optimum."""
    rng = np.random.default_rng(5)
    group, x = rng.integers(0, 2, 400), rng.standard_normal(400)
    y = np.where(group == 1, 1.0, rng.random(400) < expit(x))
    A = np.column_stack([np.ones(400), group, x])
    b, s = maximum_likelihood(A, y)
    others, _ = maximum_likelihood(A[group == 0][:, [0, 2]], y[group == 0])
    np.testing.assert_allclose(b[[0, 2]], others, atol=1e-4)  # the rest is estimated as ever
    assert 5 < b[1] < 30
    assert s[1] > 10


def test_dependent_columns_have_no_estimate():
    x = np.linspace(-1, 1, 50)
    A = np.column_stack([np.ones(50), x, np.zeros(50)])
    assert maximum_likelihood(A, 1.0 * (np.arange(50) % 3 == 0)) is None


def test_the_logistic_lasso_equals_liblinear_and_its_kkt_conditions():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((400, 8))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    y = (rng.random(400) < expit(Z[:, 0] - 0.5 * Z[:, 1] - 0.5)).astype(float)
    lam = 0.03
    b0, b = _minimise(Z, y, 0.0, np.zeros(8), lam)
    gradient = Z.T @ (y - expit(b0 + Z @ b)) / 400
    active = b != 0
    np.testing.assert_allclose(gradient[active], lam * np.sign(b[active]), atol=1e-5)
    assert (np.abs(gradient[~active]) <= lam + 1e-5).all()
    saga = LogisticRegression(
        l1_ratio=1, C=1 / (400 * lam), solver="saga", tol=1e-10, max_iter=20_000
    ).fit(Z, y)
    np.testing.assert_allclose(b, saga.coef_[0], atol=1e-4)


def test_supports_have_distinct_sizes_and_lead_with_the_signal():
    rng = np.random.default_rng(4)
    Z = rng.standard_normal((500, 6))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    y = (rng.random(500) < expit(2 * Z[:, 4])).astype(float)
    supports = lasso_supports(Z, y, 100)
    sizes = [int(mask.sum()) for mask in supports]
    assert sizes == sorted(set(sizes))
    assert supports[0][4]
    assert sizes[0] == 1
    assert sizes[-1] == 6


def test_qini_based_never_scores_below_its_own_estimate():
    train, valid = rows_of(1200, 5), rows_of(800, 6)
    method = baselines.method("qini-based")().fit(train, valid, 0)
    achieved = adjusted_qini_score(valid.y, method.predict(valid.X), valid.treatment)
    estimates = [entry["q_adj"] for entry in method.search_ if entry["candidate"] == 0]
    assert achieved == pytest.approx(max(entry["q_adj"] for entry in method.search_))
    assert achieved >= max(estimates)
    assert method.n_candidates_ == 50 * len(estimates)


def test_the_refits_take_m_hat_from_the_structured_network(train, valid):
    first = baselines.method("twin-512-structured")(quick=True).fit(train, valid, 3)
    m_hat = first.n_active_nodes_
    given = baselines.method("twin-refit-l1-l1")(
        quick=True, upstream_result={"n_active_nodes": m_hat, "settings": first.settings_}
    ).fit(train, valid, 3)
    alone = baselines.method("twin-refit-l1-l1")(quick=True).fit(train, valid, 3)
    assert given.n_nodes_ == alone.n_nodes_ == max(1, m_hat)
    pruned = baselines.method("twin-refit-none-l2")(
        quick=True, upstream_result={"n_active_nodes": 0}
    ).fit(train, valid, 3)
    assert pruned.n_nodes_ == 1


def test_the_oracle_is_the_truth_and_needs_it(train, valid, test_rows):
    oracle = baselines.method("oracle")().fit(train, valid, 0)
    np.testing.assert_array_equal(oracle.predict_rows(test_rows), test_rows.true_uplift)
    with pytest.raises(ValueError, match="predict_rows"):
        oracle.predict(test_rows.X)
    real = Rows.of(train.X, train.y, train.treatment)
    with pytest.raises(ValueError, match="true uplift is known"):
        baselines.method("oracle")().fit(real, valid, 0)


def test_random_is_uniform_and_knows_nothing(train, valid):
    rows = rows_of(4000, 8)
    method = baselines.method("random")().fit(rows, rows, 1)
    number = method.predict(rows.X)
    assert len(np.unique(number)) == 4000
    share, _ = np.histogram(number, bins=10, range=(0, 1))
    assert share.min() > 320
    for column in (*rows.X.T, rows.y, rows.treatment, rows.true_uplift):
        assert abs(np.corrcoef(number, column)[0, 1]) < 0.06
    other = baselines.method("random")().fit(rows, rows, 2).predict(rows.X)
    assert abs(np.corrcoef(number, other)[0, 1]) < 0.06
