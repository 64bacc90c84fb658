"""Read a campaign file, guess what its columns are, check it: one `Campaign`, or an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from suite.campaign import checks, effects, fair, leaks, names, prices, propensity, roles, say
from suite.campaign.cells import Cells
from suite.campaign.columns import Said, describe, said_types
from suite.campaign.duplicates import duplicates
from suite.campaign.identity import identity
from suite.campaign.read import from_frame, read_all
from suite.campaign.sniff import decimal_sign, sniff
from suite.campaign.types import Campaign, Column, Source


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
    decimal: str | None = None  # point, comma
    as_of: str | None = None
    propensity: str = "design"  # design, a number, ARM=SHARE,..., a column, estimate
    strata: Sequence[str] = ()
    value: str | None = None
    cost: str | None = None
    money: str | None = None
    budget: str | None = None
    drop_missing: bool = False
    seed: int = 0


def load_campaign(source: str | Path | pd.DataFrame, options: Options | None = None) -> Campaign:
    """The checked campaign in `source`; raises UserError (exit 2) or DataError (exit 3)."""
    options = options or Options()
    if isinstance(source, pd.DataFrame):
        table, about = from_frame(source)
    else:
        shape = sniff(source)
        table = read_all(shape)
        size = table.num_rows, table.num_columns
        about = Source(
            shape.name, shape.sha256, *size, shape.separator, shape.encoding, shape.decimal
        )
    if options.decimal is not None:
        about = replace(about, decimal=decimal_sign(options.decimal))
    decimal = about.decimal
    header = table.column_names
    for name in (*options.ignore, *options.keep, *options.strata):
        names.known(name, header)
    if options.money is not None:
        names.known(options.money, header)
    said = said_types(options.types, header)
    columns = {name: Cells(table[name]) for name in header}
    outcome = roles.outcome(columns, options.outcome, options.lower_is_better)
    arms = roles.arms(columns, options.arm, options.control, outcome.name)
    value = options.value
    if value is None and options.cost is not None and options.money is not None:
        # What one good outcome brought on average; who is judged takes it from the other folds.
        good, money = int(not outcome.lower_is_better), _money(columns, options.money, decimal)
        value = str(float(money[outcome.y >= 0].sum() / (outcome.y == good).sum()))
    price = prices.prices(value, options.cost, arms.values, tuple(header))
    budget = prices.budget(options.budget, price is not None)
    whole = (outcome.y >= 0) & (arms.arm >= 0)
    if not whole.all():
        if not options.drop_missing:
            checks.complete(outcome, arms)
        table = table.filter(pa.array(whole))
        columns = {name: Cells(table[name]) for name in header}
        outcome = outcome._replace(y=outcome.y[whole])
        arms = arms._replace(arm=arms.arm[whole])
    checks.enough(outcome, arms)

    id_name, id_guess = identity(columns, options.id, (outcome.name, arms.name, *said))
    roles_of = {outcome.name: "outcome", arms.name: "arm", id_name: "id"}
    described, series = _describe(columns, decimal, said, roles_of, options)
    frame = pd.DataFrame(series)
    described, as_of = say.with_as_of(described, frame, options.as_of)
    strata = None
    if options.strata:
        checks.strata(options.strata, roles_of)
        strata = frame.groupby(list(options.strata), dropna=False, observed=True).ngroup()
        strata = strata.to_numpy(np.int64)
    outcome_said = f"{outcome.name} = {outcome.value}"
    found = leaks.suspects(
        frame[[c.name for c in described if c.used]],
        outcome.y,
        arms.arm,
        arms.values,
        outcome_said,
        strata=strata,
        of_strata=tuple(options.strata),
        seed=options.seed,
    )
    found += say.future_dates(described, frame, as_of)
    suspects = [replace(s, kept=s.name in options.keep) for s in found]
    described = checks.left_out(described, suspects)
    ids = groups = None
    if id_name is not None:
        cells = columns[id_name]
        ids = pd.Series(cells.spread(np.array(cells.texts(), object), None), name=id_name)
        if len(cells.words) < len(cells):
            groups = pd.factorize(ids.fillna("") + np.where(ids.isna(), ids.index.map(str), ""))[0]
    of_column = columns[options.propensity].by_row(decimal) if options.propensity in frame else None
    design = propensity.design(options.propensity, arms.arm, arms.values, of_column, strata)
    fairness = fair.fairness(
        described,
        frame,
        outcome.y,
        arms.arm,
        arms.values,
        design,
        strata=strata,
        groups=groups,
        seed=options.seed,
    )
    if fairness.outside is not None:
        checks.enough(outcome, arms, fairness.outside)
    value, cost = price.by_row(columns, decimal, len(frame)) if price else (None, None)
    money = None if options.money is None else _money(columns, options.money, decimal)
    campaign = Campaign(
        frame=frame,
        row=np.flatnonzero(whole) + 1,
        outcome=outcome.y,
        arm=arms.arm,
        arms=arms.values,
        outcome_name=outcome.name,
        outcome_value=outcome.value,
        arm_name=arms.name,
        columns=tuple(described),
        guesses=(),
        suspects=tuple(suspects),
        effects=effects.raw(outcome.y, arms.arm, arms.values),
        any_effect=effects.raw_of_any(outcome.y, arms.arm, arms.values),
        fairness=fairness,
        source=about,
        as_of=as_of,
        id_name=id_name,
        ids=ids,
        groups=groups,
        strata=strata,
        chances_from=(options.propensity,) if design.kind == "column" else tuple(options.strata),
        money=money,
        prices=price,
        value=None if options.value is None else value,
        cost=cost,
        budget=budget,
        lower_is_better=outcome.lower_is_better,
    )
    return replace(campaign, guesses=tuple(say.guesses(campaign, id_guess)))


def _describe(
    columns: Mapping[str, Cells],
    decimal: str,
    said: Mapping[str, Said],
    roles_of: Mapping[str | None, str],
    options: Options,
) -> tuple[list[Column], dict[str, pd.Series]]:
    described, series = [], {}
    for name, cells in columns.items():
        if name in roles_of:
            kind = roles_of[name]
            n = len(cells.words)
            described.append(Column(name, kind, False, kind, n_levels=n))
            continue
        column, series[name] = describe(name, cells, decimal, said.get(name))
        if name in options.ignore:
            column = replace(column, used=False, why="--ignore")
        elif name == options.money:
            column = replace(column, used=False, why="--money")
        elif name == options.propensity:
            column = replace(column, used=False, why="--propensity")
        described.append(column)
    twice = duplicates(pd.DataFrame({c.name: series[c.name] for c in described if c.used}))
    described = [
        replace(c, used=False, why=f"the same as {twice[c.name]}") if c.name in twice else c
        for c in described
    ]
    return described, series


def _money(columns: Mapping[str, Cells], name: str, decimal: str) -> NDArray[np.float64]:
    """Observed money of each row; none where the cell is blank."""
    return np.nan_to_num(columns[name].by_row(decimal))
