"""The Qini curve, the Qini coefficient q, Kendall's uplift rank correlation rho, and q_adj.

Rows are ranked by predicted uplift, best first, and cut into J bins. With N_phi the best fraction
phi of the n rows (Definitions 1 to 3 of the paper, section "Model Evaluation"):

    g(phi) = ( sum_{N_phi} y t  -  sum_{N_phi} y (1-t) * sum_{N_phi} t / sum_{N_phi} (1-t) ) / sum t
    Q(phi) = g(phi) - phi g(1)
    q      = 100 * area under Q by the trapezoid rule
    rho    = 2 / (J (J-1)) * sum_{i<j} sign(predicted_i - predicted_j) sign(observed_i - observed_j)
    q_adj  = rho * max(0, q)

What the paper leaves open is settled so that a score says nothing about the order of tied rows:
a bin edge inside a group of tied rows takes its proportional share of the group's counts, and
bins inside one tied group count as equally predicted. A bin without one of the arms has no
observed uplift, and its pairs count 0; a cumulative set without controls has no control term.

`convention` selects how bins are cut (docs/measure.md compares the definitions):

    "paper"         edges after ceil(k n / J) rows, phi = share of all rows, rho is tau-a
    "tools4uplift"  the R package 1.0.0: ranks in whole per cent, tied rows at their last rank,
                    rows whose rank rounds to 0 count in g but in no bin; phi = share of the
                    treated, rho is tau-b
    "twincausal"    the authors' Python package: ranks rounded to 1/J, tied rows at their last
                    rank; phi = share of the treated, rho is tau-b rounded to 2 decimals
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from twin import checks
from twin._ranking import at_ranks

if TYPE_CHECKING:
    import pandas as pd

Convention = Literal["paper", "tools4uplift", "twincausal"]
Floats = NDArray[np.float64]

# Observed uplifts nearer than this are equal: the same fraction computed from other counts.
_ROUNDING = 1e-12


class QiniScores(NamedTuple):
    """q and q_adj in per cent, rho in [-1, 1]."""

    q: float
    rho: float
    q_adj: float


@dataclass(frozen=True, eq=False)
class QiniCurve:
    """The Qini curve g at the grid points phi, and the bins between them, best bin first.

    `phi` and `gain` have one entry more than there are bins and start at 0; `gain[-1]` is the
    average treatment effect. Counts are fractional where an edge falls inside tied rows.
    """

    phi: Floats
    gain: Floats
    rows: NDArray[np.intp]
    treated: Floats
    control: Floats
    predicted: Floats
    observed: Floats
    scores: QiniScores
    convention: Convention

    @property
    def table(self) -> "pd.DataFrame":
        """One line per bin: its size, its arms, mean predicted and observed uplift."""
        import pandas as pd

        names = ("rows", "treated", "control", "predicted", "observed")
        index = pd.RangeIndex(1, len(self.rows) + 1, name="bin")
        return pd.DataFrame({name: getattr(self, name) for name in names}, index=index)


def qini_curve(
    y: Any, uplift: Any, treatment: Any, *, bins: int = 10, convention: Convention = "paper"
) -> QiniCurve:
    """The Qini curve of the predicted `uplift` of rows with outcome `y` and `treatment` (0/1)."""
    y, uplift, treatment = _checked(y, uplift, treatment, bins, convention)
    cut = _cut(y, uplift, treatment, bins, convention)
    phi, gain = _curve(cut, convention)
    rows = np.diff(cut.edges)
    return QiniCurve(
        phi=phi,
        gain=gain,
        rows=rows,
        treated=np.diff(cut.treated),
        control=np.diff(cut.control),
        predicted=_predicted(uplift, cut.edges),
        observed=_observed(cut),
        scores=_scores_of(cut, convention),
        convention=convention,
    )


def qini_score(
    y: Any, uplift: Any, treatment: Any, *, bins: int = 10, convention: Convention = "paper"
) -> float:
    """The Qini coefficient q, in per cent."""
    return _scores(y, uplift, treatment, bins, convention).q


def uplift_rank_correlation(
    y: Any, uplift: Any, treatment: Any, *, bins: int = 10, convention: Convention = "paper"
) -> float:
    """Kendall's uplift rank correlation rho between predicted and observed uplift of the bins."""
    return _scores(y, uplift, treatment, bins, convention).rho


