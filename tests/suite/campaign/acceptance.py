"""The ten checks of a campaign, as a table: python -m tests.suite.campaign.acceptance [CHECK ...]

CAMPAIGN_MAKER names make_campaign.py, UPLIFT_DATA a folder with Hillstrom's csv, and
CAMPAIGN_TRIALS a folder that keeps the drawn files' figures, so that a stopped run goes on.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.suite.campaign.trials import maker, trial

SEEDS = range(20)
MOST, MANY = 17, 16  # of 20
# Methods that are named give the same numbers on a busy machine; `--time` is what people type.
WAYS = {"retail": "methods named", "minute": "--time 1m"}


class Part(NamedTuple):
    """One criterion: what is asked, what was found, whether it holds."""

    asked: str
    found: str
    holds: bool


class Lacking(Exception):
    """What a check needs and is not there."""


def counted(asked: str, hits: Sequence[bool], least: int) -> Part:
    """So many of the files."""
    return Part(
        f"{asked} in >= {least} of {len(hits)}", f"{sum(hits)} of {len(hits)}", sum(hits) >= least
    )


def trials(kind: str) -> list[dict]:
    if maker() is None:
        raise Lacking("CAMPAIGN_MAKER does not name make_campaign.py")
    return [trial(kind, seed) for seed in SEEDS]


def covers(t: dict) -> bool:
    return t["said"][0] <= t["profit"] <= t["said"][2]


def command(*arguments: str, cwd: str) -> tuple[subprocess.CompletedProcess, float]:
    """`python -m suite campaign ...` as a user runs it, and its seconds."""
    began = time.monotonic()
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    given = [sys.executable, "-m", "suite", "campaign", *arguments]
    done = subprocess.run(given, cwd=cwd, env=here, capture_output=True, text=True)
    return done, time.monotonic() - began


def retail_file() -> list[Part]:
    """1: from the file to the page, every guess right."""
    made = maker()
    if made is None:
        raise Lacking("CAMPAIGN_MAKER does not name make_campaign.py")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, made.__file__, "0", folder], check=True)
        about = ("--value", "30", "--cost", "0.5", "--time", "5m", "--jobs", "2")
        done, seconds = command("campaign.csv", *about, cwd=folder)
        found = Path(folder, "campaign.uplift", "summary.json")
        s = json.loads(found.read_text()) if found.is_file() else {}
    guesses = {
        "arm": "arm",
        "control": "control",
        "id": "customer_id",
        "dates": ["signup_date", "last_purchase"],
        "suspected": ["email_opened", "revenue"],
        "unused": ["customer_id", "zip"],
    }
    wrong = [name for name, value in guesses.items() if s.get(name) != value]
    longest = max(map(len, done.stdout.splitlines()), default=0)
    return [
        Part("exit 0 within 6 min", f"{done.returncode} in {seconds:.0f} s",
             done.returncode == 0 and seconds < 360),
        Part("outcome bought = yes and all guesses", ", ".join(wrong) or "right",
             not wrong and s["outcome"]["column"] == "bought" and s["outcome"]["value"] == "yes"),
        Part("at most 80 columns, no …", f"{longest} columns",
             longest <= 80 and "…" not in done.stdout),
    ]  # fmt: skip


def hillstrom() -> list[Part]:
    """2: Hillstrom's csv as it comes."""
    folder = os.environ.get("UPLIFT_DATA")
    files = sorted(Path(folder).rglob("Kevin_Hillstrom*.csv")) if folder else []
    if not files:
        raise Lacking("UPLIFT_DATA names no folder with Hillstrom's csv")
    with tempfile.TemporaryDirectory() as out:
        asked, _ = command(str(files[0]), cwd=out)
        about = ("--outcome", "visit", "--quick", "--jobs", "2", "--out", "page")
        done, seconds = command(str(files[0]), *about, cwd=out)
        found = Path(out, "page", "summary.json")
        s = json.loads(found.read_text()) if found.is_file() else {}
    text = "error: which column is the outcome? visit (14.7 % of 1), conversion (0.9 % of 1): "
    guesses = {
        "arm": "segment",
        "control": "No E-Mail",
        "suspected": ["conversion", "spend"],
        "unused": [],
    }
    wrong = [name for name, value in guesses.items() if s.get(name) != value]
    effect, se = (s.get("any_effect", {}).get(name, np.nan) for name in ("effect", "se"))
    return [
        Part("no --outcome: exit 2 and the text", str(asked.returncode),
             asked.returncode == 2 and asked.stderr == f"{text}add --outcome visit\n"),
        Part("exit 0, all guesses, 2 treatments",
             f"{done.returncode} in {seconds:.0f} s, {', '.join(wrong) or 'right'}",
             done.returncode == 0 and not wrong and len(s["treatments"]) == 2),
        Part("effect 0.0609 ± 0.0005, s.e. 0.0028 ± 0.0002", f"{effect:.4f}, {se:.4f}",
             abs(effect - 0.0609) <= 0.0005 and abs(se - 0.0028) <= 0.0002),
    ]  # fmt: skip


