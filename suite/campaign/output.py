"""The output folder: whose run it is, and the files that a run leaves there."""

import json
import os
import shutil
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from suite.campaign import bundle, page
from suite.campaign.analyse import Settings
from suite.campaign.errors import UserError
from suite.campaign.findings import Findings
from suite.campaign.load import Options
from suite.campaign.model import Model
from suite.campaign.types import Campaign

OWNER = "run.json"
UNITS = "units"
RESULTS = ("report.html", "model.uplift", "rows.csv", "summary.json", "log.txt")


def claim(folder: Path, campaign: Campaign, options: Options, settings: Settings, fresh: bool):
    """The folder of the units of this question; an error if the folder holds another one.

    `fresh`: another question, and all that is known of this one, is replaced.
    """
    question = {
        "file": campaign.source.sha256,
        "options": asdict(options),
        "methods": list(settings.methods),
        "folds": settings.folds,
        "seed": settings.seed,
        "quick": settings.quick,
    }
    mark = sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()
    owner = folder / OWNER
    if owner.is_file():
        try:
            other = json.loads(owner.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            other = {}
        if other.get("mark") != mark and not fresh:
            what = (
                "another file" if other.get("file") != campaign.source.sha256 else "other options"
            )
            raise UserError(f"{folder.name} holds a run on {what}; give --out DIR or --fresh")
    elif folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder.name} is not empty and not of this command; give --out DIR")
    if fresh:  # before the folder has another owner: it must not take these for its own
        shutil.rmtree(folder / UNITS, ignore_errors=True)
        for name in RESULTS:
            (folder / name).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write(owner, json.dumps({"mark": mark, "file": campaign.source.sha256}))
    return folder / UNITS


def write(path: Path, text: str) -> None:
    """The whole text or the file as it was."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def names_of(campaign: Campaign) -> pd.Index:
    """The customers: their ids, or the numbers of their rows in the file, from 1."""
    if campaign.ids is None:
        return pd.Index(campaign.row, name="row")
    return pd.Index(campaign.ids, name=campaign.id_name)


def rows_of(found: Findings) -> pd.DataFrame:
    """One line for each customer: id, out-of-fold uplift, the rule's decision if there is one."""
    campaign = found.campaign
    customers = names_of(campaign)
    table = pd.DataFrame({customers.name: customers})
    uplift = found.sign * found.evidence.gain
    many = len(campaign.arms) > 2
    for a, arm in enumerate(campaign.arms[1:]):
        table[f"uplift {arm}" if many else "uplift"] = uplift[:, a]
    if found.decides:
        decision = found.comparison.decision
        names = np.array(["", *campaign.arms[1:]], dtype=object)
        table["treat"] = names[decision] if many else decision
    return table


def write_all(folder: Path, found: Findings, model: Model, summary: dict[str, Any]) -> None:
    """report.html, model.uplift, rows.csv and summary.json, the summary last."""
    bundle.save(model, folder / "model.uplift")
    write(folder / "rows.csv", rows_of(found).to_csv(index=False))
    write(folder / "report.html", page.render(summary))
    write(folder / "summary.json", json.dumps(summary, indent=1, ensure_ascii=False))
