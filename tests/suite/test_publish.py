"""Publishing, verifying and attesting, in a git checkout of its own where it matters."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from suite.names import UserError
from suite.plan.cell import key_of
from suite.plan.digest import PACKAGES, ROOT
from suite.publish import attest, attested, merge, predictions
from suite.publish.attested import Attestation, Attested
from suite.publish.audit import kept_arrays
from suite.publish.columns import Published
from suite.publish.merge import publish
from suite.publish.verify import judge
from suite.store.record import Record
from suite.store.store import Store, predictions_path, write_records
from suite.store.version1 import known_digests, old_line
from tests.suite.made import made_column, made_record, of_other_code

FOLDER = "scenario4-printed"


@pytest.fixture
def run_store(tmp_path: Path) -> Store:
    """Records as a run leaves them: two methods, three replicates."""
    made_column(tmp_path / "runs", "scenario4", ["r-lasso", "x-lasso"], replicates=3)
    return Store(tmp_path / "runs")


@pytest.fixture
def any_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up records name no commit of this repository."""
    monkeypatch.setattr(merge.Commits, "objection", lambda *_: None)


def append(store: Store, record: Record) -> None:
    with store.writing() as writer:
        writer.append(record)


@pytest.mark.usefixtures("any_commit")
def test_publishing_is_idempotent(run_store: Store, tmp_path: Path) -> None:
    root = tmp_path / "published"
    assert list(publish(run_store, root)) == [f"{FOLDER}: 6 cells published"]
    before = {path: path.read_bytes() for path in root.rglob("*.jsonl")}
    assert list(publish(run_store, root)) == ["nothing new"]
    assert {path: path.read_bytes() for path in root.rglob("*.jsonl")} == before


@pytest.mark.usefixtures("any_commit")
def test_uncommitted_quick_and_foreign_cells_are_refused(run_store: Store, tmp_path: Path) -> None:
    append(run_store, made_record(replicate=7, origin={"dirty": True}))
    append(run_store, made_record(replicate=8, origin={"commit": None}))
    append(run_store, made_record("mine", replicate=0))
    quick = made_record()
    cell = replace(quick.cell, quick=True, column=f"{FOLDER}-quick")
    append(run_store, replace(quick, cell=cell, key=key_of(cell, quick.basis)))
    seed = replace(quick.cell, seed=1, data=replace(quick.cell.data, replicate=9))
    append(run_store, replace(quick, cell=seed, key=key_of(seed, quick.basis)))
    root = tmp_path / "published"
    messages = "\n".join(publish(run_store, root))
    for words in (
        *("uncommitted", "outside a git checkout", "mine is not a method", "quick run"),
        "its seed 1 is not the plan's",
    ):
        assert words in messages
    assert {r.replicate for r in Store(root).records(FOLDER)} == {0, 1, 2}


def test_the_commit_of_a_record_must_exist_and_hold_its_code(
    run_store: Store, tmp_path: Path
) -> None:
    messages = "\n".join(publish(run_store, tmp_path / "published"))
    assert "its commit 0123456789ab is not in this repository" in messages
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    if not head:
        pytest.skip("not a git checkout")
    store = Store(tmp_path / "forged")
    append(store, of_other_code(made_record(origin={"commit": head})))
    messages = "\n".join(publish(store, tmp_path / "published"))
    assert "digests are not those of the code of its commit" in messages


