"""TwinBoost as scikit-learn users meet it."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tests.twin.small import parts
from twin import TwinBoost
from twin.qini import adjusted_qini_score
from twin.rows import Rows


def boost(**changes: Any) -> TwinBoost:
    return TwinBoost(**{"members": 2, "random_state": 1, **changes})


@pytest.fixture(scope="module")
def frame(rows: Rows) -> pd.DataFrame:
    """The small rows with missing values and a category that moderates the effect."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rows.X.astype(float), columns=list("abcdef"))
    frame["c"] = frame["c"].where(rng.random(len(rows)) < 0.7)
    low_and_high = np.where(frame["a"] > 0, "high", "low")
    frame["band"] = pd.Categorical(np.where(rng.random(len(rows)) < 0.1, None, low_and_high))
    return frame


@pytest.fixture(scope="module")
def fitted(frame: pd.DataFrame, rows: Rows) -> TwinBoost:
    return boost().fit(frame, rows.y, rows.treatment)


def test_fit_predict_score(rows: Rows, valid: Rows) -> None:
    for validation in (parts(valid), 0.3, None):
        model = boost()
        assert model.fit(*parts(rows), validation=validation) is model
        uplift, outcomes = model.predict(valid.X), model.predict_outcomes(valid.X)
        np.testing.assert_allclose(outcomes[:, 1] - outcomes[:, 0], uplift, atol=1e-12)
        assert model.score(*parts(valid)) == adjusted_qini_score(valid.y, uplift, valid.treatment)
        assert model.score(*parts(valid)) > 3  # the effect is strong
        assert model.predict_raw(valid.X).shape == uplift.shape
        assert list(model.calibration_) == ["a", "b", "g", "h"]
        assert model.propensity_ == pytest.approx(0.5, abs=0.1)


def test_it_finds_what_the_rows_were_made_with(rows: Rows, valid: Rows) -> None:
    model = boost().fit(*parts(rows))
    x0, x1 = valid.X[:, 0].astype(float), valid.X[:, 1].astype(float)
    control = 0.5 * x1
    true = 1 / (1 + np.exp(-(control + 1.5 * x0 - x1))) - 1 / (1 + np.exp(-control))
    assert np.corrcoef(true, model.predict(valid.X))[0, 1] > 0.9
    importance = model.feature_importances_
    assert importance["uplift"].idxmax() == "x1"  # the first covariate, coefficient 1.5
    np.testing.assert_allclose(importance.sum(), 1.0)
    along = model.effect("x1")
    assert np.corrcoef(along["value"][:-1].astype(float), along["effect"][:-1])[0, 1] > 0.9
    assert along["share"] @ along["effect"] == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(model.effect(0), along)
    with pytest.raises(ValueError, match="no covariate 'zz'"):
        model.effect("zz")


def test_same_seed_same_model_whatever_the_threads(rows: Rows, valid: Rows) -> None:
    for validation in (None, parts(valid)):
        one, two, other = (
            boost(threads=threads, random_state=seed)
            .fit(*parts(rows), validation=validation)
            .predict(valid.X)
            for threads, seed in ((1, 1), (2, 1), (1, 2))
        )
        np.testing.assert_array_equal(one, two)
        assert not np.array_equal(one, other)


def test_order_of_rows_and_company_do_not_matter_in_prediction(fitted: TwinBoost, frame) -> None:
    together = fitted.predict(frame)
    order = np.random.default_rng(0).permutation(len(frame))
    np.testing.assert_array_equal(fitted.predict(frame.iloc[order]), together[order])
    np.testing.assert_array_equal(fitted.predict(frame.iloc[7:8]), together[7:8])


def test_rows_of_weight_zero_do_not_count(rows: Rows, valid: Rows) -> None:
    """They still have bins and folds, so they are copies here, with the outcome turned."""
    X, y, t = parts(rows)
    doubled = np.concatenate([X, X]), np.concatenate([y, 1 - y]), np.concatenate([t, t])
    weight = np.repeat([2.0, 0.0], len(y))
    model = boost().fit(*doubled, validation=parts(valid), sample_weight=weight)
    assert model.score(*parts(valid)) > 3
    without = boost().fit(*doubled, validation=parts(valid))
    assert without.score(*parts(valid)) < model.score(*parts(valid))


def test_weights_are_relative(rows: Rows, valid: Rows) -> None:
    weight = np.random.default_rng(1).random(len(rows)) + 0.5
    one, two = (
        boost().fit(*parts(rows), validation=parts(valid), sample_weight=w).predict(valid.X)
        for w in (weight, 4 * weight)
    )
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_missing_values_and_categories(fitted: TwinBoost, frame: pd.DataFrame) -> None:
    assert np.isfinite(fitted.predict(frame)).all()
    effect = fitted.effect("band")
    assert effect["value"].tolist() == ["high", "low", "missing"]
    assert effect["share"].iloc[-1] == pytest.approx(frame["band"].isna().mean())
    new = frame.copy()
    new["band"] = "never seen"
    gone = frame.copy()
    gone["band"] = None
    np.testing.assert_array_equal(fitted.predict(new), fitted.predict(gone))
    coded = frame.assign(band=frame["band"].cat.codes.where(frame["band"].notna()).astype(float))
    assert np.isfinite(boost(categories=["band"]).fit(coded, *_labels(frame)).predict(coded)).all()


