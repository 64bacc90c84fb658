"""What stands under every table: replicates, variant, convention, training budget, commit."""

from collections.abc import Iterable

from suite.measures import MAIN
from suite.publish.columns import Column
from suite.records import Record
from suite.show.tables.entries import STALE_MARK

STALE_NOTE = " stale: the code behind the number has changed since."


MEASURE = f"q_adj in per cent, {MAIN[0]}'s convention, J = {MAIN[1]}"


def footer(
    columns: Iterable[Column], records: Iterable[Record], measure: str = f"{MEASURE}, test rows"
) -> tuple[str, ...]:
    """The notes of a table made of `records` of `columns`; no `measure` where it shows none."""
    columns, records = list(columns), list(records)
    replicates = sorted({record.replicate for record in records})
    variants = sorted({column.variant for column in columns if column.variant})
    commits = sorted({record.commit[:10] for record in records if record.commit})
    data_notes = sorted({record.note for record in records if record.note and not variants})
    notes = [
        f"Replicates: {spans(replicates) or 'none yet'}; ± is the standard error over "
        "them; n where a row has fewer."
    ]
    if variants:
        notes.append(f"Variant of the data generator: {', '.join(variants)}.")
    notes += [f"Data: {note}." for note in data_notes]
    if measure:
        notes.append(f"Measure: {measure}.")
    notes.append(f"Training budget of the twin models: {_budget(records)}.")
    notes.append(f"Commit of the records: {', '.join(commits) or 'none yet'}.")
    stale = {(record.method, record.replicate) for column in columns for record in column.stale}
    if stale & {(record.method, record.replicate) for record in records}:
        notes.append(f"{STALE_MARK}{STALE_NOTE}")
    return tuple(notes)


def spans(numbers: Iterable[int]) -> str:
    """0-4, 7."""
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in groups)


def _budget(records: Iterable[Record]) -> str:
    updates = sorted({record.updates for record in records if record.updates is not None})
    return f"{', '.join(f'{n:,}' for n in updates)} updates" if updates else "no twin model yet"


VERDICTS = (
    "Verdict: agrees where |ours - paper| ≤ 2 sqrt(se² + b²), b the paper's bound on its standard "
    "error; same ranking where the row's rank among the rows of this table moves by at most 2; "
    "differs otherwise."
)
BEST = (
    "Best row (in bold, or so named): highest mean over the replicates that all rows of its column "
    "have, from two on."
)
TRUTH = (
    "Regret: the oracle's q minus the row's, both from the true uplift (no outcome noise); rank "
    "corr.: Spearman correlation with the true uplift; PEHE: root mean squared error of the uplift."
)
SELECTION = (
    "Selected from: candidates that the choice on validation rows saw (0: it leaves them unused); "
    "core time and memory: one replicate, tuning included (mean, maximum)."
)
