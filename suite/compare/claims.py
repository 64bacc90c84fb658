"""The paper's claims as data, each with its test over our replicates."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from suite.compare import means as compare
from suite.compare import stats
from suite.plan import paper
from suite.plan.experiments import SCENARIOS
from suite.publish.columns import Published
from suite.records import Record

SUPPORTED, NOT_SHOWN, CONTRADICTED = "supported", "not shown", "contradicted"
TOO_FEW, INCOMPLETE = "too few replicates", "incomplete"
LEVEL = 0.05

# Rows of the paper's tables, as `Method.paper_row` has them.
STRUCTURED = "Twin_NN 512 structured"
PLAIN = "Twin_NN 512"
NETWORKS = tuple(f"Twin_NN {size}" for size in ("64", "128", "2p+1", "256", "512"))
TWO_LAYERS = "Twin_NN 2 hidden layers (p+1, p)"
FORESTS = (
    "Causal Forest",
    "Causal Forest (Honest)",
    "Uplift Random Forest (KL)",
    "Uplift Random Forest (ED)",
)
LEARNERS = tuple(f"{kind}-Learner ({base})" for kind in "RX" for base in ("lasso", "XGboost"))
BENCHMARKS = ("Qini-based", *FORESTS, *LEARNERS)
TWINS = ("Twin_mu", *NETWORKS, STRUCTURED, TWO_LAYERS)


@dataclass(frozen=True)
class Contrast:
    """`high` is said to exceed `low` in a number, over the replicates of some experiments."""

    high: str
    low: str
    number: Callable[[Record], float | None] = compare.q_adj
    experiments: tuple[str, ...] = ("scenario4",)
    low_experiments: tuple[str, ...] | None = None  # where `low` is taken elsewhere: not paired


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and the contrasts that it comes to.

    `significant`: every contrast has to be significant (one-sided, Holm over the claim). Without
    it the claim is that there is no significant gain: it stands unless one is found.
    """

    text: str
    contrasts: tuple[Contrast, ...]
    significant: bool = True
    measured: str = "q_adj"


def m_hat(record: Record) -> float | None:
    return record.m_hat


def overfit(record: Record) -> float:
    """What is lost from training to test rows."""
    return record.train.q_adj - record.test.q_adj


def _each(
    highs: tuple[str, ...], lows: tuple[str, ...], experiments: tuple[str, ...] = ("scenario4",)
) -> tuple[Contrast, ...]:
    return tuple(
        Contrast(high, low, experiments=experiments)
        for high in highs
        for low in lows
        if high != low
    )


def _in_every(highs: tuple[str, ...], lows: tuple[str, ...]) -> tuple[Contrast, ...]:
    return tuple(c for name in SCENARIOS for c in _each(highs, lows, (name,)))


def _criteo(number: Callable[[Record], float | None], rising: bool) -> tuple[Contrast, ...]:
    sizes = ("criteo-100k", "criteo-1m", "criteo-4m")
    return tuple(
        Contrast(STRUCTURED, STRUCTURED, number, *((b,), (a,)) if rising else ((a,), (b,)))
        for a, b in pairwise(sizes)
    )


T1_STRUCTURED_ONLY, T1_STRUCTURED_L2, T1_L2 = (
    "structured=Yes, R=0",
    "structured=Yes, R=L2",
    "structured=No, R=L2",
)
REFITS = tuple(f"refit m={m} {penalty}" for m in (218, 340) for penalty in ("L2", "L1"))

