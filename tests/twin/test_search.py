"""TwinSearch: the grid, halving, committees."""

import numpy as np
import pytest
from sklearn.base import clone

from tests.twin.small import SMALL, parts, search, twin
from twin.rows import Rows
from twin.search import paper_grid


def test_search_equals_the_single_models(rows: Rows, valid: Rows) -> None:
    """Every row of results_ is what that setting alone reaches; the winner is the best of them."""
    found = search(halving=False, threads=2).fit(*parts(rows), validation=parts(valid))
    assert len(found.results_) == 4
    for _, row in found.results_.iterrows():
        alone = twin(
            learning_rate=row.learning_rate,
            node_penalty=row.node_penalty,
            weight_penalty=row.weight_penalty,
        ).fit(*parts(rows), validation=parts(valid))
        assert alone.history_["valid_q_adj"].max() == row.valid_q_adj
        assert alone.best_epoch_ == row.best_epoch
    assert found.best_score_ == found.results_["valid_q_adj"].max()
    best = found.results_.loc[found.results_["valid_q_adj"].idxmax()]
    assert found.best_params_ == {name: best[name] for name in SMALL}
    np.testing.assert_array_equal(found.best_estimator_.predict(valid.X), found.predict(valid.X))
    refit = clone(found.best_estimator_).fit(*parts(rows), validation=parts(valid))
    np.testing.assert_array_equal(refit.predict(valid.X), found.predict(valid.X))


def test_committee_is_the_mean_of_the_best(rows: Rows, valid: Rows) -> None:
    single = search().fit(*parts(rows), validation=parts(valid))
    both = search(committee=2).fit(*parts(rows), validation=parts(valid))
    assert both.best_params_ == single.best_params_
    members = [n.uplift(both.scaler_.standardised(valid.X)) for n in both.networks_]
    assert len(members) == 2
    np.testing.assert_allclose(both.predict(valid.X), np.mean(members, axis=0))
    np.testing.assert_array_equal(members[0], single.predict(valid.X))


def test_paper_grid() -> None:
    """216 settings structured, 36 without scaling factors, 6 learning rates without penalty."""
    sizes = {
        (True, "l1"): 216,
        (False, "l1"): 36,
        (False, "none"): 6,
        (True, "none"): 36,
    }
    for (structured, penalty), size in sizes.items():
        grid = paper_grid(structured=structured, penalty=penalty)
        assert np.prod([len(v) for v in grid.values()]) == size


def test_halving_stops_the_worst(rows: Rows, valid: Rows) -> None:
    """No setting stops before epoch 20; every lambda_1 is alive after it; a quarter goes on."""
    grid = {
        "learning_rate": (0.01, 0.05, 0.1, 0.2),
        "node_penalty": (0.0, 0.001, 0.01),
        "weight_penalty": (0.0, 0.001),
    }
    found = search(grid=grid, epochs=50).fit(*parts(rows), validation=parts(valid))
    epochs = found.results_["epochs"]
    assert set(epochs) == {20, 40, 50}
    beyond = found.results_[epochs > 20]
    assert set(beyond["node_penalty"]) == {0.0, 0.001, 0.01}
    assert 6 <= len(beyond) <= 8
    assert (epochs == 50).sum() == 2
    full = search(grid=grid, epochs=50, halving=False).fit(*parts(rows), validation=parts(valid))
    assert set(full.results_["epochs"]) == {50}


def test_the_diverged_are_recorded_and_never_selected(rows: Rows, valid: Rows) -> None:
    model = search(
        hidden=(8, 8),
        penalty="none",
        grid={"learning_rate": (0.1, 1e12)},
        epochs=3,
    ).fit(*parts(rows), validation=parts(valid))
    assert model.best_params_ == {"learning_rate": 0.1}
    assert model.results_["status"].str.startswith("diverged").tolist() == [False, True]
    with pytest.raises(ValueError, match="every setting diverged.*smaller learning rates"):
        clone(model).set_params(grid={"learning_rate": (1e12,)}).fit(
            *parts(rows), validation=parts(valid)
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": {}}, "grid is empty"),
        ({"grid": {"learning_rate": ()}}, "grid\\['learning_rate'\\] is \\(\\)"),
        ({"grid": {"speed": (1,)}}, "no such setting 'speed'"),
        ({"committee": 0}, "committee is 0"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_bad_searches_are_named(change: dict, message: str, rows: Rows) -> None:
    with pytest.raises(ValueError, match=message):
        search(**change).fit(*parts(rows))


def test_finalists_meet_on_all_validation_rows(
    rows: Rows, valid: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more validation rows than are scored each epoch the winner's score is of all rows."""
    monkeypatch.setattr("twin.trainer.SCORED_ROWS", 200)
    monkeypatch.setattr("twin.search.SCORED_ROWS", 200)
    monkeypatch.setattr("twin.search.FINALISTS", 2)
    found = search().fit(*parts(rows), validation=parts(valid))
    assert found.best_score_ == pytest.approx(found.score(*parts(valid)))
    assert found.results_["valid_q_adj"].count() == 2
    assert found.best_score_ == found.results_["valid_q_adj"].max()
