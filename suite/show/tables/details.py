"""The further columns of a row: truth, calibration, selection, cost; and the nodes left."""

from suite.compare import luck
from suite.compare.means import Mean, mean_of
from suite.compare.runs import BOUNDS, Frame
from suite.show.tables.entries import Entry
from suite.show.tables.model import Text
from suite.words import duration

DETAIL_HEADS = (
    *("regret", "rank corr.", "PEHE", "slope", "bias"),
    *("selected from", "optimism", "core time", "memory"),
)


def details(entry: Entry, source: Frame) -> list[str]:
    """Measures without outcome noise, calibration, selection, time and memory of a row."""
    numbers = (
        (lambda run: run.regret, 2),
        (lambda run: run.spearman, 2),
        (lambda run: run.pehe, 3),
        (lambda run: run.slope, 2),
        (lambda run: run.bias, 3),
    )
    means = [(mean_of(entry.runs, number), decimals) for number, decimals in numbers]
    candidates = mean_of(entry.runs, lambda run: run.candidates)
    flattered = optimism(entry, source)
    seconds = mean_of(entry.runs, lambda run: run.cpu_seconds)
    memory = max((run.memory_mb for run in entry.runs if run.memory_mb), default=None)
    return [
        *(_with_error(mean, decimals) for mean, decimals in means),
        "" if candidates is None else f"{candidates.value:,.0f}",
        _with_error(flattered, 2, sign="+"),
        "" if seconds is None else duration(seconds.value),
        "" if memory is None else f"{memory:,.0f} MB",
    ]


def optimism(entry: Entry, source: Frame) -> Mean | None:
    """Validation minus test q_adj, net of the oracle's on the same rows (rule S16)."""
    if entry.method in BOUNDS or not entry.runs:
        return None
    oracle = source.shown("oracle")
    scores = [
        {run.replicate: (run.valid.q_adj, run.test.q_adj) for run in runs}
        for runs in (entry.runs, oracle)
    ]
    return Mean.of(luck.optimism(*scores))


def _with_error(mean: Mean | None, decimals: int, sign: str = "") -> str:
    if mean is None:
        return ""
    error = "" if mean.error is None else f" ± {mean.error:.{decimals}f}"
    return f"{mean.value:{sign}z.{decimals}f}{error}"


def nodes(entry: Entry) -> Text:
    """m_hat/m: the mean over replicates, and their range where they differ."""
    counts = [run.m_hat for run in entry.runs if run.m_hat is not None]
    if not counts:
        return Text("")
    totals = {run.m for run in entry.runs if run.m is not None}
    # A refit has another m in every replicate: only m_hat can be shown.
    total = f"/{totals.pop()}" if len(totals) == 1 else ""
    mean = f"{sum(counts) / len(counts):.0f}" + total
    spread = f" ({min(counts)}-{max(counts)})" if min(counts) < max(counts) else ""
    return Text(mean + spread)