def adjusted_qini_score(
    y: Any, uplift: Any, treatment: Any, *, bins: int = 10, convention: Convention = "paper"
) -> float:
    """The adjusted Qini coefficient q_adj = rho * max(0, q), in per cent."""
    return _scores(y, uplift, treatment, bins, convention).q_adj


def _scores(y: Any, uplift: Any, treatment: Any, bins: int, convention: Convention) -> QiniScores:
    checked = _checked(y, uplift, treatment, bins, convention)
    return scores_of_checked(*checked, bins, convention)


def scores_of_checked(
    y: NDArray[Any],
    uplift: NDArray[np.floating],
    treatment: NDArray[Any],
    bins: int = 10,
    convention: Convention = "paper",
) -> QiniScores:
    """q, rho and q_adj of rows that are checked already, as between the epochs of a training."""
    return _scores_of(_cut(y, uplift, treatment, bins, convention), convention)


def _checked(
    y: Any, uplift: Any, treatment: Any, bins: int, convention: Convention
) -> tuple[NDArray[np.int8], Floats, NDArray[np.int8]]:
    if convention not in get_args(Convention):
        raise ValueError(
            f"convention is {convention!r}; it must be one of {', '.join(get_args(Convention))}"
        )
    y = checks.binary_labels(y, "y")
    uplift = checks.finite_scores(uplift, "uplift")
    treatment = checks.binary_labels(treatment, "treatment")
    n = checks.same_length(y=y, uplift=uplift, treatment=treatment)
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 2:
        raise ValueError(f"bins is {bins!r}; it must be a whole number, at least 2")
    if bins > n:
        raise ValueError(f"bins is {bins} for {n} rows; give at most one bin per row")
    checks.both_arms(treatment)
    return y, uplift, treatment


class _Cut(NamedTuple):
    """The edges of the bins, and the cumulative counts before them, best rows first."""

    edges: NDArray[np.intp]  # rows before each edge
    top: NDArray[np.floating]  # best score of each bin
    bottom: NDArray[np.floating]  # its worst
    control: Floats
    treated: Floats
    control_responses: Floats  # sum of y (1-t)
    treated_responses: Floats  # sum of y t


def _cut(
    y: NDArray[Any],
    uplift: NDArray[np.floating],
    treatment: NDArray[Any],
    bins: int,
    convention: Convention,
) -> _Cut:
    """Cut the ranking into bins."""
    n = len(uplift)
    edges = _edges(n, bins, convention)
    # The row before each edge (after it, where there is none before), and the row after it.
    before, after = np.minimum(n - edges, n - 1), n - 1 - edges[:-1]
    values, above, tied = at_ranks(y, uplift, treatment, before, after)
    before, top = np.split(values, [bins + 1])
    all_above, all_tied = above.sum(axis=0), tied.sum(axis=0)
    if convention == "paper":
        share = (edges - all_above) / all_tied
    else:
        # Tied rows sit at their last rank: an edge has them only if it has them all.
        share = (all_above + all_tied <= edges).astype(np.float64)
        edges = all_above + np.where(share, all_tied, 0)
    counts = above + share * tied
    if convention == "twincausal":
        # Ranks that round to 0 join the first bin.
        counts[:, edges == edges[0]] = 0
        edges = np.where(edges == edges[0], 0, edges)
    control, treated = counts[0] + counts[2], counts[1] + counts[3]
    return _Cut(edges, top, before[1:], control, treated, counts[2], counts[3])


