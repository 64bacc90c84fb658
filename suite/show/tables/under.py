"""The notes under a column of the paper: its verdicts, its order, its best rows, what is meant."""

from collections.abc import Mapping, Sequence

import numpy as np

from suite.compare import audit, ranks
from suite.compare.frame import frame_of
from suite.compare.units import LEAST_DRAWS
from suite.publish.columns import Column
from suite.show.tables import notes
from suite.show.tables.entries import BOUNDS, Entry


def column_notes(
    source: Column, found: Mapping[str, Entry], judged_rows: Sequence[str]
) -> tuple[str, ...]:
    """Everything that belongs under a table of one column; the best is one of `judged_rows`."""
    luck = notes.luck_of_best([found[row] for row in judged_rows])
    return (
        *notes.footer([source], [run for entry in found.values() for run in entry.runs]),
        notes.verdicts(judged(found)),
        *order(found),
        notes.TRUTH,
        notes.CALIBRATION,
        notes.SELECTION,
        f"{notes.BEST} {luck}." if luck else notes.BEST,
        *notes.null(frame_of(source)),
    )


def judged(found: Mapping[str, Entry]) -> int:
    """How many cells have both numbers."""
    return sum(entry.difference is not None for entry in found.values())


def order(found: Mapping[str, Entry], name: str = "") -> tuple[str, ...]:
    """Whether the rows stand in the paper's order, and agree with it all together."""
    rows = [
        e for row, e in found.items() if e.difference is not None and row not in BOUNDS and e.runs
    ]
    if len(rows) < 2:
        return ()
    ours = np.array([[run.q_adj for run in entry.runs] for entry in rows])
    theirs = np.array([entry.paper.value for entry in rows])
    k, n = ours.shape
    line = ranks.rank_line(ours.mean(axis=1), theirs)
    own = ranks.self_agreement(ours) if n >= LEAST_DRAWS else None
    text = ranks.sentence(line, own)
    if n >= LEAST_DRAWS and n > k + 1:
        fit = audit.hotelling(ours, theirs)
        text += f" All {k} rows together (Hotelling): T2 = {fit.t2:.1f}, p = {fit.p:.2g}."
    start = f"Order in {name}" if name else "Order"
    return (f"{start}: {text}",)
