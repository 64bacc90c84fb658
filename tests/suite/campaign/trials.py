"""One drawn file of known truth, analysed: what the page says and what is true.

`trial(kind, seed)` draws from make_campaign.py, whose path CAMPAIGN_MAKER names, and keeps its
figures in the folder CAMPAIGN_TRIALS, if one is named, so that a long run of trials can go on.
"""

import importlib.util
import json
import os
import time
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

import suite.campaign
from suite.campaign.api import Result
from suite.campaign.cells import Cells
from suite.campaign.columns import typed
from suite.campaign.encode import Encoder
from suite.campaign.new_rows import column_of
from suite.campaign.read import from_frame
from suite.campaign.types import Campaign

VALUE, COST, ROWS, FRESH = 30.0, 0.5, 30_000, 100_000
CONSTANT = 0.03  # the effect on everybody where there is nothing to find
KINDS = ("retail", "constant", "none", "chosen", "strata", "minute")
# Methods are named and time is not short, so that a busy machine computes the same numbers. Three
# folds learn from fewer rows than the five of a usual run, and so judge it strictly.
RUN = {"methods": ("r-lasso", "x-lasso", "twin-boost"), "folds": 3, "time": "10h"}
# The retail file as a user in a hurry runs it: the methods that this machine finishes in time.
MINUTE = {"time": "1m"}


def maker() -> ModuleType | None:
    """make_campaign.py as a module; None where CAMPAIGN_MAKER does not name it."""
    path = os.environ.get("CAMPAIGN_MAKER")
    if not path:
        return None
    spec = importlib.util.spec_from_file_location("make_campaign", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw(kind: str, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """The file and the true effect on each of its customers."""
    frame, effect = maker().draw(np.random.default_rng(seed), ROWS, 1, True)
    if kind in ("retail", "minute"):
        return frame, effect
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    treated = (frame["arm"] == "mail").to_numpy()
    if kind in ("constant", "none"):
        effect = np.full(ROWS, CONSTANT if kind == "constant" else 0.0)
    if kind == "chosen":
        age = frame["age"].fillna(45).to_numpy()
        treated = rng.random(ROWS) < 1 / (1 + np.exp(-(age - 45) / 14))
    if kind == "strata":
        treated = rng.random(ROWS) < np.where(frame["has_app"] == "yes", 0.9, 0.5)
    base = 0.06 + 0.015 * frame["orders_12m"].clip(0, 6) / 2
    base = (base + 0.03 * (frame["loyalty_tier"] == "gold")).to_numpy()
    bought = rng.random(ROWS) < (base + treated * effect).clip(0.005, 0.95)
    frame["arm"] = np.where(treated, "mail", "control")
    frame["bought"] = np.where(bought, "yes", "no")
    # They speak of the outcome and the arm that were replaced.
    return frame.drop(columns=["revenue", "email_opened"]), effect


@cache
def fresh() -> tuple[pd.DataFrame, np.ndarray]:
    """Customers that no campaign has seen, with their true effects."""
    return maker().draw(np.random.default_rng([10**6]), FRESH, 1, False)


def trial(kind: str, seed: int) -> dict[str, Any]:
    """The figures of one file, computed or as kept."""
    folder = os.environ.get("CAMPAIGN_TRIALS")
    kept = Path(folder) / f"{kind}-{seed}.json" if folder else None
    if kept is not None and kept.is_file():
        return json.loads(kept.read_text())
    began = time.monotonic()
    figures = compute(kind, seed)
    figures["seconds"] = round(time.monotonic() - began, 1)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(figures, indent=1))
    return figures


def compute(kind: str, seed: int) -> dict[str, Any]:
    """Draw, analyse, and look at the truth."""
    frame, effect = draw(kind, seed)
    options = {"strata": ["has_app"]} if kind == "strata" else {}
    run = MINUTE if kind == "minute" else RUN
    result = suite.campaign.fit(frame, value=VALUE, cost=COST, **run, **options)
    summary, adjusted = result.summary, result.summary["effects"][1]["adjusted"]
    said = summary["rule"]["against"]["nobody"]
    figures = {
        "answer": summary["answer"]["first"],
        "rule": result.model.decision.rule,
        "tells": summary["tells_apart"]["yes"],
        "fair": summary["fair"]["verdict"],
        "propensity": summary["fair"]["propensity"],
        "suspected": summary["suspected"],
        "method": summary["chosen_method"],
        "methods": list(summary["this_run"]["methods"]),
        "share": summary["rule"]["share"],
        "said": [said["low"], said["mean"], said["high"]],
        "effect": adjusted["mean"],
        "effect_se": adjusted["se"],
        "true_effect": float(effect.mean()),
    }
    if kind in ("retail", "minute", "chosen"):
        figures |= _on_fresh(result, seed, today=kind == "retail")
    return figures


def _on_fresh(result: Result, seed: int, today: bool) -> dict[str, float]:
    """What the returned rule truly earns, and how its predictions relate to the truth."""
    new, truth = fresh()
    scored = result.score(new)
    uplift, treat = scored["uplift"].to_numpy(), scored["treat"].to_numpy() == 1
    net = VALUE * truth - COST
    found = {
        "profit": float(np.where(treat, net, 0).mean()),
        "optimum": float(np.maximum(net, 0).mean()),
        "everybody": float(net.mean()),
        "treated": float(treat.mean()),
        "slope": float(np.cov(truth, uplift)[0, 1] / uplift.var(ddof=1)) if np.ptp(uplift) else 0.0,
        "mean_predicted": float(uplift.mean()),
        "mean_true": float(truth.mean()),
    }
    if today:
        from tests.suite.campaign import todays_practice  # causalml takes seconds to import

        campaign = result.findings.campaign
        rule = VALUE * todays_practice.uplift(campaign, typed_as(campaign, new), seed) > COST
        found["today"] = float(np.where(rule, net, 0).mean())
        found["today_treated"] = float(rule.mean())
    return found


def typed_as(campaign: Campaign, new: pd.DataFrame) -> pd.DataFrame:
    """New customers with the types of the campaign's columns."""
    plans = Encoder().fit(campaign.columns, campaign.frame, campaign.outcome, campaign.arm).plans
    table, _ = from_frame(new)
    return pd.DataFrame({p.name: typed(column_of(p), Cells(table[p.name]), ".") for p in plans})