def money() -> list[Part]:
    """3: profit of the returned rule on fresh customers."""
    parts = []
    for kind, how in WAYS.items():
        found = trials(kind)
        profit, best = (np.mean([t[name] for t in found]) for name in ("profit", "optimum"))
        beats = [t["profit"] > max(t["everybody"], 0) for t in found]
        said = f"{profit:.3f} of {best:.3f} = {profit / best:.2f}"
        parts += [
            Part(f"{how}: mean profit >= 0.85 of the optimum", said, profit >= 0.85 * best),
            counted(f"{how}: above everybody and nobody", beats, MOST),
            counted(f"{how}: 95 % interval covers", [covers(t) for t in found], MOST),
        ]
    found = trials("retail")
    profit, today = (np.mean([t[name] for t in found]) for name in ("profit", "today"))
    said = f"{profit:.3f}, {today:.3f}"
    return [*parts, Part("mean profit above today's practice", said, profit > today)]


def nothing_to_find() -> list[Part]:
    """4: one effect for all, or none."""
    same, none = trials("constant"), trials("none")
    return [
        counted("constant: cannot tell apart", [not t["tells"] for t in same], MOST),
        counted("constant: all or none", [t["rule"] in ("arm", "nobody") for t in same], MOST),
        counted("no effect: Treat nobody", [t["answer"] == "Treat nobody." for t in none], MOST),
    ]


def calibration() -> list[Part]:
    """5: predictions on fresh customers at face value."""
    parts = []
    for kind, how in WAYS.items():
        found = trials(kind)
        slopes = [t["slope"] for t in found]
        off = [abs(t["mean_predicted"] - t["mean_true"]) / t["effect_se"] for t in found]
        parts += [
            counted(f"{how}: slope in [0.7, 1.4]", [0.7 <= s <= 1.4 for s in slopes], MOST),
            counted(f"{how}: mean within 2 s.e.", [o <= 2 for o in off], MOST),
        ]
    return parts


def not_random() -> list[Part]:
    """6: arms by age; shares that differ by stratum."""
    chosen, strata = trials("chosen"), trials("strata")
    seen = [t["fair"] != "fair" and t["propensity"] == "estimate" for t in chosen]
    errors = np.array([t["effect"] - t["true_effect"] for t in strata])
    bound = 2 * errors.std(ddof=1) / np.sqrt(len(errors))
    suspected = ["has_app" in t["suspected"] for t in strata]
    return [
        counted("seen, e(x) used", seen, len(seen)),
        counted("interval covers", [covers(t) for t in chosen], MANY),
        counted("stratum not suspected", [not s for s in suspected], len(suspected)),
        Part("strata: mean error within 2 s.e.", f"{errors.mean():+.5f}, 2 s.e. {bound:.5f}",
             abs(errors.mean()) <= bound),
        *tests("test_texts.py::test_campaign[wrong shares]")(),
    ]  # fmt: skip


def tests(*names: str) -> Callable[[], list[Part]]:
    """A check that tests of this folder hold, long ones too."""

    def check() -> list[Part]:
        folder = Path(__file__).parent
        given = [sys.executable, "-m", "pytest", "-q", "-m", "", "-p", "no:cacheprovider"]
        given += [str(folder / name) for name in names]
        done = subprocess.run(given, cwd=folder.parents[2], capture_output=True, text=True)
        last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "no test ran"
        return [Part(", ".join(names), last.strip("= "), done.returncode == 0)]

    return check


CHECKS: dict[int, Callable[[], list[Part]]] = {
    1: retail_file,
    2: hillstrom,
    3: money,
    4: nothing_to_find,
    5: calibration,
    6: not_random,
    7: tests("test_texts.py"),
    8: tests("test_score.py"),
    9: tests("test_bundle.py"),
    10: tests("test_fit.py", "test_stopped.py"),
}


def main(numbers: Sequence[int]) -> int:
    """Print the table; 0 if all that could be checked holds."""
    good = True
    print("| check | asked | found | holds |\n|---|---|---|---|")
    for number in numbers or CHECKS:
        try:
            parts = CHECKS[number]()
        except Lacking as error:
            parts = [Part("", str(error), False)]
        for part in parts:
            good &= part.holds
            holds = "yes" if part.holds else "NO"
            print(f"| {number} | {part.asked} | {part.found} | {holds} |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]]))
