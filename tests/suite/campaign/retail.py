"""A small retail campaign with the troubles of a real file, and a model fitted to it."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import baselines
from suite.campaign.encode import Encoder
from suite.campaign.load import load_campaign
from suite.campaign.model import Calibration, Decision, Model
from twin import Rows

CITIES = ("Zürich", "Genève", "Basel")


def retail(n: int = 3000, seed: int = 0, *, arms: tuple[str, ...] = ("control", "mail")):
    """Ids, two formats of dates, many stores, blanks, yes/no columns, and two leaks."""
    rng = np.random.default_rng(seed)
    last = pd.Timestamp("2025-01-31") - pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(45, 14, n).round())
    app = rng.random(n) < 0.4
    arm = rng.integers(len(arms), size=n)
    bought = rng.random(n) < 0.15 + 0.15 * app * (arm > 0)
    return pd.DataFrame(
        {
            "customer_id": [f"C{i:06d}" for i in range(n)],
            "signup": (last - pd.Timedelta(days=400)).strftime("%Y-%m-%d"),
            "last_purchase": pd.Series(last.strftime("%d.%m.%Y")).where(rng.random(n) > 0.05, ""),
            "store": [f"store_{k:02d}" for k in rng.integers(0, 40, n)],
            "city": np.array(CITIES)[rng.integers(0, 3, n)],
            "age": ["" if np.isnan(a) else f"{a:.0f}" for a in age],
            "spend": [f"{s:.2f}" for s in np.exp(rng.normal(4, 1, n))],
            "has_app": np.where(app, "yes", "no"),
            "zip": [f"{z:04d}" for z in rng.integers(100, 9999, n)],
            "arm": np.array(arms)[arm],
            "bought": np.where(bought, "yes", "no"),
            "revenue": np.where(bought, np.exp(rng.normal(3, 1, n)).round(2), 0.0),
            "opened": np.where(arm > 0, np.where(rng.random(n) < 0.4, "yes", "no"), ""),
        }
    )


def new_customers(n: int = 1000, seed: int = 1) -> pd.DataFrame:
    """Customers of the same kind without arm and outcome; one lives in an unknown city."""
    frame = retail(n, seed).drop(columns=["arm", "bought", "revenue", "opened"])
    frame.loc[5, "city"] = "Paris"
    return frame


def written(frame: pd.DataFrame, path: Path, **options: object) -> Path:
    """`frame` as a csv file."""
    frame.to_csv(path, index=False, **options)
    return path


@cache
def model(name: str = "r-lasso", arms: tuple[str, ...] = ("control", "mail")) -> Model:
    """A model of the small campaign, not calibrated: value 30, cost 1."""
    campaign = load_campaign(retail(arms=arms))
    encoder = Encoder().fit(campaign.columns, campaign.frame, campaign.outcome, campaign.arm)
    X = encoder.transform(campaign.frame)
    methods = []
    for k in range(1, len(arms)):
        rows = np.flatnonzero((campaign.arm == 0) | (campaign.arm == k))
        made = Rows.of(X[rows], campaign.outcome[rows], (campaign.arm[rows] == k).astype(int))
        half = len(rows) // 2
        parts = made.take(np.arange(half)), made.take(np.arange(half, len(rows)))
        methods.append(baselines.method(name)(quick=True).fit(*parts, 0))
    treatments = len(methods)
    return Model(
        encoder=encoder,
        methods=tuple(methods),
        calibrations=(Calibration(0.05, 0.9, 0.04),) * treatments,
        decision=Decision("net", value=30.0, costs=(1.0,) * treatments),
        arms=campaign.arms,
        outcome_name="bought",
        outcome_value="yes",
        arm_name="arm",
        id_name="customer_id",
        lower_is_better=False,
        source={"name": "made.csv", "sha256": "0" * 64, "rows": 3000},
        propensity=campaign.fairness.shares,
        headline={"profit": {"mean": 0.34, "low": 0.18, "high": 0.5}},
    )
