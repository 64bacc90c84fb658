"""Read a campaign file, guess what its columns are, check it: one `Campaign`, or an error."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from suite.campaign.types import Campaign


@dataclass(frozen=True)
class Options:
    """What the user said about the file; None or empty: guess."""

    outcome: str | None = None  # COL or COL=VALUE
    lower_is_better: bool | None = None
    arm: str | None = None
    control: str | None = None
    id: str | None = None
    ignore: Sequence[str] = ()
    keep: Sequence[str] = ()
    types: Sequence[str] = ()  # COL=number|category|date[:FORMAT]|text
    as_of: str | None = None
    propensity: str = "design"  # design, a number, ARM=SHARE,..., a column, estimate
    strata: Sequence[str] = ()
    value: str | None = None
    cost: str | None = None
    money: str | None = None
    budget: str | None = None
    drop_missing: bool = False
    seed: int = 0


def load_campaign(source: str | Path | pd.DataFrame, options: Options) -> Campaign:
    """The checked campaign in `source`; raises UserError (exit 2) or DataError (exit 3)."""
    raise NotImplementedError
