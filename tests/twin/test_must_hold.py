"""What must hold of the estimators under attack; the numbers are those of the list of attacks."""

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from twin import Rows, TwinPath, TwinSearch, TwinUplift
from twin.qini import qini_score


@pytest.fixture
def model(rows: Rows) -> TwinUplift:
    return TwinUplift(hidden=(4,), epochs=2, random_state=0).fit(rows.X, rows.y, rows.treatment)


def rewritten(model: TwinUplift, path: Path, **changes) -> Path:
    """`model` on disk with some of its arrays replaced, or dropped if None."""
    model.save(path)
    with np.load(path) as file:
        arrays = {**file, **{name.replace("__", "/"): a for name, a in changes.items()}}
    with path.open("wb") as file:
        np.savez(file, **{name: a for name, a in arrays.items() if a is not None})
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"network0__matrix0": np.zeros((2, 30_000), np.float32)},
        {"network0__treatment": np.zeros(2, np.float32)},
        {"network0__output": np.zeros((4, 1), np.float32)},
        {"network0__intercepts0": np.zeros(4)},
        {"network0__intercepts1": np.zeros(4, np.float32)},
        {"network0__output_intercept": np.array(np.nan)},
        {"network0__matrix0": None},
        {"network1__matrix0": np.zeros((6, 4), np.float32)},
        {"mean": np.full(6, np.nan, np.float32)},
        {"mean": np.zeros((6, 1), np.float32)},
        {"inverse_scale": np.zeros(6, np.float32)},
        {"inverse_scale": None},
        {"more": np.zeros(3)},
        {"about": np.array("[1]")},
        {"about": np.array('{"format": 1, "class": "TwinUplift", "networks": 1}')},
        {"about": np.array('{"format": "new"}')},
    ],
)
def test_row_05_a_saved_model_is_checked_completely(model, tmp_path, changes):
    with pytest.raises(ValueError, match="model"):
        TwinUplift.load(rewritten(model, tmp_path / "model", **changes))


def test_row_05_a_linear_model_too(rows, tmp_path):
    model = TwinUplift(hidden=(), epochs=1, random_state=0).fit(rows.X, rows.y, rows.treatment)
    path = rewritten(model, tmp_path / "model", network0__matrix0=np.zeros((2, 1), np.float32))
    with pytest.raises(ValueError, match=r"matrix0 has shape \(2, 1\)"):
        TwinUplift.load(path)


@pytest.mark.parametrize("cls", [TwinUplift, TwinSearch, TwinPath])
def test_row_13_a_fit_that_fails_leaves_the_model_as_it_was(cls, rows):
    settings = {"hidden": (), "epochs": 2} if cls is not TwinPath else {"n_lambdas": 2}
    model = cls(random_state=0, **settings).fit(rows.X[:, :3], rows.y, rows.treatment, 0.3)
    before = model.predict(rows.X[:, :3])
    for X, validation in ((rows.X[:, :2], "bad"), (rows.X[:, :2], (rows.X, rows.y))):
        with pytest.raises(ValueError, match="validation"):
            model.fit(X, rows.y, rows.treatment, validation)
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="2 columns"):
        model.predict(rows.X[:, :2])
    np.testing.assert_array_equal(model.predict(rows.X[:, :3]), before)


def test_row_13_also_where_training_diverges(rows):
    model = TwinUplift(hidden=(4,), epochs=3, random_state=0)
    model.fit(rows.X[:, :3], rows.y, rows.treatment)
    model.learning_rate = 1e30
    with pytest.raises(ValueError, match="not finite"):
        model.fit(rows.X, rows.y, rows.treatment)
    assert model.predict(rows.X[:, :3]).shape == (len(rows),)


