"""The paper's claims as data: the sentence, the contrasts it comes to, and what kind it is."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from suite.compare.contrasts import Kind
from suite.compare.runs import Run
from suite.plan.experiments import EXPERIMENTS, SCENARIOS

# Rows of the paper's tables, as `Method.paper_row` has them.
STRUCTURED = "Twin_NN 512 structured"
PLAIN = "Twin_NN 512"
NETWORKS = tuple(f"Twin_NN {size}" for size in ("64", "128", "2p+1", "256", "512"))
TWO_LAYERS = "Twin_NN 2 hidden layers (p+1, p)"
HONEST = "Causal Forest (Honest)"
FORESTS = ("Causal Forest", HONEST, "Uplift Random Forest (KL)", "Uplift Random Forest (ED)")
LEARNERS = tuple(f"{kind}-Learner ({base})" for kind in "RX" for base in ("lasso", "XGboost"))
BENCHMARKS = ("Qini-based", *FORESTS, *LEARNERS)
TWINS = ("Twin_mu", *NETWORKS, STRUCTURED, TWO_LAYERS)
T1_STRUCTURED_ONLY, T1_STRUCTURED_L2, T1_L2 = (
    "structured=Yes, R=0",
    "structured=Yes, R=L2",
    "structured=No, R=L2",
)
REFITS = tuple(f"refit m={m} {penalty}" for m in (218, 340) for penalty in ("L2", "L1"))
CRITEO_SIZES = ("sample", "100k", "200k", "400k", "1m", "4m")  # 60K rows and up, nested
CRITEO = tuple(f"criteo-{size}" for size in CRITEO_SIZES if f"criteo-{size}" in EXPERIMENTS)


@dataclass(frozen=True)
class Measure:
    """A number of a run in which `high` is said to exceed `low`, and the margin of no gain."""

    name: str
    number: Callable[[Run], float | None]
    margin: float = 0.0


Q_ADJ = Measure("q_adj", lambda run: run.q_adj, margin=0.2)
# The oracle is the same for both rows, so a gain in true q is what regret falls by.
REGRET = Measure("regret", lambda run: run.true_q, margin=0.1)
NODES_LEFT = Measure("m_hat", lambda run: run.m_hat)
KEPT = Measure("test q_adj / training q_adj", lambda run: _ratio(run))


@dataclass(frozen=True)
class Contrast:
    """`high` is said to exceed `low`, over the replicates of one or more experiments.

    With several experiments it is a statement about them together (rule S7). `low_experiment`:
    `low` is taken on other data, so that nothing is paired (rule S9).
    """

    high: str
    low: str
    experiments: tuple[str, ...] = ("scenario4",)
    low_experiment: str | None = None


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and the contrasts that all have to hold."""

    text: str
    contrasts: tuple[Contrast, ...]
    kind: Kind = "superior"
    measures: tuple[Measure, ...] = (Q_ADJ, REGRET)


def _ratio(run: Run) -> float | None:
    """What is kept of q_adj from training to test rows."""
    return run.test.q_adj / run.train.q_adj if run.train.q_adj > 0 else None


def _each(
    highs: tuple[str, ...], lows: tuple[str, ...], experiments: tuple[str, ...] = ("scenario4",)
) -> tuple[Contrast, ...]:
    return tuple(Contrast(high, low, experiments) for high in highs for low in lows if high != low)


def _in_every(highs: tuple[str, ...], lows: tuple[str, ...]) -> tuple[Contrast, ...]:
    """Every scenario by itself: nothing is pooled (rule S6)."""
    return tuple(c for name in SCENARIOS for c in _each(highs, lows, (name,)))


def _criteo(rising: bool) -> tuple[Contrast, ...]:
    """Each size against the next; 60K, 200K and 400K rows are sizes that the paper has not."""
    pairs = ((b, a) if rising else (a, b) for a, b in pairwise(CRITEO))
    return tuple(Contrast(STRUCTURED, STRUCTURED, (high,), low) for high, low in pairs)


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
        _each((HONEST,), BENCHMARKS),
    ),
    Claim(
        "The honest forest overfits less than the other forests in scenario 4.",
        _each((HONEST,), FORESTS),
        measures=(KEPT,),
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
        _each((STRUCTURED, T1_STRUCTURED_L2), (T1_STRUCTURED_ONLY,)),
        measures=(NODES_LEFT,),
    ),
    Claim(
        "Refitting with m_hat nodes does not improve on the structured network with L1.",
        _each(REFITS, (STRUCTURED,)),
        kind="no gain",
    ),
    Claim(
        "In scenario 3 R-XGBoost is not significantly above the two-layer twin.",
        _each(("R-Learner (XGboost)",), (TWO_LAYERS,), ("scenario3",)),
        kind="no gain",
    ),
    Claim(
        "A second hidden layer does not improve significantly on one of 512 nodes.",
        _in_every((TWO_LAYERS,), (STRUCTURED,)),
        kind="no gain",
    ),
    Claim("Larger CRITEO samples score higher.", _criteo(rising=True), measures=(Q_ADJ,)),
    Claim("Larger CRITEO samples prune more nodes.", _criteo(rising=False), measures=(NODES_LEFT,)),
)
