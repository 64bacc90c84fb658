"""Every registered method keeps one contract."""

import pickle
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import baselines
from twin import Rows

SEED = 12  # that of the fixture `fitted`
NAMES = list(baselines.methods())
PREDICTING = [name for name in NAMES if name != "oracle"]  # from covariates alone


@pytest.mark.parametrize("name", NAMES)
def test_fit_reports_what_it_did(name, fitted, train, valid):
    method = fitted(name)
    assert method.fit.__self__ is method
    assert isinstance(method.settings_, dict)
    assert method.n_candidates_ == len(method.search_)
    score = getattr(method, "select", "q_adj")  # the validation score of a candidate
    assert all(np.isfinite(entry[score]) for entry in method.search_)
    assert method.seconds_["tune"] >= 0
    assert method.seconds_["fit"] > -1e-6
    if method.grid:
        expected = np.prod([len(values) for values in method.active_grid.values()])
        assert method.n_candidates_ == expected
    if method.n_nodes_ is not None:
        assert 0 <= method.n_active_nodes_ <= method.n_nodes_
        assert method.n_updates_ > 0


@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_finite_and_one_a_row(name, fitted, test_rows):
    predicted = fitted(name).predict_rows(test_rows)
    assert predicted.shape == (len(test_rows),)
    assert predicted.dtype == np.float64
    assert np.isfinite(predicted).all()


def test_every_method_fitted_alone_or_after_all_others_predicts_the_same(
    fitted, train, valid, test_rows
):
    """Same seed, other order of methods, other global random state, rows from pandas."""
    first = {name: fitted(name).predict_rows(test_rows) for name in NAMES}
    frame = pd.DataFrame(train.X, columns=train.names)
    from_pandas = Rows.of(
        frame, pd.Series(train.y), pd.Series(train.treatment), true_uplift=train.true_uplift
    )
    np.random.seed(99)  # noqa: NPY002
    for name in reversed(NAMES):
        method = baselines.method(name)(quick=True)
        assert method.fit(from_pandas, valid, SEED) is method
        again = method.predict_rows(test_rows)
        np.testing.assert_array_equal(again, first[name], err_msg=name)


@pytest.mark.parametrize("name", [n for n in NAMES if not baselines.method(n).uses_validation])
def test_validation_rows_decide_nothing_where_a_method_says_so(
    name, fitted, train, valid, test_rows
):
    other = replace(valid, y=1 - valid.y)
    again = baselines.method(name)(quick=True).fit(train, other, SEED)
    expected = fitted(name).predict_rows(test_rows)
    np.testing.assert_array_equal(again.predict_rows(test_rows), expected)


@pytest.mark.parametrize("name", NAMES)
def test_shuffled_rows_give_shuffled_predictions(name, fitted, test_rows):
    order = np.random.default_rng(5).permutation(len(test_rows))
    straight = fitted(name).predict_rows(test_rows)
    shuffled = fitted(name).predict_rows(test_rows.take(order))
    # Torch's networks give two probabilities in float32, and where a row stands in a matrix product
    # may move the last bit of either.
    in_float32 = "torch" in baselines.method(name).requires
    atol = np.finfo("f4").eps if in_float32 else 1e-9
    np.testing.assert_allclose(shuffled, straight[order], rtol=1e-6, atol=atol)


@pytest.mark.parametrize("name", PREDICTING)
def test_pandas_equals_numpy(name, fitted, test_rows):
    frame = pd.DataFrame(test_rows.X, columns=test_rows.names)
    method = fitted(name)
    np.testing.assert_array_equal(method.predict(frame), method.predict(test_rows.X))
    with pytest.raises(ValueError, match="another order"):
        method.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("name", NAMES)
def test_pickle_round_trip(name, fitted, test_rows):
    copy = pickle.loads(pickle.dumps(fitted(name)))
    np.testing.assert_array_equal(
        copy.predict_rows(test_rows), fitted(name).predict_rows(test_rows)
    )


@pytest.mark.parametrize("name", NAMES)
def test_global_state_is_untouched(name, train, valid, test_rows):
    def state():
        pools = sorted((pool["filepath"], pool["num_threads"]) for pool in threadpool_info())
        numpy_state = np.random.get_state()  # noqa: NPY002
        return pools, numpy_state[1].tolist(), numpy_state[2], random.getstate()

    method = baselines.method(name)(quick=True)
    method.fit(train.take(slice(300)), valid, SEED)  # loads the libraries and their thread pools
    before = state()
    method.fit(train.take(slice(300)), valid, SEED).predict_rows(test_rows)
    assert state() == before


@pytest.mark.parametrize("name", ["r-lasso", "x-lasso"])
def test_permuted_columns_change_no_lasso(name, fitted, train, valid, test_rows):
    order = np.array([3, 0, 5, 1, 4, 2])

    def permuted(rows: Rows) -> Rows:
        names = tuple(rows.names[j] for j in order)
        return replace(rows, X=np.ascontiguousarray(rows.X[:, order]), names=names)

    method = baselines.method(name)().fit(permuted(train), permuted(valid), SEED)
    np.testing.assert_allclose(
        method.predict_rows(permuted(test_rows)), fitted(name).predict_rows(test_rows), atol=1e-6
    )


@pytest.mark.parametrize("name", NAMES)
def test_bad_input_is_named(name, train, valid):
    method = baselines.method(name)(quick=True)
    one_arm = replace(train, treatment=np.ones_like(train.treatment))
    with pytest.raises(ValueError, match="treatment of train has only treated rows"):
        method.fit(one_arm, valid, SEED)
    with pytest.raises(ValueError, match="treatment of valid has only treated rows"):
        method.fit(train, replace(valid, treatment=np.ones_like(valid.treatment)), SEED)
    with pytest.raises(TypeError, match=r"Rows\.of"):
        method.fit((train.X, train.y, train.treatment), valid, SEED)
    with pytest.raises(ValueError, match="train has 6 columns and valid has 5"):
        method.fit(train, replace(valid, X=valid.X[:, :5]), SEED)
    with pytest.raises(ValueError, match="seed is -1"):
        method.fit(train, valid, -1)
    with pytest.raises(ValueError, match="not fitted yet"):
        method.predict(train.X)


@pytest.mark.parametrize("name", PREDICTING)
def test_bad_covariates_are_named(name, fitted, test_rows):
    with pytest.raises(ValueError, match=f"X has 5 columns; {name} was fitted on 6"):
        fitted(name).predict(test_rows.X[:, :5])
    broken = test_rows.X.copy()
    broken[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[7, 2\] is nan"):
        fitted(name).predict(broken)


def test_threads_must_be_positive():
    with pytest.raises(ValueError, match="threads is 0"):
        baselines.method("r-lasso")(threads=0)


@pytest.mark.parametrize("name", ["causal-forest", "twin-512-structured"])
def test_the_number_of_threads_changes_no_number(name, fitted, train, valid, test_rows):
    two = baselines.method(name)(quick=True, threads=2).fit(train, valid, SEED)
    np.testing.assert_array_equal(two.predict_rows(test_rows), fitted(name).predict_rows(test_rows))


def test_every_row_of_the_paper_has_one_method():
    rows = [cls.paper_row for cls in baselines.methods().values() if cls.paper_row]
    assert len(rows) == len(set(rows))
    assert {"Logistic", "Twin_mu", "Qini-based", "Causal Forest (Honest)"} <= set(rows)
    assert len(rows) == 25  # 18 rows of T7, 3 more of T1, 4 refits in its text
