"""Publishing, verifying and re-attesting, in a git checkout of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from suite.plan.digest import PACKAGES, ROOT
from suite.plan.experiments import EXPERIMENTS, Experiment
from suite.publish import merge as publish
from suite.publish import verify
from suite.publish.columns import Published
from suite.store.store import Store, write_records
from tests.suite.made import made_column, made_record

FOLDER = "scenario4-printed"


@pytest.fixture
def run_store(tmp_path: Path) -> Store:
    """Records as a run leaves them: two methods, three replicates."""
    made_column(tmp_path / "runs", "scenario4", ["r-lasso", "x-lasso"], replicates=3)
    return Store(tmp_path / "runs")


def append(store: Store, record) -> None:
    with store.writing() as writer:
        writer.append(FOLDER, record)


def test_publishing_is_idempotent(run_store: Store, tmp_path: Path) -> None:
    root = tmp_path / "published"
    assert publish.publish(run_store, root) == [f"{FOLDER}: 6 cells published"]
    before = {path: path.read_bytes() for path in root.rglob("*.jsonl")}
    assert publish.publish(run_store, root) == ["nothing new"]
    assert {path: path.read_bytes() for path in root.rglob("*.jsonl")} == before


def test_uncommitted_quick_and_foreign_cells_are_refused(run_store: Store, tmp_path: Path) -> None:
    append(run_store, made_record(replicate=7, key="a", dirty=True))
    append(run_store, made_record(replicate=8, key="b", commit=None))
    append(run_store, made_record("mine", replicate=0, key="c"))
    with run_store.writing() as writer:
        writer.append(f"{FOLDER}-quick", made_record(quick=True))
    root = tmp_path / "published"
    messages = "\n".join(publish.publish(run_store, root))
    for words in ("uncommitted", "outside a git checkout", "mine is not a method", "quick run"):
        assert words in messages
    assert {r.replicate for r in Store(root).records(FOLDER)} == {0, 1, 2}


def test_a_success_replaces_a_failure_and_today_s_code_replaces_what_is_stale(
    run_store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "published"
    publish.publish(run_store, root)
    stale = made_record("r-lasso", 3, key="of-other-code", candidates=99)
    append(run_store, stale)
    failed = made_record("r-lasso", 4, key="x", status="failed", error="it broke")
    append(run_store, failed)
    publish.publish(run_store, root)
    published = {r.replicate: r for r in Store(root).records(FOLDER) if r.method == "r-lasso"}
    assert published[3] == stale
    assert not published[4].ok  # a failure is a row, never a hole
    append(run_store, replace(failed, status="ok", error=None))
    made_column(tmp_path / "later", "scenario4", ["r-lasso"], replicates=4)
    publish.publish(run_store, root)
    publish.publish(Store(tmp_path / "later"), root)
    published = {r.replicate: r for r in Store(root).records(FOLDER) if r.method == "r-lasso"}
    assert published[3].candidates == 3
    assert published[4].ok


def test_judging_a_number_that_was_computed_again() -> None:
    before = made_record(cpu="one", versions={"numpy": "1"})
    assert verify.judge(before, before) == "identical"
    other = replace(before, test=replace(before.test, q=before.test.q + 0.01))
    assert verify.judge(before, other).startswith("NOT REPRODUCED")
    assert "within tolerance" in verify.judge(before, replace(other, cpu="two"))
    far = replace(other, cpu="two", test=replace(before.test, q=before.test.q + 3))
    assert verify.judge(before, far).startswith("NOT REPRODUCED")


Project = Callable[..., subprocess.CompletedProcess]


@pytest.fixture
def project(tmp_path: Path) -> tuple[Path, Project]:
    """A copy of the project in a git checkout of its own, and a way to run its commands."""
    root = tmp_path / "project"
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / ".gitignore").write_text("__pycache__/\nruns/\n.lock\n")

    def run(*command: str) -> subprocess.CompletedProcess:
        if command[0] == "git":
            command = ("git", "-c", "user.name=x", "-c", "user.email=x@x", *command[1:])
        else:
            command = (sys.executable, "-m", *command)
        return subprocess.run(
            command, cwd=root, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )  # fmt: skip

    run("git", "init", "-q")
    run("git", "add", ".")
    assert run("git", "commit", "-qm", "start").returncode == 0
    return root, run


@pytest.fixture
def stale_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two scenarios and another experiment, published before the code of their method changed."""
    monkeypatch.setattr(publish.environment, "git_state", lambda: ("0123abcd", False))
    for name, variant in (("scenario4", "printed"), ("scenario1", "printed"), ("minute", None)):
        made_column(tmp_path, name, ["r-lasso"], replicates=2, variant=variant)
        column = Published(tmp_path).column(name, variant)
        records = [
            replace(r, key="old", digest="-".join(["0" * 12, *digest.split("-")[1:]]))
            for r in column.records
            for digest in [publish.Stale(column, r).digest]
        ]
        write_records(tmp_path / column.folder / "r-lasso.jsonl", records)
    return tmp_path


