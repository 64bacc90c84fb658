"""The model against new rows that have arms and outcomes: profit of the rule, ten groups."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from suite.campaign.application import Application, ScoreOptions
from suite.campaign.cells import Cells
from suite.campaign.effects import scores
from suite.campaign.errors import DataError, UserError
from suite.campaign.inference import Estimate
from suite.campaign.model import Model
from suite.campaign.names import known
from suite.campaign.propensity import design
from suite.campaign.sniff import sniff

GROUPS = 10
LEAST_ROWS = 200  # in each arm
Array = NDArray[np.float64]


def check_file(model: Model, path: str | Path, options: ScoreOptions) -> str:
    """What the rule would have earned among these rows, and predicted against observed."""
    shape = sniff(path)
    run = Application(model, shape, replace(options, all_columns=True))
    by = model.assignment
    if by.kind == "estimate":
        raise UserError(
            "--evaluate needs the chances of treatment, which the campaign could only estimate; "
            f"python -m suite campaign {shape.name} judges these rows by themselves"
        )
    for name in (model.arm_name, model.outcome_name, *by.columns):
        known(name, run.header)
    cut = run.cut() if run.decision.rule == "top" else None
    parts = []
    for piece in run.pieces():
        decision = run.decide(piece, cut)
        y, arm = _observed(model, piece.table)
        keep = (y >= 0) & (arm >= 0)
        columns = (y, arm, piece.uplift, piece.terms.value, piece.terms.cost)
        chosen = np.zeros(len(y), np.int8) if decision is None else decision
        given = _given(model, piece.table, run.shape.decimal)
        parts.append([column[keep] for column in (*columns, chosen, given)])
    y, arm, uplift, value, cost, decision, given = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    psi = _effects(model, y, arm, given)
    lines = []
    if by.kind == "unknown":
        lines.append("the model does not say how arms were drawn: what follows is right for one")
        lines.append("share of treated customers, not where shares differed between groups")
    if shape.sha256 == model.source["sha256"]:
        lines.append("these are the rows that trained the model: what follows flatters it")
    if run.decision.rule != "ranking":
        sign = -1.0 if model.lower_is_better else 1.0
        net = sign * value[:, None] * psi - cost
        lines += _rule(model, net, decision, priced=run.prices is not None)
    for k, treatment in enumerate(model.arms[1:]):
        lines += _groups(treatment, uplift[:, k], psi[:, k])
    return "\n".join(lines)


def _observed(model: Model, table: pa.Table) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Outcome and arm of each row; -1 where missing or of an arm that the model does not know."""
    outcome, arm = Cells(table[model.outcome_name]), Cells(table[model.arm_name])
    y = np.array([text == model.outcome_value for text in outcome.texts()], np.int8)
    number = {name: k for k, name in enumerate(model.arms)}
    place = np.array([number.get(text, -1) for text in arm.texts()], np.int8)
    return (
        outcome.spread(y, -1).astype(np.int8),
        arm.spread(place, -1).astype(np.int8),
    )


def _given(model: Model, table: pa.Table, decimal: str) -> NDArray[np.object_]:
    """What chances of treatment depend on, a column for each: probabilities, or texts of strata."""
    found = [np.zeros((table.num_rows, 0), object)]
    for name in model.assignment.columns:
        cells = Cells(table[name])
        of_words = cells.texts() if model.assignment.kind == "strata" else cells.numbers(decimal)
        found.append(cells.spread(np.array(of_words, object), None)[:, None])
    return np.hstack(found)


def _effects(
    model: Model, y: NDArray[np.int8], arm: NDArray[np.int8], given: NDArray[np.object_]
) -> Array:
    """One score for each row and treatment whose means are effects, by the campaign's design.

    Shares, of all rows or by stratum, are those of these rows.
    """
    for name, rows in zip(model.arms, np.bincount(arm, minlength=len(model.arms)), strict=True):
        if rows < LEAST_ROWS:
            raise DataError(f"{name} has {rows} rows; --evaluate needs {LEAST_ROWS} in each arm")
    by, strata, said, of_column = model.assignment, None, "design", None
    if by.kind == "strata":
        columns = pd.DataFrame(given, columns=list(by.columns))
        strata = columns.groupby(list(by.columns), dropna=False).ngroup().to_numpy(np.int64)
    elif by.kind == "column":
        (said,), of_column = by.columns, given[:, 0].astype(np.float64)
    chances = design(said, arm, model.arms, of_column, strata).probabilities
    return scores(y, arm, chances, strata)


def _rule(model: Model, net: Array, decision: NDArray[np.int8], *, priced: bool) -> list[str]:
    rows = np.arange(len(net))
    earned = np.where(decision > 0, net[rows, np.maximum(decision, 1) - 1], 0.0)
    best = int(net.mean(axis=0).argmax())
    unit = "money" if priced else "good outcomes"
    everybody = "everybody" if len(model.arms) == 2 else f"everybody with {model.arms[best + 1]}"
    return [
        f"the rule treats {100 * (decision > 0).mean():.1f} % and earns, in {unit} per customer,",
        f"  {_shown(Estimate.of(earned))} against treating nobody",
        f"  {_shown(Estimate.of(earned - net[:, best]))} against treating {everybody}",
    ]


def _shown(estimate: Estimate) -> str:
    return f"{estimate.mean:+.4f} ({estimate.low:.4f} to {estimate.high:.4f})"


def _groups(treatment: str, uplift: Array, psi: Array) -> list[str]:
    """Predicted and observed effect of ten groups, the highest predictions first, in points."""
    place = np.argsort(np.argsort(-uplift, kind="stable"), kind="stable")
    group = place * GROUPS // len(uplift)
    lines = [f"{treatment}: effect in points, ten groups by prediction", "  predicted  observed"]
    for g in range(GROUPS):
        inside = group == g
        seen = Estimate.of(100 * psi[inside])
        interval = f"({seen.low:.1f} to {seen.high:.1f})"
        lines.append(f"  {100 * uplift[inside].mean():9.1f}  {seen.mean:8.1f} {interval}")
    return lines
