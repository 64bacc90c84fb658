"""TwinUplift and TwinSearch as scikit-learn users meet them."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tests.twin.small import parts, search, twin
from twin import TwinSearch, TwinUplift
from twin.qini import adjusted_qini_score
from twin.rows import Rows


@pytest.fixture(params=["model", "interaction", "search"])
def estimator(request: pytest.FixtureRequest) -> TwinUplift | TwinSearch:
    return {"model": twin(), "interaction": twin(hidden=()), "search": search()}[request.param]


def test_fit_predict_score(estimator: Any, rows: Rows, valid: Rows) -> None:
    assert estimator.fit(*parts(rows), validation=parts(valid)) is estimator
    uplift, outcomes = estimator.predict(valid.X), estimator.predict_outcomes(valid.X)
    assert uplift.shape == (len(valid),)
    assert outcomes.shape == (len(valid), 2)
    np.testing.assert_allclose(outcomes[:, 1] - outcomes[:, 0], uplift, atol=1e-12)
    assert estimator.score(*parts(valid)) == adjusted_qini_score(valid.y, uplift, valid.treatment)
    assert estimator.score(*parts(valid)) > 0.5  # the effect is strong
    assert estimator.n_features_in_ == rows.X.shape[1]


def test_same_seed_same_model(estimator: Any, rows: Rows, valid: Rows) -> None:
    one, two = (
        clone(estimator).fit(*parts(rows), validation=0.3).predict(valid.X) for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)
    other = clone(estimator).set_params(random_state=2).fit(*parts(rows), validation=0.3)
    assert not np.array_equal(one, other.predict(valid.X))


def test_containers_are_alike(estimator: Any, rows: Rows) -> None:
    names = [f"c{j}" for j in range(rows.X.shape[1])]
    frame = pd.DataFrame(rows.X, columns=names)
    y, t = pd.Series(rows.y), pd.Series(rows.treatment.astype(bool))
    numpy = clone(estimator).fit(*parts(rows), validation=0.3)
    pandas = clone(estimator).fit(frame, y, t, validation=0.3)
    np.testing.assert_array_equal(numpy.predict(rows.X), pandas.predict(frame))
    assert list(pandas.feature_names_in_) == names
    assert not hasattr(numpy, "feature_names_in_")
    with pytest.raises(ValueError, match="column 0 of X is 'c5'; the fit had 'c0'"):
        pandas.predict(frame[names[::-1]])


def test_pickle_save_and_load(estimator: Any, rows: Rows, tmp_path: Path) -> None:
    frame = pd.DataFrame(rows.X, columns=[f"c{j}" for j in range(rows.X.shape[1])])
    estimator.fit(frame, rows.y, rows.treatment, validation=0.3)
    path = tmp_path / "model.twin"
    estimator.save(path)
    for copy in (pickle.loads(pickle.dumps(estimator)), type(estimator).load(path)):
        np.testing.assert_array_equal(copy.predict(frame), estimator.predict(frame))
        assert copy.get_params() == estimator.get_params()
        assert copy.n_active_nodes_ == estimator.n_active_nodes_
        assert list(copy.feature_names_in_) == list(frame.columns)


def test_load_refuses_what_it_cannot_read(rows: Rows, tmp_path: Path, monkeypatch: Any) -> None:
    model = twin().fit(*parts(rows))
    path = tmp_path / "model.twin"
    model.save(path)
    with pytest.raises(ValueError, match="holds a TwinUplift; load it with TwinUplift.load"):
        TwinSearch.load(path)
    monkeypatch.setattr("twin.base.FORMAT", 0)
    with pytest.raises(ValueError, match="has format 1 .*this version reads up to 0"):
        TwinUplift.load(path)
    for content in (b"something else", b"", path.read_bytes()[:200]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a saved twin model"):
            TwinUplift.load(path)
    with pytest.raises(ValueError, match="no saved model at"):
        TwinUplift.load(tmp_path / "absent")


def test_numpy_parameters_are_saved(rows: Rows, tmp_path: Path) -> None:
    grid = {"learning_rate": np.array([0.05, 0.1])}
    model = search(grid=grid, random_state=np.int64(3)).fit(*parts(rows), validation=0.3)
    model.save(tmp_path / "model.twin")
    loaded = TwinSearch.load(tmp_path / "model.twin")
    np.testing.assert_array_equal(loaded.predict(rows.X), model.predict(rows.X))
    assert loaded.random_state == 3


def test_a_failed_save_leaves_the_earlier_model(rows: Rows, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "model.twin"
    model = twin().fit(*parts(rows))
    model.save(path)
    before = path.read_bytes()

    def full(*arguments: Any, **arrays: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        model.save(path)
    assert path.read_bytes() == before


def test_a_propensity_far_from_the_share_of_treated_rows_is_pointed_out(rows: Rows) -> None:
    with pytest.warns(UserWarning, match=r"propensity is 0.9, but .*give propensity='estimate'"):
        twin(propensity=0.9).fit(*parts(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twin(propensity="estimate").fit(*parts(rows))


def test_a_fraction_without_rows_is_named(rows: Rows) -> None:
    with pytest.raises(ValueError, match="validation is 1e-06: of .* rows 0 would validate"):
        twin().fit(*parts(rows), validation=1e-6)


def test_inside_a_pipeline(rows: Rows) -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("twin", twin())])
    pipeline.fit(rows.X, rows.y, twin__treatment=rows.treatment)
    assert pipeline.predict(rows.X).shape == (len(rows),)


def test_metadata_routing(rows: Rows) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = twin().set_fit_request(treatment=True).set_score_request(treatment=True)
        pipeline = Pipeline([("scale", StandardScaler()), ("twin", model)])
        pipeline.fit(rows.X, rows.y, treatment=rows.treatment)
        assert pipeline.predict(rows.X).shape == (len(rows),)
        score = pipeline.score(rows.X, rows.y, treatment=rows.treatment)
        assert score == adjusted_qini_score(rows.y, pipeline.predict(rows.X), rows.treatment)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            pipeline.score(rows.X, rows.y, treatment=rows.treatment, sample_weight=rows.y)
        scores = cross_val_score(model, rows.X, rows.y, params={"treatment": rows.treatment}, cv=3)
        assert len(scores) == 3
        assert np.isfinite(scores).all()


def test_validation_chooses_the_epoch(rows: Rows, valid: Rows) -> None:
    model = twin(epochs=12).fit(*parts(rows), validation=parts(valid))
    history = model.history_
    assert list(history.index) == list(range(1, 13))
    assert model.best_epoch_ == history["valid_q_adj"].idxmax()
    assert model.score(*parts(valid)) == pytest.approx(history["valid_q_adj"].max())
    last = twin(epochs=12).fit(*parts(rows))
    assert last.best_epoch_ == 12
    np.testing.assert_array_equal(last.history_["loss"], history["loss"])


def test_named_coefficients_predict(rows: Rows) -> None:
    """coef_ is in the units of X: it reproduces the logits without any scaling."""
    X = rows.X * 3 + 5
    names = list("abcdef")
    model = twin(hidden=(), epochs=10).fit(pd.DataFrame(X, columns=names), rows.y, rows.treatment)
    coef = model.coef_
    control = coef["intercept"] + X @ coef[names]
    treated = control + coef["treatment"] + X @ coef[[f"treatment:{n}" for n in names]]
    expected = 1 / (1 + np.exp(-np.column_stack([control, treated])))
    outcomes = model.predict_outcomes(pd.DataFrame(X, columns=names))
    np.testing.assert_allclose(outcomes, expected, atol=1e-5)
    with pytest.raises(AttributeError, match="coef_ needs hidden=\\(\\)"):
        _ = twin().fit(*parts(rows)).coef_


def test_propensity_estimate(rows: Rows) -> None:
    model = twin(propensity="estimate").fit(*parts(rows))
    assert model.propensity_ == pytest.approx(rows.treatment.mean())


def test_diverging_model_names_the_learning_rate(rows: Rows) -> None:
    with pytest.raises(ValueError, match="not finite in epoch 1 with learning_rate=1000"):
        twin(hidden=(8, 8), learning_rate=1e12).fit(*parts(rows))


def _with(array: np.ndarray, value: float) -> np.ndarray:
    array = array.astype(float)
    array.flat[0] = value
    return array


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y, t: (_with(X, np.nan), y, t), "X\\[0, 0\\] is nan; X must be finite"),
        (lambda X, y, t: (_with(X, np.inf), y, t), "X\\[0, 0\\] is inf"),
        (lambda X, y, t: (X, y, np.ones_like(t)), "only treated rows"),
        (lambda X, y, t: (X, y, np.zeros_like(t)), "only control rows"),
        (lambda X, y, t: (X, y + 1, t), "y\\[.*\\] is 2; y must be 0 or 1"),
        (lambda X, y, t: (X, y, _with(t, 0.5)), "treatment\\[0\\] is 0.5"),
        (lambda X, y, t: (X[:-1], y, t), "X has 599, y has 600"),
        (lambda X, y, t: (X[:, 0], y, t), "X has shape \\(600,\\); give a matrix"),
        (lambda X, y, t: (X.astype(str), y, np.where(t, "a", "b")), "treatment"),
    ],
)
def test_bad_rows_are_named(estimator: Any, change: Any, message: str, rows: Rows) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(*change(*parts(rows)), validation=0.3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"propensity": 0.0}, "propensity is 0.0"),
        ({"propensity": "guess"}, "propensity is 'guess'; give a number or 'estimate'"),
        ({"loss": "mse"}, "loss is 'mse'"),
        ({"penalty": "l0"}, "penalty is 'l0'"),
        ({"epochs": 0}, "epochs is 0"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"random_state": "x"}, "random_state is 'x'"),
        ({"random_state": -1}, "random_state is -1"),
    ],
)
def test_bad_parameters_are_named(change: dict, message: str, rows: Rows) -> None:
    for model in (twin(), search()):
        with pytest.raises(ValueError, match=message):
            model.set_params(**change).fit(*parts(rows), validation=0.3)


def test_bad_validation_is_named(rows: Rows, valid: Rows) -> None:
    for value, message in [
        (1.5, "validation is 1.5"),
        ("all", "validation is 'all'"),
        ((valid.X[:, :3], valid.y, valid.treatment), "X has 3 columns"),
    ]:
        with pytest.raises(ValueError, match=message):
            twin().fit(*parts(rows), validation=value)
    with pytest.raises(ValueError, match="validation is None"):
        search().fit(*parts(rows), validation=None)


def test_predict_checks(estimator: Any, rows: Rows) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet; call fit"):
        estimator.predict(rows.X)
    estimator.fit(*parts(rows), validation=0.3)
    with pytest.raises(ValueError, match="X has 3 columns; .* was fitted on 6"):
        estimator.predict(rows.X[:, :3])


def test_batch_larger_than_the_data(rows: Rows) -> None:
    whole = twin(batch_size=len(rows)).fit(*parts(rows))
    larger = twin(batch_size=10 * len(rows)).fit(*parts(rows))
    np.testing.assert_array_equal(whole.predict(rows.X), larger.predict(rows.X))
