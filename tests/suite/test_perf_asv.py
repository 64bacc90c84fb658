"""asv, really run: on small benchmarks of the tests' own, and on those of the suite."""

import json
import sys
from pathlib import Path

import pytest

import baselines
from suite.compute import environment
from suite.names import UserError
from suite.perf import __main__ as command
from suite.perf import asv_runs, report
from suite.perf.asv_runs import Number

BENCHMARKS = """
class Small:
    params = ([1, 2],)
    rounds, repeat, number, warmup_time = 1, 3, 1, 0.0

    def time_sum(self, size):
        sum(range(100_000 * size))


def track_constant():
    return 42.0

track_constant.unit = "q points"
"""
FAILING = """

def track_failing():
    raise RuntimeError("this one fails")
"""


@pytest.fixture
def own_benchmarks(tmp_path, monkeypatch):
    """A function that puts benchmarks in the place of the suite's."""

    def use(text: str) -> Path:
        folder = tmp_path / "benchmarks"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "own.py").write_text(text)
        config = json.loads(asv_runs.CONFIG.read_text())
        config |= {name: f"asv/{name}" for name in ("results_dir", "html_dir", "env_dir")}
        path = tmp_path / "asv.conf.json"
        path.write_text(json.dumps(config))
        monkeypatch.setattr(asv_runs, "CONFIG", path)
        monkeypatch.setattr(asv_runs, "AT_LEAST", 3)
        return tmp_path / "asv"

    return use


def test_a_run_gives_every_number_and_a_record_with_versions(own_benchmarks, tmp_path, capfd):
    kept = own_benchmarks(BENCHMARKS)
    numbers = asv_runs.run(tmp_path / "raw")
    assert [n.name for n in numbers] == [
        "own.Small.time_sum(1)", "own.Small.time_sum(2)", "own.track_constant",
    ]  # fmt: skip
    one, two, constant = numbers
    assert 0 < one.value < two.value
    assert constant == Number("own.track_constant", 42.0, "q points")
    text = asv_runs.record(tmp_path / "raw").read_text()
    stored = json.loads(text)
    assert stored["commit_hash"] == asv_runs.head_commit()
    assert stored["params"]["numpy"] == environment.versions()["numpy"]
    assert str(Path(sys.executable).parent) not in text
    assert asv_runs.asv(["publish"], kept / "results_dir") == 0
    assert "own.track_constant" in (kept / "html_dir" / "index.json").read_text()


def test_a_failing_benchmark_fails_the_command(own_benchmarks, capfd):
    own_benchmarks(BENCHMARKS + FAILING)
    assert command.main([]) == 1
    assert "3 of 4 benchmarks gave a number" in capfd.readouterr().out


def test_a_filter_chooses(own_benchmarks, capfd):
    own_benchmarks(BENCHMARKS + FAILING)
    assert command.main(["--bench", r"time_sum\(2"]) == 0
    assert "1 of 1 benchmarks gave a number" in capfd.readouterr().out


def test_a_filter_that_matches_nothing_fails(own_benchmarks, capfd):
    own_benchmarks(BENCHMARKS)
    assert command.main(["--bench", "no_such"]) == 2
    assert "no benchmark matches 'no_such'" in capfd.readouterr().err


def test_benchmarks_that_cannot_be_imported_fail(own_benchmarks, capfd):
    own_benchmarks("import no_such_module")
    assert command.main([]) == 2
    assert "could not read the benchmarks" in capfd.readouterr().err


def test_too_few_benchmarks_fail(own_benchmarks, monkeypatch, tmp_path, capfd):
    own_benchmarks(BENCHMARKS)
    monkeypatch.setattr(asv_runs, "AT_LEAST", 4)
    with pytest.raises(UserError, match="asv ran 3 benchmarks"):
        asv_runs.run(tmp_path / "raw")


def test_code_of_another_folder_is_measured(own_benchmarks, tmp_path, capfd):
    """What --against relies on: the benchmarks import the packages of the folder given."""
    own_benchmarks("import twin\n\ndef track_which():\n    return twin.MARK\n")
    (tmp_path / "code" / "twin").mkdir(parents=True)
    (tmp_path / "code" / "twin" / "__init__.py").write_text("MARK = 7")
    (number,) = asv_runs.run(tmp_path / "raw", code=tmp_path / "code", pattern="which")
    assert number.value == 7


def test_every_method_has_benchmarks():
    from suite.perf.benchmarks.methods import Method

    assert list(Method.params[0]) == list(baselines.methods())


@pytest.mark.parametrize(
    ("before", "after", "unit", "verdict"),
    [
        (0.010, 0.020, "seconds", "worse"),
        (0.020, 0.010, "seconds", "better"),
        (0.010, 0.011, "seconds", ""),
        (0.0001, 0.0003, "seconds", ""),  # three times as slow, and nobody would notice
        (100 * 1024**2, 200 * 1024**2, "bytes", "worse"),
        (1.0, 1.5, "q points", "worse"),
        (0.010, None, "seconds", "failed"),
        (None, 0.010, "seconds", ""),
    ],
)
def test_a_change_counts_by_ratio_and_difference(before, after, unit, verdict):
    assert report.Change("x", unit, before, after).verdict == verdict


def test_what_was_measured_twice_counts_by_its_least():
    first = [Number("a", 3.0, "seconds"), Number("b", 1.0, "seconds"), Number("c", None, "seconds")]
    second = [Number("a", 2.0, "seconds"), Number("c", 5.0, "seconds")]
    assert [n.value for n in report.least(first, second)] == [2.0, 1.0, 5.0]


def test_unknown_commit(capsys):
    assert command.main(["--against", "no-such-commit"]) == 2
    assert "no-such-commit" in capsys.readouterr().err


@pytest.mark.slow
def test_a_commit_against_itself(capfd):
    assert command.main(["--against", "HEAD", "--bench", "data|measure"]) == 0
    assert "0 worse" in capfd.readouterr().out