@pytest.mark.parametrize("words", ["--output={}", "HEAD", "0123456789abcdef"])
def test_a_commit_is_a_full_name_and_no_option_of_git(words: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    store = Store(tmp_path / "forged")
    append(store, made_record(origin={"commit": words.format(victim)}))
    (message,) = publish(store, tmp_path / "published")
    assert "is not the name of a commit" in message
    assert victim.read_text() == "mine"


def test_a_damaged_file_of_predictions_is_named(tmp_path: Path) -> None:
    record = made_record()
    path = predictions_path(tmp_path, record)
    path.parent.mkdir(parents=True)
    np.savez_compressed(path, test=np.arange(1000.0))
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(UserError, match=f"{path.name} is damaged .*move it away"):
        kept_arrays(tmp_path, record)
    published = tmp_path / "hillstrom" / "predictions" / "twin-mu.npz"
    published.parent.mkdir(parents=True)
    path.replace(published)
    (problem,) = predictions.problems(Published(tmp_path))
    assert "twin-mu.npz is damaged" in problem


@pytest.mark.usefixtures("any_commit")
def test_a_success_replaces_a_failure_and_today_s_code_replaces_what_is_stale(
    run_store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "published"
    list(publish(run_store, root))
    stale = of_other_code(made_record("r-lasso", 3, candidates=99))
    append(run_store, stale)
    append(run_store, made_record("r-lasso", 4, error="it broke"))
    list(publish(run_store, root))
    published = {r.replicate: r for r in Store(root).records(FOLDER) if r.method == "r-lasso"}
    assert published[3] == stale
    assert not published[4].ok  # a failure is a row, never a hole
    append(run_store, made_record("r-lasso", 4))
    made_column(tmp_path / "later", "scenario4", ["r-lasso"], replicates=4)
    list(publish(run_store, root))
    list(publish(Store(tmp_path / "later"), root))
    published = {r.replicate: r for r in Store(root).records(FOLDER) if r.method == "r-lasso"}
    assert published[3].result.candidates == 3
    assert published[4].ok


@pytest.mark.usefixtures("any_commit")
def test_other_numbers_under_a_published_key_are_pointed_out(
    run_store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "published"
    list(publish(run_store, root))
    store = Store(tmp_path / "other")
    append(store, made_record("r-lasso", 0, candidates=4))
    (message,) = publish(store, root)
    assert "r-lasso, replicate 0 has other numbers" in message
    assert {r.result.candidates for r in Store(root).records(FOLDER)} == {3}


def test_judging_a_number_that_was_computed_again() -> None:
    before = made_record()
    assert judge(before, before).said == "identical"
    other = made_record(candidates=4)
    assert not judge(before, other).holds
    assert judge(before, other).said.startswith("NOT REPRODUCED")
    elsewhere = replace(other, origin=replace(other.origin, arithmetic="another kernel"))
    # Without predictions a number that is printed alike holds, and no other.
    assert judge(before, elsewhere).holds
    assert "no predictions were kept" in judge(before, elsewhere).said
    moved = replace(before.test, q_adj=before.test.q_adj + 0.1)
    moved = replace(elsewhere, result=replace(elsewhere.result, test=moved))
    assert not judge(before, moved).holds
    assert "NOT COMPARED" in judge(before, moved).said
    scores = made_record().result.curve.gain
    near = (np.array(scores), np.array(scores) + 1e-6)
    found = judge(before, elsewhere, near)
    assert found.holds
    assert "Spearman 1.0000" in found.said
    assert not judge(before, elsewhere, (near[0], -near[0])).holds
    assert not judge(before, made_record(error="it broke")).holds


def test_every_carried_record_gives_its_old_line_back() -> None:
    """The published records of the first format, character by character, seal included."""
    carried, store = 0, Store(ROOT / "results" / "records")
    for column in store.columns():
        for record in store.records(column):
            if record.origin.carried is not None:
                again = Record.parse(old_line(record))
                assert again.result == record.result
                assert again.origin.carried.checksum == record.origin.carried.checksum
                carried += 1
    assert carried
    assert known_digests()


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
    monkeypatch.setattr(attest.environment, "git_state", lambda: ("0123abcd", False))
    for name, variant in (("scenario4", "printed"), ("scenario1", "printed"), ("minute", None)):
        records = [
            of_other_code(made_record("r-lasso", replicate, experiment=name, variant=variant))
            for replicate in range(2)
        ]
        write_records(tmp_path / records[0].cell.column / "r-lasso.jsonl", records)
    return tmp_path


def test_one_rerun_attests_every_record_of_the_same_code(
    stale_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def recompute(column, records, jobs):
        runs.append((column.name, [record.method for record in records]))
        return list(records), {}

    monkeypatch.setattr(attest, "recompute", recompute)
    file = stale_records / "attested.jsonl"
    (message,) = attest.attest(stale_records, file)
    assert "identical today; 6 records attested" in message
    assert len(runs) == 1  # the scenarios are one state of code
    known = Attested(attested.read(file))
    published = Published(stale_records, known)
    for name, variant in (("scenario4", "printed"), ("scenario1", "printed"), ("minute", None)):
        assert published.column(name, variant).stale == ()
    assert list(attest.attest(stale_records, file)) == ["nothing is stale"]


def test_a_rerun_that_differs_or_fails_attests_nothing_and_says_why(
    stale_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = stale_records / "attested.jsonl"
    for changes, words in (
        ({"candidates": 4}, "differs today; 6 records stay stale"),
        ({"error": "Traceback\nDataFileError: not here"}, "cannot be computed now"),
    ):
        monkeypatch.setattr(
            attest, "recompute", lambda c, r, jobs, changes=changes: ([made_record(**changes)], {})
        )
        (message,) = attest.attest(stale_records, file)
        assert words in message
    assert not file.exists()


def test_attestations_are_sealed_and_chain(tmp_path: Path) -> None:
    file = tmp_path / "attested.jsonl"
    a, b, c = (("a",) * 3, ("b",) * 3, ("c",) * 3)
    for old, new in ((a, b), (b, c)):
        attested.add(Attestation("r-lasso", old, new, FOLDER, 0, "k", "abc", "v3"), file)
    known = Attested(attested.read(file))
    assert known.equal("r-lasso", a, c)
    assert not known.equal("r-lasso", c, a)
    assert not known.equal("x-lasso", a, c)  # shown for another method
    file.write_text(file.read_text().replace('"b"', '"d"'))
    with pytest.raises(attested.BrokenAttestation, match="line 1"):
        attested.read(file)


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
    assert "clean git checkout" in run("suite", "attest").stderr
    run("git", "commit", "-qam", "change")
    attested_now = run("suite", "attest")
    assert attested_now.stdout.count("2 records attested") == 2, (
        attested_now.stdout + attested_now.stderr
    )
    run("suite", "tables")
    assert run("suite", "tables", "--check", "--strict").returncode == 0

    # A change that moves a number is not attested.
    text = path.read_text()
    assert "default_rng(seed)" in text
    path.write_text(text.replace("default_rng(seed)", "default_rng(seed + 1)"))
    run("git", "commit", "-qam", "another change")
    attested_now = run("suite", "attest")
    assert "random, replicate 0: differs today" in attested_now.stdout, attested_now.stdout
    assert "oracle, replicate 0: identical today" in attested_now.stdout
