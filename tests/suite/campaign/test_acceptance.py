"""Money, nothing to find, calibration, one engine: on the retail file with known truth.

The generator is found through UPLIFT_MAKE_CAMPAIGN (the path of make_campaign.py); the number of
files of each kind through UPLIFT_CAMPAIGN_SEEDS (20 if it is not set).
"""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import suite.campaign
from suite.campaign.api import Result

pytestmark = pytest.mark.slow

VALUE, COST = 30.0, 0.5
SEEDS = int(os.environ.get("UPLIFT_CAMPAIGN_SEEDS", "20"))
ALLOWED = int(0.15 * SEEDS)  # 3 of 20
OPTIONS = {"outcome": "bought", "value": VALUE, "cost": COST, "time": "1m", "jobs": 2}


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    path = os.environ.get("UPLIFT_MAKE_CAMPAIGN")
    if not path:
        pytest.skip("UPLIFT_MAKE_CAMPAIGN does not name make_campaign.py")
    spec = importlib.util.spec_from_file_location("make_campaign", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Trial:
    """One file: what the returned rule truly earns on fresh customers."""

    result: Result
    profit: float
    optimum: float
    everybody: float
    covered: bool
    slope: float
    mean_off: float  # in standard errors of the average effect


def trial(maker: ModuleType, seed: int) -> Trial:
    frame, _ = maker.draw(np.random.default_rng(seed), 30_000, 1, True)
    result = suite.campaign.fit(frame, **OPTIONS)
    new, truth = maker.draw(np.random.default_rng([seed, 99]), 100_000, 1, False)
    scored = result.score(new)
    uplift, treat = scored["uplift"].to_numpy(), scored["treat"].to_numpy() == 1
    net = VALUE * truth - COST
    profit = float(np.where(treat, net, 0).mean())
    said = result.summary["rule"]["against"]["nobody"]
    slope = float(np.cov(truth, uplift)[0, 1] / uplift.var()) if np.ptp(uplift) else np.nan
    se = result.summary["effects"][1]["adjusted"]["se"]
    return Trial(
        result=result,
        profit=profit,
        optimum=float(np.maximum(net, 0).mean()),
        everybody=float(net.mean()),
        covered=said["low"] <= profit <= said["high"],
        slope=slope,
        mean_off=abs(float(uplift.mean() - truth.mean())) / se,
    )


@pytest.fixture(scope="module")
def trials(maker) -> list[Trial]:
    return [trial(maker, seed) for seed in range(SEEDS)]


def test_the_rule_earns_most_of_what_can_be_earned(trials):
    assert np.mean([t.profit / t.optimum for t in trials]) >= 0.85
    assert sum(t.profit > max(t.everybody, 0) for t in trials) >= SEEDS - ALLOWED
    assert sum(t.covered for t in trials) >= SEEDS - ALLOWED


def test_predictions_can_be_taken_at_face_value(trials):
    assert sum(0.7 <= t.slope <= 1.4 for t in trials) >= SEEDS - ALLOWED
    assert sum(t.mean_off <= 2 for t in trials) >= SEEDS - ALLOWED


def flat(maker: ModuleType, seed: int, effect: float) -> pd.DataFrame:
    """The retail file with one effect for everybody, without the columns that come later."""
    rng = np.random.default_rng([seed, 7])
    frame, _ = maker.draw(np.random.default_rng(seed), 30_000, 1, True)
    base = 0.06 + 0.015 * frame.orders_12m.clip(0, 6) / 2 + 0.03 * (frame.loyalty_tier == "gold")
    bought = rng.random(len(frame)) < base + effect * (frame.arm == "mail")
    frame["bought"] = np.where(bought, "yes", "no")
    return frame.drop(columns=["revenue", "email_opened"])


@pytest.mark.parametrize("effect", [0.03, 0.0])
def test_nothing_to_find_is_said(maker, effect):
    results = [suite.campaign.fit(flat(maker, seed, effect), **OPTIONS) for seed in range(SEEDS)]
    assert sum(not r.summary["tells_apart"]["yes"] for r in results) >= SEEDS - ALLOWED
    rules = [r.model.decision.rule for r in results]
    assert sum(rule in ("arm", "nobody") for rule in rules) >= SEEDS - ALLOWED
    if effect == 0:
        said = [r.summary["answer"]["first"] for r in results]
        assert said.count("Treat nobody.") >= SEEDS - ALLOWED


def command(file: Path, out: Path, jobs: int) -> list[str]:
    return [
        *(sys.executable, "-m", "suite", "campaign", str(file), "--value", "30", "--cost", "0.5"),
        *("--methods", "r-lasso", "--folds", "3", "--time", "1h"),
        *("--jobs", str(jobs), "--out", str(out)),
    ]


def test_jobs_and_kill_and_resume_say_the_same(maker, tmp_path):
    frame, _ = maker.draw(np.random.default_rng(0), 8_000, 1, True)
    file = tmp_path / "campaign.csv"
    frame.to_csv(file, index=False)
    for jobs in (1, 2):
        subprocess.run(command(file, tmp_path / f"jobs{jobs}", jobs), check=True)
    started = subprocess.Popen(command(file, tmp_path / "killed", 1))
    units = tmp_path / "killed" / "units"
    while len(list(units.glob("*.npz"))) < 4:  # in the middle of the work
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert not (tmp_path / "killed" / "summary.json").exists()
    subprocess.run(command(file, tmp_path / "killed", 2), check=True)
    summaries = []
    for name in ("jobs1", "jobs2", "killed"):
        summary = pd.read_json(tmp_path / name / "summary.json", typ="series").to_dict()
        summary.pop("this_run")
        summaries.append(summary)
    assert summaries[0] == summaries[1] == summaries[2]


def test_interrupted_by_hand(maker, tmp_path):
    frame, _ = maker.draw(np.random.default_rng(0), 8_000, 1, True)
    file = tmp_path / "campaign.csv"
    frame.to_csv(file, index=False)
    started = subprocess.Popen(command(file, tmp_path / "out", 1))
    while not list((tmp_path / "out" / "units").glob("*.npz")):
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    assert started.wait(timeout=60) == 130
