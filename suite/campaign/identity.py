"""Which column names the customer."""

from collections.abc import Sequence

import numpy as np

from suite.campaign import names
from suite.campaign.cells import Cells
from suite.campaign.columns import ROWS_A_LEVEL
from suite.campaign.errors import DataError
from suite.campaign.roles import Table
from suite.campaign.types import Guess

LEAST = 30  # different ids, so that folds and errors by customer mean something


def identity(table: Table, said: str | None, taken: Sequence[str]) -> tuple[str | None, Guess]:
    """The id: named, or a column named like one, or a column of text that is all different."""
    if said is not None:
        name = names.known(said, table)
        n = len(table[name].words)
        if n < LEAST:
            raise DataError(
                f"--id {name} has {n} different values; {LEAST} are needed, as rows of one stay "
                "together. Name the column of customers, or leave --id out"
            )
    else:
        free = [name for name in table if name not in taken]
        named = [n for n in free if names.is_id(n) and _tells_customers(table[n])]
        different = [n for n in free if _all_different(table[n])]
        candidates = [n for n in named if n in different] + named + different
        name = candidates[0] if candidates else None
    if name is None:
        return None, Guess("id", "none found: output in the order of the file", "--id")
    cells = table[name]
    n = len(cells.words)
    repeated = "" if n == len(cells) else f" in {len(cells):,} rows, kept together"
    return name, Guess("id", f"{name} ({n:,} different{repeated})", "--id")


def _tells_customers(cells: Cells) -> bool:
    """Few rows of each value: campaign_id and store_id have many, they are kinds of customers."""
    n = len(cells.words)
    return n >= LEAST and int((~cells.missing).sum()) < ROWS_A_LEVEL * n


def _all_different(cells: Cells) -> bool:
    """Short text or evenly numbered rows, no value twice."""
    if len(cells.words) < len(cells) or len(cells) < 2:
        return False
    numbers = cells.numbers()
    if np.isnan(numbers).any():
        return not cells.look_like_dates() and np.mean([len(t) for t in cells.texts()]) <= 40
    return bool(np.ptp(np.diff(np.sort(numbers))) == 0)
