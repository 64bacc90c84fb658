"""What must hold of methods under attack; the numbers are those of the list of attacks."""

import dataclasses

import numpy as np
import pytest

import baselines
from baselines import Method


class Attack(Method):
    """Does `what` in its fit and predicts the first covariate."""

    name = "attack"

    def __init__(self, what=lambda *_: None, predicted=lambda X: X[:, 0], **keywords):
        super().__init__(**keywords)
        self.what, self.predicted = what, predicted

    def _fit(self, train, valid, seed):
        self.what(self, train, valid)

    def _predict(self, X):
        return self.predicted(X)


def test_row_04_no_truth_and_no_way_to_other_rows(train, valid):
    seen = []
    whole = np.concatenate([train.X, valid.X])
    part = dataclasses.replace(train, X=whole[: len(train)])
    Attack(lambda self, *rows: seen.extend(rows)).fit(part, valid, 0)
    for rows in seen:
        assert rows.true_uplift is None
        assert all(getattr(rows, name).base is None for name in ("X", "y", "treatment"))
    np.testing.assert_array_equal(seen[0].X, train.X)
    assert seen[0].propensity == train.propensity


@pytest.mark.parametrize("name", ["X", "y", "treatment"])
@pytest.mark.parametrize("part", [0, 1])
def test_row_32_a_method_cannot_write_into_its_rows(name, part, train, valid):
    before = [getattr(rows, name).copy() for rows in (train, valid)]

    def write(self, *rows):
        getattr(rows[part], name)[:] = 0

    with pytest.raises(ValueError, match="read-only"):
        Attack(write).fit(train, valid, 0)
    for rows, content in zip((train, valid), before, strict=True):
        np.testing.assert_array_equal(getattr(rows, name), content)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("settings_", [1, 2], "settings_ is"),
        ("n_active_nodes_", "many", "n_active_nodes_ is 'many'"),
        ("n_nodes_", 2.5, "n_nodes_ is 2.5"),
        ("seconds_", {"tune": -1e9}, "seconds_"),
        ("seconds_", {"tune": float("nan")}, "seconds_"),
        ("seconds_", None, "seconds_ is None"),
    ],
)
def test_row_42_what_a_fit_leaves_behind_is_checked(attribute, value, message, train, valid):
    with pytest.raises((TypeError, ValueError), match=message):
        Attack(lambda self, *_: setattr(self, attribute, value)).fit(train, valid, 0)


@pytest.mark.parametrize(
    "predicted", [lambda X: X[:, 0] * 1j, lambda X: np.full(len(X), "1.5"), lambda X: X]
)
def test_row_42_predictions_are_one_real_number_per_row(predicted, train, valid):
    method = Attack(predicted=predicted).fit(train, valid, 0)
    with pytest.raises(ValueError, match="one number per row"):
        method.predict(train.X)


def test_row_27_a_method_file_that_exits_is_a_clear_error(tmp_path):
    path = tmp_path / "ends.py"
    path.write_text("import sys; sys.exit(0)")
    with pytest.raises(ValueError, match="cannot be used as a method file: SystemExit"):
        baselines.load_file(path)
