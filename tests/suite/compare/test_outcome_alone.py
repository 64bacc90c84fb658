"""The sentence on the ranking that never saw the treatment."""

from pathlib import Path

from suite.publish.columns import Published
from suite.show.tables.outcome_alone import outcome_alone
from suite.show.tables.real import t4
from tests.suite.made import made_column


def test_the_sentence_comes_with_the_records(tmp_path: Path) -> None:
    assert outcome_alone(Published(tmp_path)) is None
    made_column(tmp_path, "hillstrom", ["outcome-ranking"], replicates=3, variant=None)
    alone = outcome_alone(Published(tmp_path))
    assert "on hillstrom (3 of 20 re-splits)." in alone
    assert "paper prints" not in alone  # it has no such data
    rows = ["outcome-ranking", "twin-512-structured"]
    made_column(tmp_path, "criteo-100k", rows, replicates=6, variant=None)
    full = outcome_alone(Published(tmp_path))
    assert "on criteo-100k (6 of 20 re-splits); the paper prints a q_adj of 0.19" in full
    assert "Our structured network is" in full
    assert full in t4(Published(tmp_path)).notes
