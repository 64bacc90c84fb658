"""Value of an outcome, cost of a treatment, budget: what the user says, checked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suite.campaign.cells import Cells
from suite.campaign.errors import UserError

# 12000, 12,000 or 12'000, then two decimals at most: 2,5 and 12.000 mean other numbers elsewhere.
# Of letters a unit has three, as EUR: in 5k and 2m they are part of the number.
_BUDGET = re.compile(
    r"\s*(\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:'\d{3})+)(\.\d{1,2})?\s*(%|[A-Z]{3}|[^\w\s.,'%-])?\s*"
)


@dataclass(frozen=True)
class Prices:
    """Money of one positive outcome and of each treatment: numbers, or names of columns."""

    value: float | str
    costs: tuple[float | str, ...]  # by treatment

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that prices are in."""
        return tuple(p for p in dict.fromkeys((self.value, *self.costs)) if isinstance(p, str))

    def by_row(
        self, table: Mapping[str, Cells], decimal: str, rows: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Value (rows,) and cost (rows, arms) with 0 for control."""
        value, *costs = (
            _complete(p, table[p].by_row(decimal)) if isinstance(p, str) else np.full(rows, p)
            for p in (self.value, *self.costs)
        )
        return value, np.column_stack([np.zeros(rows), *costs])


@dataclass(frozen=True)
class Budget:
    """One of: customers to treat, share of customers, money."""

    text: str
    customers: int | None = None
    share: float | None = None
    money: float | None = None


def prices(
    value: str | None, cost: str | None, arms: tuple[str, ...], columns: tuple[str, ...]
) -> Prices | None:
    """What --value and --cost mean; None if neither is given."""
    if value is None and cost is None:
        return None
    if cost is None:
        raise UserError("--value needs --cost (0 if treating is free)")
    if value is None:
        raise UserError("--cost needs --value (the money of one positive outcome)")
    if "=" in cost and cost not in columns:
        given = dict(part.rsplit("=", 1) for part in cost.split(",") if "=" in part)
        unknown = [name for name in given if name not in arms[1:]]
        lacking = [name for name in arms[1:] if name not in given]
        if unknown or lacking:
            raise UserError(
                f"--cost {cost}: say ARM=COST for each of {', '.join(arms[1:])}"
                + (f", not {unknown[0]}" if unknown else "")
            )
        costs = tuple(_price("--cost", given[name], columns) for name in arms[1:])
    else:
        costs = tuple(_price("--cost", cost, columns) for _ in arms[1:])
    return Prices(_price("--value", value, columns), costs)


def budget(text: str | None, priced: bool) -> Budget | None:
    """5000 (customers), 20% (of them) or "12000 EUR" (money, which needs --cost)."""
    if text is None:
        return None
    match = _BUDGET.fullmatch(text)
    number = float(re.sub("[,']", "", match[1]) + (match[2] or "")) if match else -1.0
    if match and match[3] == "%" and 0 < number <= 100:
        return Budget(text, share=number / 100)
    if match and match[3] not in (None, "%"):
        if not priced:
            raise UserError(f"--budget {text}: money needs --value and --cost")
        return Budget(text, money=number)
    if match and match[3] is None and number.is_integer() and number > 0:
        return Budget(text, customers=int(number))
    raise UserError(f'--budget {text}: say 5000 (customers), 2.5% or "12000 EUR"')


def _price(option: str, text: str, columns: tuple[str, ...]) -> float | str:
    if text in columns:
        return text
    try:
        number = float(text)
    except ValueError:
        raise UserError(f"{option} {text}: say a number or a column of the file") from None
    if not np.isfinite(number) or number < 0:
        raise UserError(f"{option} {text}: it must be 0 or more")
    return number


def _complete(price: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = np.flatnonzero(~(numbers >= 0))
    if len(wrong):
        what = "no number" if np.isnan(numbers[wrong[0]]) else f"{numbers[wrong[0]]:g}"
        raise UserError(
            f"{price} is {what} in row {wrong[0] + 1:,}; prices must be complete and 0 or more"
        )
    return numbers