def _labels(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.integers(0, 2, len(frame)), rng.integers(0, 2, len(frame))


def test_containers_are_alike(rows: Rows) -> None:
    names = [f"c{j}" for j in range(rows.X.shape[1])]
    frame = pd.DataFrame(rows.X, columns=names)
    numpy = boost().fit(*parts(rows))
    pandas = boost().fit(frame, pd.Series(rows.y), pd.Series(rows.treatment.astype(bool)))
    np.testing.assert_array_equal(numpy.predict(rows.X), pandas.predict(frame))
    np.testing.assert_array_equal(numpy.predict(rows.X.tolist()), pandas.predict(frame))
    assert list(pandas.feature_names_in_) == names
    assert not hasattr(numpy, "feature_names_in_")
    with pytest.raises(ValueError, match="column 0 of X is 'c5'; the fit had 'c0'"):
        pandas.predict(frame[names[::-1]])


def test_inside_scikit_learn(rows: Rows) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = boost().set_fit_request(treatment=True).set_score_request(treatment=True)
        pipeline = Pipeline([("scale", StandardScaler()), ("twin", model)])
        pipeline.fit(rows.X, rows.y, treatment=rows.treatment)
        score = pipeline.score(rows.X, rows.y, treatment=rows.treatment)
        assert score == adjusted_qini_score(rows.y, pipeline.predict(rows.X), rows.treatment)
        scores = cross_val_score(model, rows.X, rows.y, params={"treatment": rows.treatment}, cv=2)
        assert np.isfinite(scores).all()
    assert clone(boost(members=3)).members == 3


def test_the_uplift_loss(rows: Rows, valid: Rows) -> None:
    likelihood, uplift = (
        boost(loss=loss).fit(*parts(rows)).predict(valid.X) for loss in ("likelihood", "uplift")
    )
    assert not np.array_equal(likelihood, uplift)
    assert np.corrcoef(likelihood, uplift)[0, 1] > 0.9


def test_a_failed_fit_leaves_the_fitted_model(fitted: TwinBoost, frame: pd.DataFrame) -> None:
    model = pickle.loads(pickle.dumps(fitted))
    with pytest.raises(ValueError, match="validation is 'bad'"):
        model.fit(frame[["a", "b"]], *_labels(frame), validation="bad")
    np.testing.assert_array_equal(model.predict(frame), fitted.predict(frame))


def test_outcomes_of_one_class_predict_no_uplift(rows: Rows) -> None:
    model = boost().fit(rows.X, np.zeros(len(rows)), rows.treatment)
    assert np.abs(model.predict(rows.X)).max() < 0.01


def test_verbose_shows_a_bar(rows: Rows, capsys: pytest.CaptureFixture) -> None:
    boost(verbose=True).fit(rows.X[:200], rows.y[:200], rows.treatment[:200])
    assert "validation loss" in capsys.readouterr().err


def _with(array: np.ndarray, value: float) -> np.ndarray:
    array = array.astype(float)
    array.flat[0] = value
    return array


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y, t: (_with(X, np.inf), y, t), "X.0. of column 'x1' is inf"),
        (lambda X, y, t: (X, y, np.ones_like(t)), "only treated rows"),
        (lambda X, y, t: (X, y + 1, t), "y.* is 2; y must be 0 or 1"),
        (lambda X, y, t: (X, y, _with(t, 0.5)), "treatment.0. is 0.5"),
        (lambda X, y, t: (X[:-1], y, t), "X has 599, y has 600"),
        (lambda X, y, t: (X[:, 0], y, t), "X has shape .600,.; give a matrix"),
        (lambda X, y, t: (X[:0], y[:0], t[:0]), "at least one row"),
        (lambda X, y, t: (np.ma.masked_array(X, X > 1), y, t), "masked array"),
        (lambda X, y, t: (X.astype("datetime64[s]"), y, t), "holds dates"),
        (lambda X, y, t: (np.full(X.shape, "red"), y, t), "name the column in categories"),
        (lambda X, y, t: (X[:4], y[:4], np.array([1, 0, 0, 0])), "too few for 2 folds"),
    ],
)
def test_bad_rows_are_named(change: Any, message: str, rows: Rows) -> None:
    with pytest.raises(ValueError, match=message):
        boost().fit(*change(*parts(rows)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "mse"}, "loss is 'mse'"),
        ({"members": 1}, "members is 1; it must be a whole number from 2 up"),
        ({"threads": 0}, "threads is 0"),
        ({"search_rows": 2.5}, "search_rows is 2.5"),
        ({"random_state": "x"}, "random_state is 'x'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"categories": ["shop"]}, "categories has 'shop'"),
        ({"categories": [6]}, "categories has 6; .* from 0 to 5"),
    ],
)
def test_bad_parameters_are_named(change: dict, message: str, rows: Rows) -> None:
    with pytest.raises(ValueError, match=message):
        boost(**change).fit(*parts(rows))


def test_bad_validation_and_weights_are_named(rows: Rows, valid: Rows) -> None:
    for value, message in [
        (1.5, "validation is 1.5"),
        (1e-6, "of 600 rows 0 would validate"),
        ("all", "validation is 'all'"),
        ((valid.X[:, :3], valid.y, valid.treatment), "X has 3 columns"),
        ((valid.X, valid.y, valid.treatment * 0), "validation treatment has only control rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            boost().fit(*parts(rows), validation=value)
    for weight, message in [
        (-np.ones(600), "is -1.0"),
        (np.ones(5), "sample_weight has 5"),
        (rows.treatment * 1.0, "rows of both arms .and weight above 0. in each"),
    ]:
        with pytest.raises(ValueError, match=message):
            boost().fit(*parts(rows), sample_weight=weight)


def test_predict_checks(rows: Rows) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet; call fit"):
        boost().predict(rows.X)
    model = boost().fit(rows.X[:300], rows.y[:300], rows.treatment[:300])
    with pytest.raises(ValueError, match="X has 3 columns; TwinBoost was fitted on 6"):
        model.predict(rows.X[:, :3])
