"""A data set of a user's own, from the file that `python -m datasets new` writes to the table."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suite.cli import FAILURES
from suite.plan.digest import ROOT
from suite.store.store import Store

CHEAP = (
    *("random", "r-lasso", "x-lasso", "qini-based", "outcome-ranking", "s-learner"),
    *("logistic", "twin-mu", "twin-mu-exact", "twin-64", "causal-forest-honest"),
)


def python(folder: Path, *words: str, code: int = 0) -> str:
    """What `python -m ...` prints, typed in `folder`; it must end with `code`."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_from_a_new_file_to_the_table(tmp_path: Path) -> None:
    python(tmp_path, "datasets", "new", "my_data.py")
    command = ("suite.run", "--data", "my_data.py", "--quick", "--replicates", "1")
    said = python(tmp_path, *command, "--methods", *CHEAP)
    rows = dict(re.findall(r"^ ([a-z0-9-]+) +(-?\d+\.\d+) ", said, re.MULTILINE))
    assert set(rows) == set(CHEAP)
    assert "data: invented rows" in said
    records = {r.method: r for r in Store(tmp_path / "runs").records("my-data-quick")}
    assert set(records) == set(CHEAP)
    for method, text in rows.items():  # the table shows what is recorded
        assert round(records[method].test.q_adj, 3) == float(text)
    assert len({record.result.data_sha256 for record in records.values()}) == 1
    # The same command again computes nothing; an edit of the file makes all of it other cells.
    again = python(tmp_path, *command, "--methods", "random")
    assert "1 recorded already" in again
    file = tmp_path / "my_data.py"
    file.write_text(file.read_text().replace("n = 4000", "n = 3000"))
    assert "recorded already" not in python(tmp_path, *command, "--methods", "random")


def test_methods_that_saw_other_rows_are_not_compared_in_silence(tmp_path: Path) -> None:
    python(tmp_path, "datasets", "new", "my_data.py")
    file, seed = tmp_path / "my_data.py", tmp_path / "seed.txt"
    seed.write_text("0")
    text = file.read_text()
    assert "default_rng(0)" in text
    file.write_text(text.replace("default_rng(0)", f"default_rng(int(open({str(seed)!r}).read()))"))
    command = ("suite.run", "--data", "my_data.py", "--replicates", "1", "--methods", "random")
    assert "other rows" not in python(tmp_path, *command)
    seed.write_text("1")
    said = python(tmp_path, *command, "r-lasso", code=1)
    assert "replicate 0: random saw other rows than r-lasso" in said
    assert "other rows" not in python(tmp_path, *command, "r-lasso", "--fresh")


def test_a_data_set_is_not_called_as_an_experiment(tmp_path: Path) -> None:
    python(tmp_path, "datasets", "new", "my_data.py")
    file = tmp_path / "my_data.py"
    file.write_text(file.read_text().replace('"my-data"', '"minute"'))
    said = python(tmp_path, "suite.run", "--data", "my_data.py", "--dry-run", code=2)
    assert "is called 'minute', as an experiment is; rename it" in said


@pytest.mark.parametrize(
    ("note", "code", "said"),
    [
        ("7", FAILURES, "what was measured cannot be recorded: note is '7'; it must be a text"),
        (r'"a\x1b[2Jb\x1b]0;owned\x07"', 0, "data: a\ufffd[2Jb\ufffd]0;owned\ufffd"),
    ],
)
def test_row_50_and_10_a_note_of_any_content_is_shown_or_a_failed_row(
    note: str, code: int, said: str, tmp_path: Path
) -> None:
    python(tmp_path, "datasets", "new", "my_data.py")
    file = tmp_path / "my_data.py"
    file.write_text(file.read_text().replace('note = "invented rows"', f"note = {note}"))
    command = ("suite.run", "--data", "my_data.py", "--quick", "--replicates", "1")
    shown = python(tmp_path, *command, "--methods", "random", code=code)
    assert said in shown
    assert not {"\x1b", "\x07"} & set(shown)
