"""Saved TwinBoost models come back the same, and what is not one is refused."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.twin.small import parts
from twin import TwinBoost, TwinUplift
from twin.rows import Rows


@pytest.fixture(scope="module")
def frame(rows: Rows) -> pd.DataFrame:
    """The small rows with missing values and a category."""
    frame = pd.DataFrame(rows.X.astype(float), columns=list("abcdef"))
    frame["band"] = pd.Categorical(np.where(frame["a"] > 0, "high", "low"))
    frame["c"] = frame["c"].where(frame["d"] < 1)
    return frame


@pytest.fixture(scope="module")
def fitted(frame: pd.DataFrame, rows: Rows) -> TwinBoost:
    return TwinBoost(members=2, random_state=1).fit(frame, rows.y, rows.treatment)


def test_pickle_save_and_load(fitted: TwinBoost, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "model.twin"
    fitted.save(path)
    assert list(tmp_path.iterdir()) == [path]
    for copy in (pickle.loads(pickle.dumps(fitted)), TwinBoost.load(path)):
        np.testing.assert_array_equal(copy.predict(frame), fitted.predict(frame))
        np.testing.assert_array_equal(copy.predict_raw(frame), fitted.predict_raw(frame))
        pd.testing.assert_frame_equal(copy.effect("band"), fitted.effect("band"))
        pd.testing.assert_frame_equal(copy.feature_importances_, fitted.feature_importances_)
        assert copy.get_params() == fitted.get_params()
        assert copy.choices_ == fitted.choices_
        assert list(copy.feature_names_in_) == list(frame.columns)


def _tampered(path: Path, target: Path, change: Any) -> Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(str(arrays["about"]))
    change(about, arrays)
    arrays["about"] = np.array(json.dumps(about))
    with target.open("wb") as file:
        np.savez(file, **arrays)
    return target


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda about, arrays: about.update(format=99), "has format 99"),
        (lambda about, arrays: about.update({"class": "TwinPath"}), "load it with TwinPath.load"),
        (lambda about, arrays: about["names"].pop(), "damaged TwinBoost"),
        (lambda about, arrays: about["params"].update(extra=1), "unknown parameters .'extra'."),
        (lambda about, arrays: about["calibration"].update(a=float("nan")), "not finite"),
        (lambda about, arrays: about.update(c=None), "damaged TwinBoost"),
        (lambda about, arrays: arrays.pop("z"), "damaged TwinBoost model ..z.."),
        (lambda about, arrays: arrays.update(edges=arrays["edges"][::-1]), "edges do not rise"),
        (lambda about, arrays: arrays.update(z=arrays["z"][:, :3]), "z has shape"),
        (lambda about, arrays: arrays.update(gains=arrays["gains"] + np.nan), "gains is not fin"),
        (
            lambda about, arrays: arrays.update(
                f_feature=np.full((1, 3), 99, np.int32),
                f_left=np.zeros((1, 3, 4), np.uint64),
                f_value=np.zeros((1, 3)),
                f_weight=np.zeros((1, 3)),
            ),
            "a split of an unknown covariate",
        ),
        (
            lambda about, arrays: arrays.update(
                f_feature=np.zeros((1, 3), np.int32),
                f_left=np.zeros((1, 3, 4), np.uint64),
                f_value=np.zeros((1, 3)),
                f_weight=np.zeros((1, 3)),
            ),
            "a split without children",
        ),
    ],
)
def test_load_refuses_a_changed_file(fitted, tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "model.twin"
    fitted.save(path)
    with pytest.raises(ValueError, match=message):
        TwinBoost.load(_tampered(path, tmp_path / "other.twin", change))


def test_load_refuses_what_is_no_model(fitted, rows: Rows, tmp_path: Path) -> None:
    path = tmp_path / "model.twin"
    TwinUplift(hidden=(), epochs=1, random_state=0).fit(*parts(rows)).save(path)
    with pytest.raises(ValueError, match="holds a TwinUplift"):
        TwinBoost.load(path)
    fitted.save(path)
    for content in (b"something else", b"", path.read_bytes()[:200]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a saved twin model"):
            TwinBoost.load(path)
    with pytest.raises(ValueError, match="no saved model at"):
        TwinBoost.load(tmp_path / "absent")
