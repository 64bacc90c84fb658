"""What stands under every table: replicates, variant, convention, training budget, commit."""

from collections.abc import Iterable, Sequence

from suite.compare import luck
from suite.compare.best import luck_of_the_best
from suite.compare.frame import frame_of
from suite.compare.runs import Frame, Run, paired_spread
from suite.compute.measures import MAIN
from suite.publish.columns import Column
from suite.show.tables.entries import STALE_MARK, Entry

STALE_NOTE = " stale: the code behind the number has changed since."


MEASURE = f"q_adj in per cent, {MAIN[0]}'s convention, J = {MAIN[1]}"


def footer(
    columns: Iterable[Column], runs: Iterable[Run], measure: str = f"{MEASURE}, test rows"
) -> tuple[str, ...]:
    """The notes of a table made of `runs` of `columns`; no `measure` where it shows none."""
    columns, runs = list(columns), list(runs)
    variants = sorted({column.variant for column in columns if column.variant})
    data_notes = sorted({run.note for run in runs if run.note and not variants})
    notes = [_replicates(columns)]
    if variants:
        notes.append(f"Variant of the data generator: {', '.join(variants)}.")
    notes += [f"Data: {note}." for note in data_notes]
    if measure:
        notes.append(f"Measure: {measure}.")
    notes.append(f"Training budget of the twin models: {_budget(runs)}.")
    notes += commits(runs)
    stale = {(record.method, record.replicate) for column in columns for record in column.stale}
    if stale & {(run.method, run.replicate) for run in runs}:
        notes.append(f"{STALE_MARK}{STALE_NOTE}")
    return tuple(notes)


def commits(runs: Iterable[Run]) -> tuple[str]:
    """With which code the records were computed."""
    found = sorted({run.commit[:10] for run in runs if run.commit})
    return (f"Commit of the records: {', '.join(found) or 'none yet'}.",)


def _replicates(columns: list[Column]) -> str:
    """The common replicates of each column, and what was planned."""
    parts = []
    for column in columns:
        source = frame_of(column)
        name = column.name if len(columns) > 1 else ""
        if not source.common:
            parts.append(f"{name} none yet".strip())
            continue
        planned = f" of {source.planned} planned: interim" if source.interim else ""
        span = f"{spans(source.common)} (n = {len(source.common)}{planned})"
        parts.append(f"{name} {span}".strip())
    return (
        f"Replicates: {'; '.join(parts)}. Every number of a column is a mean over the same ones; a "
        "row that lacks some shows how many it has, and no number. ± is the standard error."
    )


def spans(numbers: Iterable[int]) -> str:
    """0-4, 7."""
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in groups)


def _budget(runs: Iterable[Run]) -> str:
    updates = sorted({run.updates for run in runs if run.updates is not None})
    return f"{', '.join(f'{n:,}' for n in updates)} updates" if updates else "no twin model yet"


def verdicts(cells: int) -> str:
    """How a cell is judged, and how often a true agreement is called otherwise."""
    text = (
        "Verdict: the paper's mean of 20 runs is taken for a second sample with our spread s, "
        "h = t(0.975, n-1) s sqrt(1/n + 1/20); higher or lower where ours - paper is beyond h, "
        "agrees within it if h ≤ 0.5, else undecided; too few draws below 5; interim below the "
        "planned n."
    )
    if not cells:
        return text
    return (
        f"{text} Of {cells} cells that agree in truth {0.05 * cells:.2g} are expected to be called "
        "otherwise, and together, because the rows share their data."
    )


BEST = (
    "Bold: rows not shown to be worse than the highest mean (paired t, one-sided, Holm, 5 %); "
    "nothing is bold where that is every row."
)


def luck_of_best(rows: Sequence[Entry]) -> str:
    """How lucky the best of as many equal methods is."""
    shown = [entry.runs for entry in rows if entry.runs]
    if len(shown) < 2 or len(shown[0]) < 2:
        return ""
    n, spread = len(shown[0]), paired_spread(shown)
    return (
        f"The best of {len(shown)} equal methods exceeds its truth by "
        f"{luck_of_the_best(len(shown), spread, n):.2f} on average (n = {n}, spread of a paired "
        f"difference {spread:.2f} in the median)"
    )


def null(source: Frame) -> tuple[str, ...]:
    """What a random ranking scores: q_adj is not 0 without any knowledge."""
    runs = source.runs.get("random", {})
    found = luck.null_scores([run.q_adj for run in runs.values()])
    if found is None:
        return ()
    return (
        f"A random ranking's q_adj has mean {found.mean:.3f} and 95 % quantile {found.high:.3f} "
        f"({found.n} replicates): below that a q_adj is no evidence.",
    )


TRUTH = (
    "Regret: the oracle's q minus the row's, both from the true uplift (no outcome noise); rank "
    "corr.: Spearman correlation with the true uplift; PEHE: root mean squared error of the uplift."
)
CALIBRATION = (
    "Slope: of observed on predicted uplift over the bins, 1 is calibrated, above 1 predictions "
    "are too close together; bias: mean predicted minus mean observed uplift. Bins weigh by the "
    "inverse variance of what was observed, or in a whole column by their rows where some record "
    "did not keep responses; no slope where a replicate's predictions differ by less than 0.1 "
    "points."
)
SELECTION = (
    "Selected from: candidates that the choice on validation rows saw (0: it leaves them unused); "
    "optimism: validation minus test q_adj, less the oracle's on the same rows, which no choice "
    "flatters; core time and memory: one replicate, tuning included (mean, maximum)."
)
RESPLITS = (
    "± on real data: replicates split one data set again and again and share its rows, so the "
    "standard error is Nadeau and Bengio's, sqrt((1/J + 3/4) s²) for J splits into 40, 30 and 30 "
    "per cent; s/sqrt(J) would be up to four times too small."
)
