"""Checks before any model: complete rows, enough of them, at least one covariate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from suite.campaign import roles, say
from suite.campaign.errors import DataError, UserError
from suite.campaign.types import Column, Suspect

LEAST_ROWS, LEAST_EVENTS = 200, 30  # in each arm


def complete(outcome: roles.Outcome, arms: roles.Arms) -> None:
    """Each row has an outcome and an arm."""
    for name, gone in ((outcome.name, outcome.y < 0), (arms.name, arms.arm < 0)):
        if not gone.any():
            continue
        n, share = int(gone.sum()), say.percent(gone.mean())
        if name == arms.name:
            raise DataError(
                f"{name} is missing in {n:,} rows ({share}). Correct the file, or --drop-missing"
            )
        parts = {v: gone[arms.arm == k].mean() for k, v in enumerate(arms.values)}
        ordered = sorted(parts.items(), key=lambda item: -item[1])
        shown = " and ".join(f"{say.percent(p)} of {v}" for v, p in ordered)
        raise DataError(
            f"{name} is missing in {n:,} rows ({share}), {shown}: rows were lost after treatment. "
            "Correct the file, or --drop-missing"
        )


def enough(
    outcome: roles.Outcome, arms: roles.Arms, certain: NDArray[np.bool_] | None = None
) -> None:
    """Each arm has enough rows and outcomes of both kinds, besides rows `certain` of their arm."""
    keep = np.ones(len(outcome.y), bool) if certain is None else ~certain
    left = remedy = ""
    if not keep.all():
        left = f" left, as {(~keep).sum():,} rows were almost certain of their arm"
        remedy = ". If there was a design, say --propensity or --strata"
    needed = f"in each arm are needed{remedy}"
    for k, value in enumerate(arms.values):
        y = outcome.y[keep & (arms.arm == k)]
        if len(y) < LEAST_ROWS:
            raise DataError(f"{value} has {len(y)} rows{left}; at least {LEAST_ROWS} {needed}")
        for count, what in ((int(y.sum()), "positive"), (int((1 - y).sum()), "negative")):
            if count < LEAST_EVENTS:
                raise DataError(
                    f"{value} has {count} {what} outcomes{left}; at least {LEAST_EVENTS} {needed}"
                )


def strata(given: Sequence[str], roles_of: Mapping[str | None, str]) -> None:
    """Columns that have no other role."""
    for name in given:
        if name in roles_of:
            raise UserError(
                f"--strata {name}: it is the {roles_of[name]}; name columns that decided the shares"
            )


def left_out(described: Sequence[Column], suspects: Sequence[Suspect]) -> list[Column]:
    """Columns with the suspected ones left out, unless kept; at least one must remain."""
    known = {s.name: s for s in suspects}
    result = []
    for c in described:
        suspect = known.get(c.name)
        if suspect is not None:
            why = "" if suspect.kept else f"known only after the {suspect.after}: {suspect.said}"
            c = replace(c, used=suspect.kept, suspected=True, why=why)
        result.append(c)
    if not any(c.used for c in result):
        late = sum(not c.used and c.suspected for c in result)
        constant = sum(c.why in ("constant", "empty") for c in result)
        raise DataError(
            f"no covariate is left ({late} suspected of leakage, {constant} constant); see --keep"
        )
    return result
