"""Which column names the customer."""

from collections.abc import Sequence

import numpy as np

from suite.campaign import names
from suite.campaign.cells import Cells
from suite.campaign.roles import Table
from suite.campaign.types import Guess


def identity(table: Table, said: str | None, taken: Sequence[str]) -> tuple[str | None, Guess]:
    """The id: named, or the column named like one, or a column of text that is all different."""
    if said is not None:
        name = names.known(said, table)
    else:
        free = [name for name in table if name not in taken]
        named = [n for n in free if names.IDS.intersection(names.words(n)[-1:])]
        different = [n for n in free if _all_different(table[n])]
        candidates = [n for n in named if n in different] + named + different
        name = candidates[0] if candidates else None
    if name is None:
        return None, Guess("id", "none found: output in the order of the file", "--id")
    cells = table[name]
    n = len(cells.words)
    repeated = "" if n == len(cells) else f" in {len(cells):,} rows, kept together"
    return name, Guess("id", f"{name} ({n:,} different{repeated})", "--id")


def _all_different(cells: Cells) -> bool:
    """Short text or evenly numbered rows, no value twice."""
    if len(cells.words) < len(cells) or len(cells) < 2:
        return False
    numbers = cells.numbers()
    if np.isnan(numbers).any():
        return not cells.look_like_dates() and np.mean([len(t) for t in cells.texts()]) <= 40
    return bool(np.ptp(np.diff(np.sort(numbers))) == 0)
