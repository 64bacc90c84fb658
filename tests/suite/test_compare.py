"""Verdicts, paired statistics and claims against their rules."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from suite.compare import claims, stats
from suite.compare.means import AGREES, DIFFERS, NOT_YET_RUN, SAME_RANKING, TOO_FEW, Mean, verdicts
from suite.plan.paper import Printed, printed, rows, scenario_value, text
from suite.publish.columns import Published
from suite.show.tables.entries import Entry, best_rows
from tests.suite.made import made_column


def test_verdicts_follow_the_rule() -> None:
    papers = {
        name: Printed(value, 0.1) for name, value in zip("abcdef", range(6, 0, -1), strict=True)
    }
    ours = {
        "a": Mean(6.2, 0.05, 20),  # |0.2| <= 2 sqrt(0.05^2 + 0.1^2) = 0.2236
        "b": Mean(5.5, 0.05, 20),  # 0.5 off, rank 2 stays 2
        "c": Mean(0.5, 0.05, 20),  # rank 3 falls to 5, of the five that ran
        "d": Mean(4.5, None, 1),
        "e": None,
        "f": Mean(5.0, 0.05, 20),  # rank 5 of five rises to 3
    }
    found = verdicts(ours, papers)
    assert found["a"] == AGREES
    assert found["b"] == SAME_RANKING
    assert found["c"] == SAME_RANKING
    assert found["d"] == TOO_FEW
    assert found["e"] == NOT_YET_RUN
    assert verdicts({**ours, "f": Mean(9.0, 0.05, 20)}, papers)["f"] == DIFFERS


def test_mean_and_standard_error() -> None:
    mean = Mean.of([1.0, 2.0, 4.0])
    assert mean.value == pytest.approx(7 / 3)
    assert mean.error == pytest.approx(np.std([1, 2, 4], ddof=1) / math.sqrt(3))
    assert Mean.of([]) is None
    assert Mean.of([1.0]).error is None


def exact_signed_rank(differences: np.ndarray) -> float:
    """Two-sided p by listing all signs."""
    ranks = np.argsort(np.argsort(abs(differences))) + 1
    seen = ranks[differences > 0].sum()
    total = ranks.sum()
    extreme = max(seen, total - seen)
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s)
        for signs in itertools.product((0, 1), repeat=len(ranks))
    ]
    return sum(max(s, total - s) >= extreme for s in sums) / len(sums)


@pytest.mark.parametrize("seed", range(4))
def test_signed_rank_is_the_exact_test(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.4, 1, 9)
    assert stats.signed_rank(differences) == pytest.approx(exact_signed_rank(differences))


def test_nothing_differs() -> None:
    pair = stats.compare_pair([1.0, 2.0], [1.0, 2.0])
    assert (pair.p, pair.wins, pair.ties, pair.losses) == (1.0, 0, 2, 0)
    assert stats.compare_pair([], []) is None


def test_holm_steps_down() -> None:
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.9, 0.9]) == [1.0, 1.0]
    assert stats.holm([]) == []


def test_the_bootstrap_interval_is_seeded_and_covers_the_mean() -> None:
    differences = np.random.default_rng(1).normal(0.3, 1, 20)
    low, high = stats.bootstrap_interval(differences)
    assert (low, high) == stats.bootstrap_interval(differences)
    assert low < differences.mean() < high
    half = 1.96 * differences.std(ddof=1) / math.sqrt(20)
    assert high - low == pytest.approx(2 * half, rel=0.15)


def test_printed_values_come_from_the_file() -> None:
    assert printed("T1", "structured=Yes, R=L1", "q_adj") == Printed(3.58, 0.1, True)
    assert printed("T1-text", "refit m=218 L2", "q_adj") == Printed(2.80, 0.1)
    assert printed("T5", "Logistic", "Test") == Printed(0.021, 0.007)
    assert scenario_value("Twin_mu", "scenario2") == Printed(2.32, 0.15)
    assert scenario_value("structured=No, R=L2", "scenario4") == Printed(3.15, 0.1)
    assert scenario_value("structured=No, R=L2", "scenario3") is None
    assert len(rows("T7")) == 18
    assert text("T3", "Twin_NN 512 structured", "m_hat/m") == "340/512"


def test_every_claim_names_rows_of_the_paper() -> None:
    known = {row for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7") for row in rows(table)}
    for claim in claims.CLAIMS:
        for contrast in claim.contrasts:
            assert {contrast.high, contrast.low} <= known, claim.text


def finding(difference: float, p: float, n: int = 20) -> claims.Finding:
    return claims.Finding(claims.Contrast("a", "b"), n, difference, p, 1 - p, p)


@pytest.mark.parametrize(
    ("significant", "findings", "expected"),
    [
        (True, [finding(1, 0.001), finding(1, 0.01)], claims.SUPPORTED),
        (True, [finding(1, 0.001), finding(1, 0.3)], claims.NOT_SHOWN),
        (True, [finding(1, 0.001), finding(-1, 0.999)], claims.CONTRADICTED),
        (False, [finding(1, 0.3)], claims.SUPPORTED),
        (False, [finding(1, 0.001)], claims.CONTRADICTED),
        (True, [finding(1, 0.001, n=3)], claims.TOO_FEW),
    ],
)
def test_verdicts_on_claims(
    significant: bool, findings: list[claims.Finding], expected: str
) -> None:
    claim = claims.Claim("text", tuple(f.contrast for f in findings), significant)
    assert claims._verdict(claim, findings) == expected


def test_a_claim_with_contrasts_not_run_is_incomplete(tmp_path: Path) -> None:
    """Unless those that have run contradict it already."""
    made_column(tmp_path, "scenario4", ["r-lasso", "x-lasso"], replicates=8)
    published = Published(tmp_path)
    run = claims.Contrast("R-Learner (lasso)", "X-Learner (lasso)")
    waiting = claims.Contrast("R-Learner (lasso)", "Logistic")
    for significant in (True, False):
        claim = claims.Claim("text", (run, waiting), significant)
        verdict = claims.judge(claim, published, "printed")
        assert (verdict.verdict, verdict.missing) == (claims.INCOMPLETE, 1)


def test_the_best_row_is_named_on_common_replicates() -> None:
    """A row with few and lucky replicates does not win against rows with many."""

    def best(values: dict[str, dict[int, float]]) -> set[str]:
        mean = Mean(0.0, None, 1)
        return best_rows(
            {
                row: Entry(row, row, (), mean, None, "", stale=False, by_replicate=own)
                for row, own in values.items()
            }
        )

    many = {0: 5.0, 1: 5.0, 2: 1.0, 3: 1.0}
    assert best({"few": {0: 4.0, 1: 4.0}, "many": many}) == {"many"}
    assert best({"few": {0: 6.0}, "many": many}) == set()  # one replicate in common
    assert best({"a": many, "b": many}) == {"a", "b"}
    assert best({"Oracle (true uplift)": {0: 9.0, 1: 9.0}, "many": many}) == {"many"}
    assert best({}) == set()
