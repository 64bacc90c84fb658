"""What is known about a campaign file after it was read and checked."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.prices import Budget, Prices

Kind = Literal["number", "category", "date", "text", "id", "constant", "outcome", "arm", "role"]
Verdict = Literal["fair", "slightly predictable", "not random"]


@dataclass(frozen=True)
class Source:
    """The file: its name without folder, the sha256 of its bytes, and how it was read."""

    name: str
    sha256: str
    rows: int
    columns: int
    separator: str | None = None  # None: parquet, or a frame
    encoding: str | None = None
    decimal: str = "."


@dataclass(frozen=True)
class Guess:
    """One line on the terminal: what was decided, in words, and the option that overrides it."""

    what: str
    said: str
    option: str = ""


@dataclass(frozen=True)
class Column:
    """A column of the file and what is done with it.

    `why` says in a few words why an unused column is unused (empty if it is used). `date_format`
    is a strptime pattern; "" where the file itself has dates (parquet). `missing_codes` are
    numbers such as -999 that count as missing, `missing_words` cells such as "unknown" among
    numbers or dates.
    """

    name: str
    kind: Kind
    used: bool
    why: str = ""
    missing: float = 0.0  # share of rows
    levels: tuple[str, ...] = ()  # of a category, the most frequent first
    n_levels: int = 0
    date_format: str | None = None
    as_of: str | None = None  # the day dates are counted back from, 2025-01-31
    missing_codes: tuple[float, ...] = ()
    missing_words: tuple[str, ...] = ()
    suspected: bool = False  # left out, or kept by --keep although suspected
    sensitive: bool = False  # its name says gender, religion, birth, ...


@dataclass(frozen=True)
class Suspect:
    """A column that seems to be known only after the treatment or the outcome."""

    name: str
    after: Literal["treatment", "outcome", "as-of"]
    said: str  # "missing in every control row"
    kept: bool = False  # used all the same, because of --keep


@dataclass(frozen=True)
class Difference:
    """Standardised difference of a covariate between an arm and control."""

    name: str
    arm: str
    value: float


@dataclass(frozen=True)
class ArmEffect:
    """Outcome rates of an arm against control, unadjusted, with its 95 % interval."""

    arm: str
    rows: int
    events: int
    rate: float
    effect: float  # 0 for control
    se: float


@dataclass(frozen=True)
class Fairness:
    """Was it a fair test: can the covariates tell the arms apart?"""

    verdict: Verdict
    auc: float
    se: float
    n_columns: int
    differences: tuple[Difference, ...]  # all of them, the largest first
    shares: tuple[float, ...]  # of the rows, by arm, control first
    # What the AIPW scores are to use: shares of the design, shares by stratum, a column, or e(x).
    propensity: Literal["design", "number", "strata", "column", "estimate"]
    design: NDArray[np.float64]  # (n, arms) known probabilities; of e(x): cross-fitted estimates
    months: tuple[tuple[str, int, float], ...] = ()  # month, rows, share treated
    duplicated_rows: int = 0
    outside: NDArray[np.bool_] | None = None  # rows with an e(x) too near 0


@dataclass(frozen=True)
class Campaign:
    """A checked campaign: typed covariates, outcome, arms, and every guess that was made.

    `frame` holds every column of the file but outcome, arm and id, typed: numbers are float64,
    categories are pandas categories of text (missing: NaN), dates are datetime64; `used` names
    those that may enter a model.
    """

    frame: pd.DataFrame
    row: NDArray[np.int64]  # where each row stands in the file, from 1
    outcome: NDArray[np.int8]  # 1: the positive value, whether good or bad
    arm: NDArray[np.int8]  # 0: control
    arms: tuple[str, ...]  # control first
    outcome_name: str
    outcome_value: str  # "yes"
    arm_name: str
    columns: tuple[Column, ...]  # in the order of the file
    guesses: tuple[Guess, ...]
    suspects: tuple[Suspect, ...]
    effects: tuple[ArmEffect, ...]  # control first
    any_effect: ArmEffect  # of all treatments together, equal to effects[1] if there is one
    fairness: Fairness
    source: Source
    as_of: date | None = None
    id_name: str | None = None
    ids: pd.Series | None = None
    groups: NDArray[np.int64] | None = None  # codes of repeated ids, None if none is repeated
    strata: NDArray[np.int64] | None = None
    chances_from: tuple[str, ...] = ()  # the columns of --strata, or that of --propensity
    money: NDArray[np.float64] | None = None
    prices: Prices | None = None  # what the user said: numbers, or names of columns
    value: NDArray[np.float64] | None = None  # of one good outcome, by row, if the user said it
    cost: NDArray[np.float64] | None = None  # (n, arms), 0 for control
    budget: Budget | None = None
    lower_is_better: bool = False

    @property
    def used(self) -> tuple[str, ...]:
        """The names of the covariates that may enter a model, in the order of the file."""
        return tuple(column.name for column in self.columns if column.used)

    @property
    def good(self) -> NDArray[np.int8]:
        """1 where the outcome is as one wants it."""
        return 1 - self.outcome if self.lower_is_better else self.outcome

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.outcome)