@lru_cache(maxsize=32)
def _edges(n: int, bins: int, convention: Convention) -> NDArray[np.intp]:
    """How many of n ranked rows come before each of the J + 1 edges, ties aside."""
    steps = np.arange(bins + 1)
    if convention == "paper":
        return -(-steps * n // bins)
    rank = np.arange(1, n + 1) / n
    if convention == "twincausal":
        return np.searchsorted(np.rint(rank * bins), steps, "right")
    # Whole per cent as R (4.0.0 and later) rounds: the nearer candidate in double arithmetic,
    # the even one if both are equally near.
    low, high = np.floor(100 * rank), np.ceil(100 * rank)
    to_low, to_high = rank - low / 100, high / 100 - rank
    percent = np.where((to_low < to_high) | ((to_low == to_high) & (low % 2 == 0)), low, high)
    return np.searchsorted(np.ceil(percent * bins / 100), steps, "right")


def _curve(cut: _Cut, convention: Convention) -> tuple[Floats, Floats]:
    """phi and g(phi) at the edges."""
    odds = np.zeros_like(cut.control)  # stays 0, no control term, where there are no controls
    np.divide(cut.treated, cut.control, out=odds, where=cut.control > 0)
    gain = (cut.treated_responses - cut.control_responses * odds) / cut.treated[-1]
    if convention == "paper":
        return cut.edges / cut.edges[-1], gain
    phi = cut.treated / cut.treated[-1]
    phi[0] = gain[0] = 0.0  # the curve starts at 0 also where the first bin starts later
    return phi, gain


def _predicted(uplift: Floats, edges: NDArray[np.intp]) -> Floats:
    """Mean predicted uplift of each bin, NaN for a bin that ties leave without rows."""
    scores = np.sort(uplift)[::-1]
    with np.errstate(invalid="ignore", over="ignore"):
        sums = np.concatenate(([0.0], np.cumsum(scores)))
        if np.isfinite(sums).all():
            return np.diff(sums[edges]) / np.diff(edges)
        # The sums are beyond float64, their means are not: a power of two changes no digit.
        scale = 2.0 ** math.frexp(len(scores))[1]
        sums = np.concatenate(([0.0], np.cumsum(scores / scale)))
        means = np.diff(sums[edges]) / np.diff(edges) * scale
    return np.clip(means, scores[-1], scores[0])


def _observed(cut: _Cut) -> Floats:
    """Observed uplift of each bin, NaN where an arm is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        treated = np.diff(cut.treated_responses) / np.diff(cut.treated)
        return treated - np.diff(cut.control_responses) / np.diff(cut.control)


def _scores_of(cut: _Cut, convention: Convention) -> QiniScores:
    phi, gain = _curve(cut, convention)
    excess = gain - phi * gain[-1]
    q = 50.0 * float((np.diff(phi) * (excess[1:] + excess[:-1])).sum())
    rho = _rank_correlation(cut, convention)
    return QiniScores(q, rho, rho * max(0.0, q))


def _rank_correlation(cut: _Cut, convention: Convention) -> float:
    """rho: tau-a over all pairs of bins, or tau-b over the bins with an observed uplift."""
    observed = _observed(cut)
    bins, known = len(observed), np.isfinite(observed)
    observed, top, bottom = observed[known], cut.top[known], cut.bottom[known]
    agree = disagree = 0
    for gap in range(1, len(observed)):
        # A bin is predicted above a later one unless both lie within one group of tied rows.
        above = top[:-gap] > bottom[gap:]
        difference = observed[:-gap] - observed[gap:]
        agree += np.count_nonzero(above & (difference > _ROUNDING))
        disagree += np.count_nonzero(above & (difference < -_ROUNDING))
    if convention == "paper":
        return 2.0 * (agree - disagree) / (bins * (bins - 1))
    pairs = len(observed) * (len(observed) - 1) / 2
    tau_b = (agree - disagree) / math.sqrt(pairs * (agree + disagree) or 1)
    return round(tau_b, 2) if convention == "twincausal" else tau_b
