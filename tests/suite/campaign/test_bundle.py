"""The bundle: the same scores, no code, and damage that never passes."""

import json
import pickletools
import zipfile
from pathlib import Path

import numpy as np
import pytest

from suite.campaign import bundle
from suite.campaign.errors import UserError
from suite.campaign.load import load_campaign
from tests.suite.campaign.retail import model, retail

NAMES = ("r-lasso", "twin-mu-exact", "uplift-forest-kl", "x-xgboost")


@pytest.fixture(scope="module")
def frame():
    return load_campaign(retail(600, 7)).frame


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name, frame, tmp_path):
    made, path = model(name), tmp_path / "model.uplift"
    bundle.save(made, path)
    again = bundle.load(path)
    np.testing.assert_allclose(again.uplift(frame), made.uplift(frame), rtol=0, atol=1e-12)
    for part in ("decision", "calibrations", "arms", "headline", "source", "propensity", "id_name"):
        assert getattr(again, part) == getattr(made, part), part
    first = path.read_bytes()
    bundle.save(again, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", NAMES)
def test_members_hold_no_code(name, tmp_path):
    path = tmp_path / "model.uplift"
    bundle.save(model(name), path)
    with zipfile.ZipFile(path) as file:
        for member in file.namelist():
            assert member == "manifest.json" or Path(member).suffix in (".npy", ".ubj")
            raw = file.read(member)
            if member.endswith(".npy"):
                assert raw[:6] == b"\x93NUMPY"
                assert b"'O'" not in raw[:200]
            with pytest.raises(Exception):  # noqa: B017, PT011 - no member is a whole pickle
                list(pickletools.genops(raw))
        json.loads(file.read("manifest.json"))


def test_200_flipped_bytes(frame, tmp_path):
    path = tmp_path / "model.uplift"
    bundle.save(model(), path)
    whole, expected = path.read_bytes(), model().uplift(frame)
    rng = np.random.default_rng(0)
    damaged = 0
    for place in rng.choice(len(whole), 200, replace=False):
        raw = bytearray(whole)
        raw[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(raw)
        try:
            again = bundle.load(path)
        except UserError as error:
            assert "damaged" in str(error)  # noqa: PT017 - the alternative is in the else branch
            damaged += 1
        else:
            assert np.array_equal(again.uplift(frame), expected)
    assert damaged > 150


def rewritten(path: Path, change) -> None:
    """The bundle with a changed manifest whose checksum is right."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest.pop("sha256")
    change(manifest, members)
    manifest["sha256"] = bundle._digest(manifest)
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, raw in members.items():
            file.writestr(name, raw)


def test_newer_foreign_and_missing(tmp_path):
    path = tmp_path / "model.uplift"
    bundle.save(model(), path)
    rewritten(path, lambda manifest, _: manifest.update(format=99))
    with pytest.raises(UserError) as error:
        bundle.load(path)
    assert str(error.value) == (
        "model.uplift is of format 99; this version reads up to 2: upgrade twin-uplift-suite"
    )
    path.write_text("id,uplift\n1,2\n")
    with pytest.raises(UserError, match="model.uplift is not a model of this suite"):
        bundle.load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<a/>")
    with pytest.raises(UserError, match="model.uplift is not a model of this suite"):
        bundle.load(path)
    with pytest.raises(UserError, match="no model at"):
        bundle.load(tmp_path / "none.uplift")


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest, members: members.update({"more.npy": b"x"}),
        lambda manifest, members: manifest["arms"].append("call"),
        lambda manifest, members: manifest["methods"][0].update(name="os.system"),
        lambda manifest, members: manifest["methods"][0]["state"]["own"].update(_predict=1),
        lambda manifest, members: manifest["encoder"]["plans"].pop(),
        lambda manifest, members: members.pop(next(iter(manifest["members"]))),
    ],
)
def test_a_bundle_that_makes_no_sense_is_damaged(change, tmp_path):
    path = tmp_path / "model.uplift"
    bundle.save(model(), path)
    rewritten(path, change)
    with pytest.raises(UserError, match="model.uplift is damaged"):
        bundle.load(path)


def test_a_killed_save_leaves_the_old_model(tmp_path, monkeypatch):
    path = tmp_path / "model.uplift"
    bundle.save(model(), path)
    before = path.read_bytes()

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", broken)
    with pytest.raises(OSError, match="No space"):
        bundle.save(model("twin-mu-exact"), path)
    assert path.read_bytes() == before