def test_one_rerun_attests_all_scenarios_and_each_other_experiment(
    stale_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def rerun(experiment: Experiment, variant: str, methods: list[str], replicates: list) -> list:
        runs.append((experiment.name, methods, replicates))
        return [made_record(methods[0], replicates[0])]

    monkeypatch.setattr(publish, "rerun", rerun)
    messages = list(publish.reattest(stale_records))
    assert runs == [("scenario4", ["r-lasso"], [0]), ("minute", ["r-lasso"], [0])]
    assert [message.split("; ")[1] for message in messages] == [
        "4 records renewed",
        "2 records renewed",
    ]
    published = Published(stale_records)
    for name, variant in (("scenario4", "printed"), ("scenario1", "printed"), ("minute", None)):
        column = published.column(name, variant)
        assert len(column.records) == 2
        assert column.stale == ()
    assert published.column("scenario1", "printed").records[0].attested == {
        "commit": "0123abcd",
        "experiment": "scenario4-printed",
        "replicate": 0,
    }


def test_a_rerun_that_fails_attests_nothing_and_says_why(
    stale_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = {"status": "failed", "error": "Traceback\nDataFileError: not here"}
    monkeypatch.setattr(
        publish, "rerun", lambda e, v, methods, r: [made_record(methods[0], r[0], **failed)]
    )
    messages = list(publish.reattest(stale_records))
    assert all("cannot be computed now" in m and "not here" in m for m in messages)
    assert len(Published(stale_records).column("minute").stale) == 2


def test_verify_computes_published_cells_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def rerun(experiment: object, variant: str, methods: list[str], replicates: tuple) -> list:
        asked.extend((method, replicate) for method in methods for replicate in replicates)
        return []

    monkeypatch.setattr(verify, "rerun", rerun)
    cells = [("a", 0), ("a", 1), ("b", 0), ("c", 0), ("c", 1)]
    verify._rerun(EXPERIMENTS["minute"], None, cells)
    assert sorted(asked) == cells


@pytest.mark.slow
def test_from_a_run_to_published_tables_to_stale_to_attested(
    project: tuple[Path, Project],
) -> None:
    root, run = project
    fast = ("minute", "--methods", "oracle", "random", "--replicates", "2", "--jobs", "1")
    done = run("suite.run", *fast)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 cells published" in run("suite", "publish").stdout
    assert run("suite", "tables").returncode == 0
    assert run("suite", "tables", "--check", "--strict").returncode == 0
    # Published cells of today's code need no computing.
    reused = run("suite.run", *fast, "--reuse", "--store", "elsewhere")
    assert "4 recorded already" in reused.stdout

    verified = run("suite", "verify", "minute", "--methods", "random", "--replicates", "1")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "identical" in verified.stdout

    # A change of code makes its records stale, and is refused while it is not committed.
    path = root / "baselines" / "bounds.py"
    path.write_text(path.read_text() + "\nUNUSED = 1\n")
    assert run("suite", "tables", "--check", "--strict").returncode == 1
    assert "clean git checkout" in run("suite", "publish", "--reattest").stderr
    run("git", "commit", "-qam", "change")
    attested = run("suite", "publish", "--reattest")
    assert attested.stdout.count("2 records renewed") == 2, attested.stdout + attested.stderr
    run("suite", "tables")
    assert run("suite", "tables", "--check", "--strict").returncode == 0
    column = Published(root / "results" / "records").column("minute")
    assert all(record.attested["replicate"] == 0 for record in column.records)

    # A change that moves a number is not attested.
    text = path.read_text()
    assert "default_rng(seed)" in text
    path.write_text(text.replace("default_rng(seed)", "default_rng(seed + 1)"))
    run("git", "commit", "-qam", "another change")
    attested = run("suite", "publish", "--reattest")
    assert "random, replicate 0: differs today" in attested.stdout, attested.stdout
    assert "oracle, replicate 0: identical today" in attested.stdout
