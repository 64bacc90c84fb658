"""Small method files of a user's own, and a run of the real command line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suite.compute.cell import Result
from suite.plan.digest import ROOT
from suite.store.record import Record
from suite.store.store import Store

SLOPE = '''
import numpy as np
from baselines import Method


class Slope(Method):
    """Covariance of outcome and covariates, treated minus control, plus seeded noise."""

    name = "slope"

    def _fit(self, train, valid, seed):
        arm = train.treatment == 1
        self.w = train.X[arm].T @ train.y[arm] - train.X[~arm].T @ train.y[~arm]
        self.w = self.w + np.random.default_rng(seed).normal(size=len(self.w))
        self.settings_ = {"length": np.float64(np.linalg.norm(self.w)), "limit": np.inf}
        self.n_active_nodes_ = int((self.w > 0).sum())

    def _predict(self, X):
        return X @ self.w / 1e4


class Steep(Slope):
    name = "steep"


class Refit(Slope):
    """Starts from what slope found."""

    name = "refit"
    upstream = "slope"

    def _fit(self, train, valid, seed):
        super()._fit(train, valid, seed)
        keep = np.argsort(self.w)[-self.upstream_result["n_active_nodes"] :]
        self.w = np.where(np.isin(np.arange(len(self.w)), keep), self.w, 0)
        self.settings_["from"] = self.upstream_result["settings"]["length"]
'''

WAIT = '''
import time
from baselines import Method


class Wait(Method):
    """Takes a while, so that a run can be caught in the middle."""

    name = "wait"

    def _fit(self, train, valid, seed):
        time.sleep(0.7)

    def _predict(self, X):
        return X[:, 0]
'''

FAULTS = """
import os
import time
import numpy as np
from baselines import Method


class First(Method):
    def _predict(self, X):
        return X[:, 0]


class Raises(First):
    name = "raises"

    def _fit(self, train, valid, seed):
        raise RuntimeError("the sky fell")


class Hangs(First):
    name = "hangs"

    def _fit(self, train, valid, seed):
        time.sleep(1000)


class Hungry(First):
    name = "hungry"

    def _fit(self, train, valid, seed):
        held = []
        while True:
            held.append(np.ones(1_000_000))


class Dies(First):
    name = "dies"

    def _fit(self, train, valid, seed):
        os.abort()


class NotInstalled(First):
    name = "not-installed"
    requires = ("nothing_like_it",)

    def _fit(self, train, valid, seed):
        pass


class AfterRaises(First):
    name = "after-raises"
    upstream = "raises"

    def _fit(self, train, valid, seed):
        pass
"""


@pytest.fixture(scope="session")
def method_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Method files by name: slope (three quick methods), wait, faults."""
    folder = tmp_path_factory.mktemp("methods")
    files = {"slope": SLOPE, "wait": WAIT, "faults": FAULTS}
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return {name: folder / f"{name}.py" for name in files}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 128 kB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


Start = Callable[..., subprocess.Popen]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start `python -m suite.run ...` as a process of its own."""

    def begin(*arguments: object, cwd: Path = tmp_path) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "suite.run", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A shell in the background passes an ignored SIGINT on; a terminal does not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    return begin


def lines(store: Path) -> list[dict]:
    """Every line of a store, raw."""
    return [
        json.loads(line)
        for path in sorted(store.glob("*/*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def records(store: Path, folder: str = "scenario4-printed-quick") -> dict[tuple[str, int], Record]:
    """The records of a store by (method, replicate)."""
    return {(r.method, r.replicate): r for r in Store(store).records(folder)}


def numbers(store: Path) -> dict[tuple[str, int], Result | None]:
    """What must not depend on how a store was made."""
    return {cell: record.result for cell, record in records(store).items()}
