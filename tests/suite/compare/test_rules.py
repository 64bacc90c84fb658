"""The rules of one cell, one column and one claim, each on its worked example."""

import math

import numpy as np
import pytest
from scipy import stats

from suite.compare import audit, best, contrasts, pairs, power, ranks, units, verdicts
from suite.compare.contrasts import CONTRADICTED, NOT_SHOWN, SUPPORTED, UNDECIDED, weigh
from suite.compare.paired import Estimate, holm, signed_rank
from suite.compare.verdicts import AGREES, HIGHER, LOWER, TOO_FEW

NARROW = [3.0, 3.4, 2.8, 3.2, 3.1]
AUDIT_ROWS = [[2.6, 3.0, 3.4, 2.8, 3.2], [2.7, 3.0, 3.5, 3.0, 3.3]]
UP, FLAT, DOWN = (
    [0.3, 0.5, 0.4, 0.2, 0.6],
    [-0.1, 0.2, -0.3, 0.2, 0.2],
    [-0.3, -0.5, -0.4, -0.2, -0.6],
)


def decide(kind: contrasts.Kind, *series: list[float], margin: float = 0.0) -> str:
    return contrasts.verdict(weigh(kind, [Estimate.of(s) for s in series], margin))


class TestUnits:
    """S0."""

    def test_all_rows_share_their_replicates(self) -> None:
        runs = {"a": set(range(20)), "b": set(range(20))}
        assert units.common_replicates(runs) == set(range(20))

    def test_one_late_row_does_not_take_the_others_down(self) -> None:
        runs = {name: set(range(20)) for name in "abc"} | {"late": set(range(5))}
        assert units.common_replicates(runs) == set(range(20))

    def test_many_rows_outweigh_a_few_long_ones(self) -> None:
        runs = {f"m{i}": set(range(10)) for i in range(10)} | {"long": set(range(20))}
        assert units.common_replicates(runs) == set(range(10))

    def test_a_few_long_rows_do_not_take_the_others_down(self) -> None:
        runs = {f"m{i}": set(range(5)) for i in range(20)}
        runs |= {f"long {i}": set(range(20)) for i in range(8)}  # 8 x 20 fields against 28 x 5
        assert units.common_replicates(runs) == set(range(5))

    def test_five_are_preferred_to_more_rows_with_four(self) -> None:
        runs = {f"m{i}": set(range(4)) for i in range(30)} | {"a": set(range(6))}
        assert units.common_replicates(runs) == set(range(6))

    def test_too_few_everywhere_still_compares_on_common_ones(self) -> None:
        assert units.common_replicates({"a": {0, 1, 2}, "b": {1, 2, 3}, "c": {1, 2}}) == {1, 2}
        assert units.common_replicates({"a": set()}) == set()

    def test_every_shown_row_has_all_of_them(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(50):
            runs = {str(i): set(np.flatnonzero(rng.random(12) < 0.7)) for i in range(6)}
            chosen = units.common_replicates(runs)
            assert any(chosen <= own for own in runs.values())

    def test_variants_with_the_same_data_count_once(self) -> None:
        cells = {
            ("scenario2", 100, "printed"): ("d1", 0.3),
            ("scenario2", 100, "released"): ("d1", 0.3),
            ("scenario2", 100, "centred"): ("d2", 0.1),
            ("scenario2", 101, "printed"): ("d3", 0.4),
        }
        found = units.draw_means(cells)["scenario2"]
        assert found == pytest.approx({100: 0.2, 101: 0.4})


class TestVerdicts:
    """S1."""

    def test_worked_example(self) -> None:
        assert verdicts.cell_verdict(NARROW, 2.83).word == AGREES
        assert verdicts.cell_verdict(NARROW, 2.83).half_width == pytest.approx(0.3104, abs=5e-5)
        assert verdicts.cell_verdict(NARROW, 2.19).word == HIGHER
        assert verdicts.cell_verdict(NARROW, 3.58).word == LOWER
        wide = verdicts.cell_verdict([2.0, 4.0, 3.0, 3.5, 2.5], 2.83)
        assert wide.word == verdicts.UNDECIDED
        assert wide.half_width == pytest.approx(1.0975, abs=5e-5)
        assert verdicts.cell_verdict(NARROW[:4], 2.83).word == TOO_FEW

    def test_five_per_cent_of_true_agreements_are_called_otherwise(self) -> None:
        rng = np.random.default_rng(1)
        ours = rng.normal(3, 0.4, (4000, 8))
        papers = rng.normal(3, 0.4, (4000, 20)).mean(axis=1)
        words = [verdicts.cell_verdict(a, b).word for a, b in zip(ours, papers, strict=True)]
        assert np.mean([w in (HIGHER, LOWER) for w in words]) == pytest.approx(0.05, abs=0.012)


class TestRanks:
    """S2."""

    def test_worked_example(self) -> None:
        line = ranks.rank_line([1, 2, 4, 3], [1, 2, 3, 4])
        assert (line.r, line.p, line.least_p) == pytest.approx((0.8, 4 / 24, 1 / 24))

    def test_three_rows_are_too_few(self) -> None:
        line = ranks.rank_line([1, 2, 3], [1, 2, 3])
        assert line.p == pytest.approx(1 / 6)
        assert "too few rows" in ranks.sentence(line, None)

    def test_many_rows_are_permuted_by_seed(self) -> None:
        rng = np.random.default_rng(2)
        ours, paper = rng.normal(size=(2, 12))
        line = ranks.rank_line(ours, paper)
        assert line == ranks.rank_line(ours, paper)
        r, p = stats.spearmanr(ours, paper, alternative="greater")
        assert line.r == pytest.approx(r)
        assert line.p == pytest.approx(p, abs=0.02)
        assert ranks.rank_line(ours, ours).p == pytest.approx(1 / 10_001)

    def test_rows_apart_agree_with_themselves(self) -> None:
        rng = np.random.default_rng(3)
        apart = np.arange(6)[:, None] + 0.01 * rng.normal(size=(6, 20))
        assert ranks.self_agreement(apart) == ranks.SelfAgreement(1.0, 1.0)
        equal = rng.normal(size=(6, 20))
        assert ranks.self_agreement(equal).low < 0.5

    def test_the_sentence_tells_when_the_order_differs(self) -> None:
        line = ranks.rank_line([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
        assert "differs beyond" in ranks.sentence(line, ranks.SelfAgreement(0.9, 0.6))
        same = ranks.rank_line([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
        assert "no difference" in ranks.sentence(same, ranks.SelfAgreement(0.9, 0.6))


class TestAudit:
    """S3."""

    def test_worked_example(self) -> None:
        near = audit.hotelling(AUDIT_ROWS, (2.83, 2.91))
        assert (near.t2, near.p) == pytest.approx((1.84, 0.5669), abs=5e-5)
        far = audit.hotelling(AUDIT_ROWS, (2.4, 3.2))
        assert (far.t2, far.p) == pytest.approx((392.4211, 0.0010), abs=5e-5)
        assert near.log_density - far.log_density == pytest.approx(10.5444, abs=5e-5)

    def test_one_row_is_the_t_test(self) -> None:
        fit = audit.hotelling([NARROW], [2.83])
        half = verdicts.cell_verdict(NARROW, 2.83).half_width
        t = (np.mean(NARROW) - 2.83) / (half / stats.t.ppf(0.975, 4))
        assert fit.p == pytest.approx(2 * stats.t.sf(t, 4))

    def test_findings(self) -> None:
        def finding(**p: float) -> str:
            fits = {n: audit.Fit(20, 0.0, v, math.log(v)) for n, v in p.items()}
            return audit.judge(fits).finding

        assert finding(printed=0.001, centred=0.4) == "only centred is compatible"
        undecided = finding(printed=0.1, released=0.3, centred=0.001)
        assert undecided.startswith("undecided between printed and released")
        assert "released 0.75" in undecided
        assert finding(printed=0.001, centred=0.002) == "none; least bad centred"
        # Holm: 0.03 alone of three is not enough.
        assert (
            "printed"
            in audit.judge(
                {
                    n: audit.Fit(20, 0.0, p, 0.0)
                    for n, p in [("printed", 0.03), ("x", 0.5), ("y", 0.6)]
                }
            ).compatible
        )

    def test_needs_more_replicates_than_rows(self) -> None:
        with pytest.raises(ValueError, match="needs more than 2"):
            audit.hotelling([[1.0, 2.0], [2.0, 1.0]], [1, 1])


class TestContrasts:
    """S4, S5."""

    def test_superior(self) -> None:
        other = [0.1, 0.2, 0.3, 0.2, 0.2]
        assert decide("superior", UP, other) == SUPPORTED
        both = weigh("superior", [Estimate.of(UP), Estimate.of(other)])
        assert both.p == pytest.approx(0.0024, abs=5e-5)
        assert decide("superior", UP, FLAT) == NOT_SHOWN
        flat = weigh("superior", [Estimate.of(UP), Estimate.of(FLAT)])
        assert flat.p == pytest.approx(0.3587, abs=5e-5)
        assert decide("superior", UP, DOWN) == CONTRADICTED

    @pytest.mark.parametrize(
        ("series", "bound", "word"),
        [
            ([0.1, -0.1, 0.05, -0.05, 0.0], 0.0754, SUPPORTED),
            (UP, 0.5507, CONTRADICTED),
            ([-0.6, 0.8, 0.1, -0.3, 0.5], 0.6435, UNDECIDED),
        ],
    )
    def test_no_gain(self, series: list[float], bound: float, word: str) -> None:
        judged = weigh("no gain", [Estimate.of(series)], 0.2)
        assert judged.bound == pytest.approx(bound, abs=5e-5)
        assert contrasts.verdict(judged) == word
        # The bound and the p-value are one test.
        assert (judged.p < 0.05) == (judged.bound < 0.2)

    def test_a_gain_below_the_margin_is_said(self) -> None:
        judged = weigh("no gain", [Estimate.of([0.05, 0.06, 0.04, 0.05, 0.05])], 0.2)
        assert contrasts.verdict(judged) == SUPPORTED
        assert judged.gain

    def test_similar(self) -> None:
        assert decide("similar", [0.1, -0.1, 0.05, -0.05, 0.0], margin=0.2) == SUPPORTED
        assert decide("similar", UP, margin=0.2) == CONTRADICTED
        assert decide("similar", FLAT, margin=0.2) == UNDECIDED

    def test_adjusted_p_values_decide(self) -> None:
        judged = weigh("superior", [Estimate.of(UP)])
        assert contrasts.verdict(judged, p=0.2, p_against=1.0) == NOT_SHOWN

    def test_t_test_is_scipy_s(self) -> None:
        expected = stats.ttest_1samp(FLAT, 0, alternative="greater").pvalue
        assert Estimate.of(FLAT).p_above() == pytest.approx(expected)
        assert Estimate.of(FLAT).p_below() == pytest.approx(1 - expected)
        low, high = Estimate.of(FLAT).interval()
        ends = stats.ttest_1samp(FLAT, 0).confidence_interval()
        assert (low, high) == pytest.approx((ends.low, ends.high))

    def test_one_difference_has_no_test(self) -> None:
        with pytest.raises(ValueError, match="at least 2"):
            Estimate.of([0.3])

    def test_holm(self) -> None:
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.01, 0.04, 0.03])[1] == pytest.approx(0.06)
        assert holm([0.9, 0.9]) == [1.0, 1.0]
        assert holm([]) == []


class TestBest:
    """S13."""

    def test_worked_example(self) -> None:
        rows = {"a": [3.5, 3.6, 3.4, 3.7], "b": [3.4, 3.65, 3.3, 3.75], "c": [2.9, 3.1, 2.8, 3.2]}
        assert best.best_set(rows) == {"a", "b"}

    def test_nothing_is_best_where_nothing_is_worse(self) -> None:
        assert best.best_set({"a": [3.5, 3.6, 3.4], "b": [3.4, 3.65, 3.3]}) == set()
        assert best.best_set({"a": [3.5, 3.6]}) == set()

    def test_the_best_of_equals_is_lucky(self) -> None:
        assert best.luck_of_the_best(18, 0.33, 4) == pytest.approx(0.21, abs=0.005)
        assert best.luck_of_the_best(18, 0.33, 20) == pytest.approx(0.09, abs=0.005)


class TestPower:
    """S14."""

    def test_worked_examples(self) -> None:
        asked = [(0.2, 0.33), (0.2, 0.45), (0.1, 0.08), (0.2, 0.2)]
        assert [power.replicates(*pair) for pair in asked] == [19, 33, 6, 8]

    def test_detectable_is_the_inverse(self) -> None:
        effect = power.detectable(0.33, 19)
        assert 0.19 < effect <= 0.2
        assert power.power(effect, 0.33, 19) == pytest.approx(0.8)


class TestPairs:
    """S15."""

    def test_untested_pairs_do_not_count(self) -> None:
        rng = np.random.default_rng(4)
        series = {
            "a": dict(enumerate(rng.normal(1.0, 0.3, 8))),
            "b": dict(enumerate(rng.normal(0.0, 0.3, 8))),
            "few": dict(enumerate(rng.normal(0.0, 0.3, 4))),
        }
        found = pairs.all_pairs(series)
        assert found["a", "b"].p_holm == found["a", "b"].p
        assert found["a", "few"].p is None
        assert found["a", "few"].n == 4
        differences = [series["a"][i] - series["b"][i] for i in range(8)]
        assert found["a", "b"].p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
        assert found["a", "b"].p_wilcoxon == signed_rank(differences)

    def test_re_splits_are_not_independent(self) -> None:
        rng = np.random.default_rng(5)
        a, b = (dict(enumerate(own)) for own in rng.normal(0, 1, (2, 20)))
        free, tied = pairs.compare_pair(a, b), pairs.compare_pair(a, b, resplits=True)
        widths = [pair.high - pair.low for pair in (free, tied)]
        assert widths[1] == pytest.approx(4 * widths[0])  # sqrt(1 + 20 * 0.75)
        assert tied.p > free.p
        assert tied.p_wilcoxon is None

    def test_nothing_differs(self) -> None:
        same = dict.fromkeys(range(6), 1.0)
        pair = pairs.compare_pair(same, same)
        assert (pair.wins, pair.ties, pair.losses, pair.p) == (0, 6, 0, 1.0)
        assert pairs.compare_pair({0: 1.0}, {1: 1.0}) is None
