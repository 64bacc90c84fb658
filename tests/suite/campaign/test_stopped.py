"""One answer however it is computed: killed and resumed, with one process or two, or stopped."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.suite.campaign.retail import retail, written

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


def command(out: Path, jobs: int) -> subprocess.Popen:
    """A campaign of two methods, started as a user would."""
    given = [sys.executable, "-m", "suite", "campaign", str(out.parent / "campaign.csv")]
    given += ["--value", "30", "--cost", "1", "--methods", "r-lasso", "twin-mu-exact"]
    given += ["--folds", "3", "--time", "1h", "--jobs", str(jobs), "--out", str(out)]
    # Tests that run in the background of a shell ignore Ctrl-C, and hand that on.
    return subprocess.Popen(given, cwd=ROOT, preexec_fn=_heed_ctrl_c)


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def in_the_middle(started: subprocess.Popen, out: Path) -> None:
    """Wait until some units are done and others are not."""
    while len(list((out / "units").glob("*.npz"))) < 8:
        assert started.poll() is None, "it ended before it could be stopped"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("stopped")
    written(retail(4000), folder / "campaign.csv")
    return folder


def said(out: Path) -> dict:
    """The summary, less what belongs to one run."""
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    summary.pop("this_run")
    return summary


@pytest.fixture(scope="module")
def plain(folder) -> dict:
    assert command(folder / "one", 1).wait() == 0
    return said(folder / "one")


def test_two_processes_say_the_same(folder, plain):
    assert command(folder / "two", 2).wait() == 0
    assert said(folder / "two") == plain
    files = [(folder / name / "model.uplift").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


def test_killed_and_resumed_it_says_the_same(folder, plain):
    out = folder / "killed"
    started = command(out, 1)
    in_the_middle(started, out)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert not (out / "summary.json").exists()
    assert command(out, 2).wait() == 0
    assert said(out) == plain


def test_ctrl_c_is_exit_130_and_the_same_command_goes_on(folder, plain):
    out = folder / "interrupted"
    started = command(out, 1)
    in_the_middle(started, out)
    started.send_signal(signal.SIGINT)
    assert started.wait(timeout=60) == 130
    assert command(out, 1).wait() == 0
    assert said(out) == plain
