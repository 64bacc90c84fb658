"""A model applied to a file: pieces scored, decided and ready to be written."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from suite.campaign import select
from suite.campaign.allocation import Terms, decide, hashed, hull
from suite.campaign.cells import Cells
from suite.campaign.errors import UserError
from suite.campaign.model import Decision, Model
from suite.campaign.names import known
from suite.campaign.new_rows import check_columns, latest_date, typed_frame
from suite.campaign.plain import plain
from suite.campaign.prices import Prices, budget, prices
from suite.campaign.read import header, pieces
from suite.campaign.say import as_of_day
from suite.campaign.sniff import Shape, decimal_sign

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreOptions:
    """What the user said about the new file; None: as the campaign decided."""

    out: str = "scores.csv"
    budget: str | None = None
    value: str | None = None
    cost: str | None = None
    all_columns: bool = False
    forgive: bool = False  # cells that do not fit count as missing
    as_of: str | None = None
    decimal: str | None = None  # point, comma
    seed: int = 0


@dataclass(frozen=True)
class Piece:
    """Some rows: the input, typed covariates, predicted gain, money."""

    table: pa.Table
    frame: pd.DataFrame
    uplift: Array  # (rows, treatments)
    gain: Array  # uplift with the sign that good outcomes have
    terms: Terms
    tie: Array


class Application:
    """A model, a file and options, with what follows from the three."""

    def __init__(self, model: Model, shape: Shape, options: ScoreOptions) -> None:
        if options.decimal is not None:
            shape = replace(shape, decimal=decimal_sign(options.decimal))
        self.model, self.shape, self.options = model, shape, options
        self.header = header(shape)
        check_columns(shape, self.header, model.encoder)
        self.decision, self.prices = self._decision()
        top = self.decision.rule == "top"
        self.budget = budget(self.decision.budget, self.prices is not None) if top else None
        wanted = [plan.name for plan in model.encoder.plans]
        if self.prices is not None:
            wanted += [known(name, self.header) for name in self.prices.columns]
        if model.id_name in self.header:
            wanted.append(model.id_name)
        self.columns = None if options.all_columns else list(dict.fromkeys(wanted))
        if options.as_of is not None:
            self.as_of = as_of_day(options.as_of).isoformat()
        else:
            self.as_of = latest_date(shape, model.encoder)

    def _decision(self) -> tuple[Decision, Prices | None]:
        """The campaign's rule; new prices replace its prices, a new budget its budget."""
        options, own = self.options, self.model.decision
        said = prices(options.value, options.cost, self.model.arms, tuple(self.header))
        if said is not None:
            rule = "net" if own.budget is None else "top"
            own = replace(own, rule=rule, value=said.value, costs=said.costs)
        elif own.value is not None:
            costs = own.costs or (0.0,) * (len(self.model.arms) - 1)
            said = Prices(own.value, costs)
        if options.budget is not None:
            own = replace(own, rule="top", budget=options.budget)
        return own, said

    def pieces(self) -> Iterator[Piece]:
        """The file in pieces, scored."""
        before = 0
        for table in pieces(self.shape, self.columns):
            frame = typed_frame(
                table, self.model.encoder, self.shape, before, forgive=self.options.forgive
            )
            uplift = self.model.uplift(frame, self.as_of)
            gain = -uplift if self.model.lower_is_better else uplift
            yield Piece(table, frame, uplift, gain, self._terms(table), self._tie(table, before))
            before += table.num_rows

    def _terms(self, table: pa.Table) -> Terms:
        if self.prices is None:
            n = table.num_rows
            return Terms(np.ones(n), np.zeros((n, len(self.model.arms) - 1)))
        columns = {name: Cells(table[name]) for name in self.prices.columns}
        value, cost = self.prices.by_row(columns, self.shape.decimal, table.num_rows)
        return Terms(
            value, cost[:, 1:], cap_money=self.budget is not None and self.budget.money is not None
        )

    def _tie(self, table: pa.Table, before: int) -> Array:
        """What orders equals within a budget: a hash of the id, or of the row's number."""
        if self.decision.rule != "top":
            return np.zeros(table.num_rows)
        if self.model.id_name in table.column_names:
            ids = plain(table[self.model.id_name]).cast(pa.string()).to_pandas()
        else:
            ids = pd.Series(np.arange(before, before + table.num_rows).astype(str))
        return hashed(ids, table.num_rows, self.options.seed)

    def cut(self) -> select.Cut:
        """The first pass of a budget: all steps go to a file, and the cut is found there."""
        with tempfile.TemporaryDirectory(prefix="uplift-") as folder:
            path = Path(folder) / "steps"
            rows = 0
            with path.open("wb") as file:
                for piece in self.pieces():
                    row, _, _, price, slope = self._steps(piece)
                    np.column_stack([slope, piece.tie[row], price]).tofile(file)
                    rows += len(piece.frame)
            if rows == 0:
                raise UserError(f"{self.shape.name} has no rows")
            budget = self.budget
            share = None if budget.share is None else budget.share * rows
            return select.cut(path, share or budget.money or budget.customers)

    def _steps(self, piece: Piece) -> tuple[NDArray, ...]:
        return hull(piece.terms.net(piece.gain), piece.terms.uses)

    def decide(self, piece: Piece, cut: select.Cut | None) -> NDArray[np.int8] | None:
        """0 or the number of the treatment for each row; None where nothing is decided."""
        rule, n = self.decision.rule, len(piece.frame)
        if rule == "ranking":
            return None
        if rule == "nobody":
            return np.zeros(n, np.int8)
        if rule == "arm":
            return np.full(n, self.model.arms.index(self.decision.arm), np.int8)
        if rule == "net":
            return decide(piece.gain, piece.terms, piece.tie)
        row, _, to, _, slope = self._steps(piece)
        taken = cut.takes(slope, piece.tie[row])
        decision = np.zeros(n, np.int8)
        decision[row[taken]] = to[taken] + 1  # steps of a row come in order: the last one stays
        return decision

    def net(self, piece: Piece, decision: NDArray[np.int8] | None) -> Array | None:
        """Expected money of the decision for each row, if there are prices."""
        if decision is None or self.prices is None:
            return None
        net = np.column_stack([np.zeros(len(decision)), piece.terms.net(piece.gain)])
        return net[np.arange(len(decision)), decision]

    def output(
        self, piece: Piece, decision: NDArray[np.int8] | None, net: Array | None, before: int
    ) -> pa.Table:
        """id, uplift, treat, profit; all columns of the input first if asked for."""
        model, columns = self.model, {}
        if self.options.all_columns:
            columns = {name: piece.table[name] for name in piece.table.column_names}
        elif model.id_name in piece.table.column_names:
            columns[model.id_name] = piece.table[model.id_name]
        else:
            columns["row"] = pa.array(np.arange(before + 1, before + 1 + len(piece.frame)))
        for k, arm in enumerate(model.arms[1:]):
            name = "uplift" if len(model.arms) == 2 else f"uplift {arm}"
            columns[name] = pa.array(piece.uplift[:, k])
        if decision is not None:
            several = len(model.arms) > 2
            columns["treat"] = pa.array(
                np.array(model.arms, object)[decision] if several else decision
            )
        if net is not None:
            columns["profit"] = pa.array(net)
        return pa.table(columns)
