"""`model.uplift`: a zip of a manifest, arrays and boosters; no code in it, nothing to unpickle."""

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import baselines
from suite.campaign.encode import Encoder
from suite.campaign.errors import UserError
from suite.campaign.members import restore, store
from suite.campaign.model import Assignment, Calibration, Decision, Model

FORMAT = 2  # raised when older code could misread a newer file
KIND = "campaign model of twin-uplift-suite"
MANIFEST = "manifest.json"
LARGEST = 2 << 30  # bytes of one member


def save(model: Model, path: Path) -> None:
    """Write `model` to `path`, whole or not at all; the same model gives the same bytes."""
    members: dict[str, bytes] = {}
    methods = []
    for k, method in enumerate(model.methods):
        state = store(method.state(), f"method{k}", members)
        methods.append({"name": method.name, "state": state})
    manifest = {
        "kind": KIND,
        "format": FORMAT,
        "version": _own_version(),
        "encoder": model.encoder.state(),
        "methods": methods,
        "calibrations": [asdict(calibration) for calibration in model.calibrations],
        "decision": asdict(model.decision),
        "arms": model.arms,
        "outcome_name": model.outcome_name,
        "outcome_value": model.outcome_value,
        "arm_name": model.arm_name,
        "id_name": model.id_name,
        "lower_is_better": model.lower_is_better,
        "source": model.source,
        "propensity": model.propensity,
        "headline": _without_nan(model.headline),
        "assignment": asdict(model.assignment),
        "members": {name: hashlib.sha256(raw).hexdigest() for name, raw in members.items()},
    }
    manifest["sha256"] = _digest(manifest)
    text = json.dumps(manifest, indent=1, allow_nan=False, ensure_ascii=False)
    partial = path.with_name(f"{path.name}.partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as file:
        for name, raw in ((MANIFEST, text.encode()), *members.items()):
            file.writestr(zipfile.ZipInfo(name), raw)  # a fixed date
    os.replace(partial, path)


def load(path: Path) -> Model:
    """The model in `path`; a UserError if it is damaged, newer, or no bundle at all."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no model at {path}; python -m suite campaign FILE makes one")
    try:
        return _model(*_members(path))
    except UserError:
        raise
    except Exception as error:  # whatever strange bytes lead to
        raise _damaged(path, str(error) or type(error).__name__) from None


def _members(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the other members, each equal to its checksum."""
    with path.open("rb") as file:
        start = file.read(2)
    if start != b"PK" and not zipfile.is_zipfile(path):
        raise _foreign(path)
    with zipfile.ZipFile(path) as file:
        found = {info.filename: info for info in file.infolist()}
        if not any(name == MANIFEST or name.endswith(".npy") for name in found):
            raise _foreign(path)
        for name, info in found.items():
            if info.compress_type != zipfile.ZIP_STORED or info.file_size > LARGEST:
                raise _damaged(path, f"{name} is compressed or too large")
        if MANIFEST not in found:
            raise _damaged(path, f"{MANIFEST} is missing")
        manifest = json.loads(file.read(MANIFEST))
        if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
            raise _foreign(path)
        if manifest["format"] > FORMAT:
            raise UserError(
                f"{path.name} is of format {manifest['format']}; this version reads up to "
                f"{FORMAT}: upgrade twin-uplift-suite"
            )
        if manifest.pop("sha256", None) != _digest(manifest):
            raise _damaged(path, f"{MANIFEST} does not match its checksum")
        if set(found) != {MANIFEST, *manifest["members"]} or len(found) != len(file.infolist()):
            raise _damaged(path, "its members are not those of the manifest")
        members = {}
        for name, expected in manifest["members"].items():
            try:
                members[name] = file.read(name)
            except zipfile.BadZipFile:
                raise _damaged(path, f"{name} does not match its checksum") from None
            if hashlib.sha256(members[name]).hexdigest() != expected:
                raise _damaged(path, f"{name} does not match its checksum")
    return manifest, members


def _model(manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> Model:
    encoder = Encoder.from_state(manifest["encoder"])
    methods = []
    for about in manifest["methods"]:
        method = baselines.method(about["name"]).from_state(restore(about["state"], members))
        if method.n_features_in_ != len(encoder.names):
            raise ValueError(f"{about['name']} does not fit the columns")
        methods.append(method)
    arms = tuple(manifest["arms"])
    if not len(methods) == len(manifest["calibrations"]) == len(arms) - 1:
        raise ValueError("the methods are not as many as the treatments")
    return Model(
        encoder=encoder,
        methods=tuple(methods),
        calibrations=tuple(Calibration(**_tuples(c)) for c in manifest["calibrations"]),
        decision=Decision(**_tuples(manifest["decision"])),
        arms=arms,
        propensity=tuple(manifest["propensity"]),
        **{
            name: manifest[name]
            for name in ("outcome_name", "outcome_value", "arm_name", "id_name")
        },
        lower_is_better=manifest["lower_is_better"],
        source=manifest["source"],
        headline=manifest["headline"],
        assignment=Assignment(**_tuples(manifest.get("assignment", {}))),
    )


def _digest(manifest: Mapping[str, Any]) -> str:
    canonical = json.dumps(manifest, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _tuples(about: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}


def _without_nan(value: Any) -> Any:
    """JSON knows no NaN: it becomes null."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _damaged(path: Path, why: str) -> UserError:
    return UserError(f"{path.name} is damaged ({why})")


def _foreign(path: Path) -> UserError:
    return UserError(f"{path.name} is not a model of this suite")


def _own_version() -> str:
    try:
        return version("twin-uplift-suite")
    except PackageNotFoundError:  # used from a checkout that is not installed
        return "unknown"