def test_row_40_a_mask_or_a_date_is_not_a_number(rows):
    model = TwinUplift(hidden=(), epochs=1)
    masked = np.ma.masked_array(rows.X, rows.X > 1)
    with pytest.raises(ValueError, match="X is a masked array"):
        model.fit(masked, rows.y, rows.treatment)
    with pytest.raises(ValueError, match="X holds datetime64"):
        model.fit(rows.X.astype("datetime64[ns]"), rows.y, rows.treatment)
    with pytest.raises(ValueError, match="y is a masked array"):
        qini_score(np.ma.masked_array(rows.y, rows.y == 1), rows.X[:, 0], rows.treatment)
    with pytest.raises(ValueError, match="uplift is a masked array"):
        qini_score(rows.y, masked[:, 0], rows.treatment)


def test_row_41_columns_beyond_float32_are_named(rows, recwarn):
    X = rows.X.astype(np.float64)
    TwinUplift(hidden=(), epochs=1).fit(X, rows.y, rows.treatment)
    assert not recwarn
    X[:, 2] += 1e8
    with pytest.warns(UserWarning, match=r"values of x3 are large and close") as caught:
        TwinUplift(hidden=(), epochs=1).fit(X, rows.y, rows.treatment)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"hidden": 8}, "hidden is 8"),
        ({"hidden": None}, "hidden is None"),
        ({"hidden": (2.0,)}, r"hidden is \(2.0,\)"),
        ({"epochs": np.inf}, "epochs is inf"),
        ({"epochs": None}, "epochs is None"),
        ({"batch_size": np.nan}, "batch_size is nan"),
        ({"learning_rate": "0.1"}, "learning_rate is '0.1'"),
        ({"propensity": None}, "propensity is None"),
        ({"propensity": np.full(3, 0.5)}, "propensity is array"),
        ({"weight_penalty": None}, "weight_penalty is None"),
    ],
)
def test_row_43_wrong_parameters_are_named(settings, named, rows):
    with pytest.raises(ValueError, match=named):
        TwinUplift(**{"hidden": (2,), "epochs": 1, **settings}).fit(rows.X, rows.y, rows.treatment)


def test_row_43_a_generator_is_no_grid(rows):
    for grid in ({"learning_rate": (r for r in (0.1,))}, [0.1]):
        with pytest.raises(ValueError, match="grid"):
            TwinSearch(hidden=(2,), epochs=1, grid=grid).fit(rows.X, rows.y, rows.treatment)


def test_row_44_tiny_scales_give_the_right_advice(rows):
    with pytest.raises(ValueError, match=r"column 0 of X has standard deviation .*multiply"):
        TwinUplift(hidden=(2,), epochs=1).fit(rows.X * 1e-40, rows.y, rows.treatment)


def test_row_45_one_class_is_pointed_out(rows):
    with pytest.warns(UserWarning, match="y is 0 in all 600 training rows") as caught:
        TwinUplift(hidden=(), epochs=1).fit(rows.X, rows.y * 0, rows.treatment)
    assert caught[0].filename == __file__


def test_row_45_different_indexes_are_refused(rows):
    X, y = pd.DataFrame(rows.X), pd.Series(rows.y)
    with pytest.raises(ValueError, match="X and y have different indexes"):
        Rows.of(X, y[::-1], rows.treatment)
    assert len(Rows.of(X, y, rows.treatment)) == len(rows)


def test_row_46_an_array_in_place_of_a_model(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3))
    with pytest.raises(ValueError, match="not a saved twin model"):
        TwinUplift.load(tmp_path / "a.npy")


def test_row_46_flipped_bits_are_one_kind_of_error(model, tmp_path):
    model.save(tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(len(content), size=200):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.integers(8)
        (tmp_path / "model").write_bytes(damaged)
        try:
            TwinUplift.load(tmp_path / "model")
        except ValueError:
            continue


def test_row_46_a_zip_bomb_is_not_unpacked(model, tmp_path):
    path = rewritten(model, tmp_path / "model")
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content + bytes(10**7))
    with pytest.raises(ValueError, match="is compressed"):
        TwinUplift.load(path)


def test_row_47_a_failed_save_leaves_nothing_behind(model, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(ValueError, match="is a directory"):
        model.save(folder)

    def full(file, **arrays):
        file.write(b"beginning")
        raise OSError("No space left on device")

    monkeypatch.setattr("twin.saved.np.savez", full)
    with pytest.raises(OSError, match="No space"):
        model.save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