CLAIMS = (
    Claim(
        "The structured twin network beats all other methods in scenario 4, significantly.",
        _each((STRUCTURED,), (*NETWORKS, TWO_LAYERS, "Twin_mu", "Logistic", *BENCHMARKS)),
    ),
    Claim(
        "The twin models outperform random forests in all scenarios.",
        _in_every(TWINS, FORESTS),
    ),
    Claim(
        "Logistic is in general the worst method (over the four scenarios together).",
        _each((*TWINS, *BENCHMARKS), ("Logistic",), SCENARIOS),
    ),
    Claim(
        "The honest forest is the best of the other benchmarks in scenario 4.",
        _each(("Causal Forest (Honest)",), BENCHMARKS),
    ),
    Claim(
        "The honest forest overfits less than the other forests in scenario 4.",
        tuple(
            Contrast(low, "Causal Forest (Honest)", overfit)
            for low in FORESTS
            if low != "Causal Forest (Honest)"
        ),
        measured="training q_adj minus test q_adj",
    ),
    Claim(
        "L1 regularisation beats L2, with and without structured sparsity.",
        (Contrast(PLAIN, T1_L2), Contrast(STRUCTURED, T1_STRUCTURED_L2)),
    ),
    Claim(
        "Structured sparsity together with L1 is the best of the five combinations.",
        _each((STRUCTURED,), (PLAIN, T1_L2, T1_STRUCTURED_ONLY, T1_STRUCTURED_L2)),
    ),
    Claim(
        "Structured sparsity alone prunes more nodes than with L1 or L2.",
        (
            Contrast(STRUCTURED, T1_STRUCTURED_ONLY, m_hat),
            Contrast(T1_STRUCTURED_L2, T1_STRUCTURED_ONLY, m_hat),
        ),
        measured="m_hat",
    ),
    Claim(
        "Refitting with m_hat nodes does not improve on the structured network with L1.",
        _each(REFITS, (STRUCTURED,)),
        significant=False,
    ),
    Claim(
        "In scenario 3 R-XGBoost is not significantly above the two-layer twin.",
        _each(("R-Learner (XGboost)",), (TWO_LAYERS,), ("scenario3",)),
        significant=False,
    ),
    Claim(
        "A second hidden layer does not improve significantly on one of 512 nodes.",
        _in_every((TWO_LAYERS,), (STRUCTURED,)),
        significant=False,
    ),
    Claim(
        "Larger CRITEO samples score higher.",
        _criteo(compare.q_adj, rising=True),
    ),
    Claim(
        "Larger CRITEO samples prune more nodes.",
        _criteo(m_hat, rising=False),
        measured="m_hat",
    ),
)


@dataclass(frozen=True)
class Finding:
    """One contrast on our records."""

    contrast: Contrast
    n: int
    difference: float
    p: float  # one-sided: high > low
    p_reverse: float  # one-sided: high < low
    p_holm: float = 1.0


@dataclass(frozen=True)
class Verdict:
    """What our records say about a claim."""

    claim: Claim
    verdict: str
    findings: tuple[Finding, ...] = field(default_factory=tuple)
    missing: int = 0  # contrasts without records


def judge(claim: Claim, published: Published, variant: str) -> Verdict:
    """The verdict on one claim, from the published records of `variant`."""
    found = [_finding(contrast, published, variant) for contrast in claim.contrasts]
    findings = [finding for finding in found if finding is not None]
    missing = len(found) - len(findings)
    if not findings:
        return Verdict(claim, compare.NOT_YET_RUN, missing=missing)
    adjusted = stats.holm([finding.p for finding in findings])
    findings = [replace(f, p_holm=p) for f, p in zip(findings, adjusted, strict=True)]
    verdict = _verdict(claim, findings)
    if missing and verdict != CONTRADICTED:  # the others could still contradict it
        verdict = INCOMPLETE
    return Verdict(claim, verdict, tuple(findings), missing)


def _verdict(claim: Claim, findings: list[Finding]) -> str:
    # With n pairs the least p that a signed-rank test can give is 2^-n.
    if len(findings) * 2.0 ** -min(finding.n for finding in findings) >= LEVEL:
        return TOO_FEW
    gains = [finding.p_holm < LEVEL for finding in findings]
    if not claim.significant:
        return CONTRADICTED if any(gains) else SUPPORTED
    if all(gains):
        return SUPPORTED
    reverse = stats.holm([finding.p_reverse for finding in findings])
    return CONTRADICTED if any(p < LEVEL for p in reverse) else NOT_SHOWN


def _finding(contrast: Contrast, published: Published, variant: str) -> Finding | None:
    low_experiments = contrast.low_experiments or contrast.experiments

    def series(row: str, experiments: tuple[str, ...]) -> dict[tuple[str, int], float]:
        """The number of one row by (experiment, replicate)."""
        values = {}
        for name in experiments:
            source = published.column(name, variant if name in SCENARIOS else None)
            for record in source.of(paper.method_of(row)):
                value = contrast.number(record) if record.ok else None
                if value is not None:
                    values[name, record.replicate] = value
        return values

    high = series(contrast.high, contrast.experiments)
    low = series(contrast.low, low_experiments)
    if contrast.low_experiments is not None:
        if not high or not low:
            return None
        a, b = list(high.values()), list(low.values())
        tests = [stats.rank_sum(a, b, side) for side in ("greater", "less")]
        return Finding(contrast, min(len(a), len(b)), float(np.mean(a) - np.mean(b)), *tests)
    common = sorted(set(high) & set(low))
    if {name for name, _ in common} != set(contrast.experiments):
        return None  # a claim about all of them is not judged on some of them
    differences = np.array([high[cell] - low[cell] for cell in common])
    tests = [stats.signed_rank(differences, side) for side in ("greater", "less")]
    return Finding(contrast, len(common), float(differences.mean()), *tests)
