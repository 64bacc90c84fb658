"""What the records say about the paper's claims (rules S4 to S7, S9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suite.compare import contrasts
from suite.compare.claims import CLAIMS, REGRET, Claim, Contrast, Measure
from suite.compare.contrasts import CONTRADICTED, INCOMPLETE, SUPPORTED
from suite.compare.paired import Estimate, holm, signed_rank
from suite.compare.resplits import between_sets
from suite.compare.runs import Frame
from suite.compare.strata import relative, stratified
from suite.compare.units import LEAST_DRAWS
from suite.compare.verdicts import NOT_YET_RUN, TOO_FEW
from suite.plan import paper

Frames = Callable[[str], Frame]  # the column of an experiment


@dataclass(frozen=True)
class Finding:
    """One contrast on our records; no estimate where there are too few common replicates."""

    contrast: Contrast
    n: int  # replicates in common, the fewest of its experiments
    estimate: Estimate | None = None
    p_wilcoxon: float | None = None  # for the reader: the paper names this test
    ahead: int | None = None  # experiments in which `high` has the higher mean


@dataclass(frozen=True)
class Outcome:
    """One claim in one measure."""

    claim: Claim
    measure: Measure
    findings: tuple[Finding, ...]
    interim: bool
    judged: contrasts.Judged | None = None  # from the contrasts that can be tested
    p: float | None = None  # for the claim and against it, Holm over the claims
    p_against: float | None = None

    @property
    def tested(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.estimate is not None]

    @property
    def missing(self) -> list[Contrast]:
        """The contrasts that the records cannot test yet."""
        return [finding.contrast for finding in self.findings if finding.estimate is None]

    @property
    def verdict(self) -> str:
        """The word; what is not complete can be contradicted, but not supported."""
        if self.judged is None:
            return NOT_YET_RUN if all(f.n == 0 for f in self.findings) else TOO_FEW
        word = contrasts.verdict(self.judged, self.p, self.p_against)
        if self.missing and word != CONTRADICTED:
            few = all(f.n > 0 for f in self.findings)
            return TOO_FEW if few else f"{INCOMPLETE}, so far {word}"
        if word == SUPPORTED and self.judged.gain:
            word = f"{word} (gain below {self.measure.margin:g})"
        return f"{word} (interim)" if self.interim else word

    @property
    def weakest(self) -> Finding | None:
        """The contrast that decides: the least gain, or for a claim of no gain the greatest."""
        if not self.tested:
            return None
        if self.claim.kind == "superior":
            return max(self.tested, key=lambda f: f.estimate.p_above())
        return max(self.tested, key=lambda f: f.estimate.upper())


def judge_all(frames: Frames, claims: Sequence[Claim] = CLAIMS) -> list[list[Outcome]]:
    """Every claim in each of its measures, p-values corrected over the claims of a measure.

    Measures that only one claim uses are corrected together with q_adj, the paper's measure.
    """
    outcomes = [
        [_outcome(claim, measure, frames) for measure in claim.measures] for claim in claims
    ]
    for truth in (False, True):
        family = [
            (i, j)
            for i, row in enumerate(outcomes)
            for j, outcome in enumerate(row)
            if (outcome.measure is REGRET) == truth and outcome.judged is not None
        ]
        judged = [outcomes[i][j].judged for i, j in family]
        adjusted = zip(
            family, holm([g.p for g in judged]), holm([g.p_against for g in judged]), strict=True
        )
        for (i, j), p, p_against in adjusted:
            outcomes[i][j] = replace(outcomes[i][j], p=p, p_against=p_against)
    return outcomes


def _outcome(claim: Claim, measure: Measure, frames: Frames) -> Outcome:
    findings = tuple(_finding(contrast, measure, frames) for contrast in claim.contrasts)
    estimates = [finding.estimate for finding in findings if finding.estimate is not None]
    planned = {frames(name).planned for c in claim.contrasts for name in c.experiments}
    fewest = min((finding.n for finding in findings), default=0)
    return Outcome(
        claim,
        measure,
        findings,
        interim=fewest < max(planned, default=0),
        judged=contrasts.weigh(claim.kind, estimates, measure.margin) if estimates else None,
    )


def _finding(contrast: Contrast, measure: Measure, frames: Frames) -> Finding:
    high, low = paper.method_of(contrast.high), paper.method_of(contrast.low)
    if contrast.low_experiment is not None:
        a = _series(frames(contrast.experiments[0]), high, measure)
        b = _series(frames(contrast.low_experiment), low, measure)
        n = min(len(a), len(b))
        if n < LEAST_DRAWS:
            return Finding(contrast, n)
        return Finding(contrast, n, between_sets(list(a.values()), list(b.values())))
    differences, scales = [], []
    for name in contrast.experiments:
        source = frames(name)
        a, b = _series(source, high, measure), _series(source, low, measure)
        common = sorted(a.keys() & b.keys())
        differences.append(np.array([a[r] - b[r] for r in common]))
        oracle = [run.oracle_q for r, run in source.runs.get(high or "", {}).items() if r in common]
        scales.append(float(np.mean(oracle)) if oracle and None not in oracle else 1.0)
    n = min(map(len, differences))
    if n < LEAST_DRAWS:
        return Finding(contrast, n)
    if len(differences) == 1:
        return Finding(contrast, n, Estimate.of(differences[0]), signed_rank(differences[0]))
    ahead = sum(bool(d.mean() > 0) for d in differences)
    return Finding(contrast, n, stratified(relative(differences, scales)), ahead=ahead)


def _series(source: Frame, method: str | None, measure: Measure) -> dict[int, float]:
    runs = source.runs.get(method or "", {})
    found = {replicate: measure.number(run) for replicate, run in runs.items()}
    return {replicate: value for replicate, value in found.items() if value is not None}
