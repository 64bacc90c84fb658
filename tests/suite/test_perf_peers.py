"""The table of peers: its lines, its files and its gate."""

import json
from collections.abc import Iterator

import pytest

from suite.perf import __main__ as command
from suite.perf.peers import table
from suite.perf.peers.line import Line
from suite.perf.timing import best_seconds

FAST = Line("Trainer", "epoch", "plain torch", 9.0, "10 / 90 ms", "at least", 5.0, 8.0)
SLOW = Line("Trainer", "epoch", "plain torch", 4.0, "10 / 40 ms", "at least", 5.0, 8.0)
CLOSE = Line("Trainer", "epoch", "products", 1.8, "18 / 10 ms", "at most", 2.0, 1.5)
OPEN = Line("Learners", "fit", "econml", 0.2, "5 / 1 s")


def test_ratios_point_the_way_that_their_sense_says():
    fast = Line.at_least("Trainer", "epoch", "plain torch", (0.01, 0.09), 8.0)
    assert (fast.value, fast.detail) == (9.0, "10 / 90 ms")
    assert (fast.limit, fast.verdict) == (None, "goal met")
    share = Line.at_most("Trainer", "epoch", "products", (0.018, 0.01), 1.7, 1.5)
    assert share.value == pytest.approx(1.8)
    assert share.verdict == "FAILS"


@pytest.mark.parametrize(
    ("line", "passes", "verdict"),
    [(FAST, True, "goal met"), (SLOW, False, "FAILS"), (CLOSE, True, "goal missed"),
     (OPEN, True, "")],
)  # fmt: skip
def test_verdicts(line: Line, passes: bool, verdict: str) -> None:
    assert line.passes is passes
    assert line.verdict == verdict


def test_written_for_readers_and_programs(tmp_path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before " + " old ".join(table.MARKS) + " after")
    page, data, _ = table.write([FAST, CLOSE, OPEN], tmp_path, readme)
    assert "| epoch | products | 1.8 | ≤ 2 | ≤ 1.5 | goal missed | 18 / 10 ms |" in page.read_text()
    stored = json.loads(data.read_text())
    assert [line["value"] for line in stored["lines"]] == [9.0, 1.8, 0.2]
    assert table.read(tmp_path) == [FAST, CLOSE, OPEN]
    text = readme.read_text()
    assert text.startswith("before <!--")
    assert text.endswith("--> after")
    assert "old" not in text
    assert "| epoch | products | 1.8 | ≤ 2 | ≤ 1.5 |" in text
    assert {"numpy", "torch"} <= set(stored["origin"]["versions"])


def test_the_readme_shows_the_table_of_record() -> None:
    assert table.short(table.read()) in table.README.read_text()


@pytest.mark.parametrize(("lines", "status"), [([FAST, CLOSE], 0), ([FAST, SLOW], 1)])
def test_the_gate(lines, status, monkeypatch, capsys) -> None:
    monkeypatch.setattr(table, "gate", lambda: lines)
    monkeypatch.setattr(table, "write", lambda lines: pytest.fail("the gate writes nothing"))
    assert command.main(["peers", "--check"]) == status
    assert ("beyond its limit: epoch beside plain torch" in capsys.readouterr().err) is bool(status)


@pytest.mark.parametrize(("again", "counts"), [(FAST, FAST), (SLOW, SLOW)])
def test_what_is_beyond_its_limit_is_measured_once_more(again, counts, monkeypatch) -> None:
    turns = iter([[CLOSE, SLOW], [CLOSE, again]])
    monkeypatch.setattr("suite.perf.peers.trainer.lines", lambda: next(turns))
    monkeypatch.setattr("suite.perf.peers.networks.lines", list)
    monkeypatch.setattr("suite.perf.peers.measure.lines", list)
    assert table.gate() == [CLOSE, counts]
    assert next(turns, None) is None  # and no third time


def test_contestants_take_turns() -> None:
    calls: list[str] = []
    best = best_seconds({n: lambda n=n: calls.append(n) for n in "ab"}, rounds=3)
    assert calls == list("ab" * 4)  # one round to warm up
    assert all(seconds >= 0 for seconds in best.values())


def test_the_least_time_counts() -> None:
    def burn(times: Iterator[int]) -> None:
        sum(range(next(times)))

    sizes = iter([10, 4_000_000, 10, 4_000_000])
    best = best_seconds({"varying": lambda: burn(sizes)}, rounds=3)
    full = best_seconds({"full": lambda: sum(range(4_000_000))}, rounds=1)
    assert best["varying"] < full["full"] / 10
