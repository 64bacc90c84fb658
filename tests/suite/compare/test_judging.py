"""Claims on frames: complete, interim, incomplete; S6, S7 and the correction over claims."""

import numpy as np
import pytest

from suite.compare import claims, judging
from suite.compare.claims import CLAIMS, Q_ADJ, Claim, Contrast
from suite.compare.paired import Estimate
from suite.compare.runs import Frame
from suite.compare.verdicts import NOT_YET_RUN, TOO_FEW
from suite.plan import paper
from suite.plan.paper import rows
from tests.suite.compare.made_runs import made_frame

R, X, LOGISTIC = "R-Learner (lasso)", "X-Learner (lasso)", "Logistic"
NOISE = np.array([0.1, -0.1, 0.05, -0.05, 0.0, 0.02, -0.02, 0.01])


def outcome(frame: Frame, *contrasts: Contrast, kind: str = "superior") -> judging.Outcome:
    claim = Claim("text", contrasts, kind, measures=(Q_ADJ,))
    return judging.judge_all(lambda name: frame, [claim])[0][0]


def test_every_claim_names_rows_of_the_paper() -> None:
    known = {row for table in ("T1", "T1-text", "T2", "T3", "T3-text", "T7") for row in rows(table)}
    for claim in CLAIMS:
        for contrast in claim.contrasts:
            assert {contrast.high, contrast.low} <= known, claim.text
            assert paper.method_of(contrast.high), contrast.high
    assert len(CLAIMS) == 13


def test_a_complete_claim_is_supported_and_its_reverse_contradicted() -> None:
    frame = made_frame({"r-lasso": 3 + NOISE, "x-lasso": 2 - NOISE})
    assert outcome(frame, Contrast(R, X)).verdict == "supported"
    assert outcome(frame, Contrast(X, R)).verdict == "contradicted"
    assert outcome(frame, Contrast(R, X), kind="no gain").verdict == "contradicted"
    assert outcome(frame, Contrast(X, R), kind="no gain").verdict == "supported"


def test_below_the_planned_replicates_it_is_interim() -> None:
    frame = made_frame({"r-lasso": 3 + NOISE[:6], "x-lasso": 2 - NOISE[:6]})
    assert outcome(frame, Contrast(R, X)).verdict == "supported (interim)"
    few = made_frame({"r-lasso": 3 + NOISE[:4], "x-lasso": 2 - NOISE[:4]})
    assert outcome(few, Contrast(R, X)).verdict == TOO_FEW
    assert outcome(few, Contrast(LOGISTIC, X)).verdict == NOT_YET_RUN


def test_what_is_incomplete_can_only_be_contradicted() -> None:
    frame = made_frame({"r-lasso": 3 + NOISE, "x-lasso": 2 - NOISE})
    waiting = Contrast(R, LOGISTIC)
    assert outcome(frame, Contrast(R, X), waiting).verdict == "incomplete, so far supported"
    found = outcome(frame, Contrast(X, R), waiting).verdict
    assert found == "contradicted (interim)"  # one contrast has no replicate yet


def test_a_small_certain_gain_is_said() -> None:
    frame = made_frame({"r-lasso": 2.05 + 0.1 * NOISE, "x-lasso": np.full(8, 2.0)})
    found = outcome(frame, Contrast(R, X), kind="no gain")
    assert found.verdict == "supported (gain below 0.2)"


def test_claims_are_corrected_together() -> None:
    """One claim that would be significant by itself is not among many."""
    frame = made_frame({"r-lasso": 3 + NOISE, "x-lasso": 3 + NOISE[::-1] - 0.07})
    one = Claim("text", (Contrast(R, X),), measures=(Q_ADJ,))
    alone = judging.judge_all(lambda name: frame, [one])[0][0]
    assert alone.judged.p == alone.p
    many = judging.judge_all(lambda name: frame, [one] * 13)[0][0]
    assert many.p == pytest.approx(min(1, 13 * alone.p))


def test_over_scenarios_each_counts_as_a_share_of_its_oracle() -> None:
    """A scenario with ten times the scale does not decide alone."""
    small = made_frame({"r-lasso": 1 + NOISE / 10, "x-lasso": np.full(8, 1.5)})
    large = made_frame({"r-lasso": 30 + NOISE, "x-lasso": np.full(8, 29.0)})
    large = Frame(8, tuple(_with_oracle(run, 50.0) for run in large.every_run))
    frames = {"scenario1": large, "scenario2": small}
    claim = Claim("text", (Contrast(R, X, ("scenario1", "scenario2")),), measures=(Q_ADJ,))
    found = judging.judge_all(lambda name: frames[name], [claim])[0][0]
    (finding,) = found.findings
    assert finding.estimate.mean == pytest.approx((1 / 50 - 0.5 / 5) / 2, abs=1e-2)
    assert finding.ahead == 1


def _with_oracle(run: object, oracle: float) -> object:
    from dataclasses import replace

    return replace(run, oracle_q=oracle)


def test_sizes_of_one_sample_are_not_paired() -> None:
    frames = {
        "criteo-100k": made_frame({"twin-512-structured": [0.2, 0.22, 0.18, 0.21, 0.19]}),
        "criteo-sample": made_frame({"twin-512-structured": [0.1, 0.12, 0.08, 0.11, 0.09]}),
    }
    contrast = Contrast(claims.STRUCTURED, claims.STRUCTURED, ("criteo-100k",), "criteo-sample")
    claim = Claim("text", (contrast,), measures=(Q_ADJ,))
    found = judging.judge_all(lambda name: frames[name], [claim])[0][0].findings[0]
    naive = Estimate.of(np.full(5, 0.1) + np.array([0.02, -0.02, 0.01, -0.01, 0.0]))
    assert found.estimate.mean == pytest.approx(0.1)
    assert found.estimate.error > 2 * naive.error
