"""Score new customers: any number of rows in pieces, memory flat, output in their order."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as papq

from suite.campaign.application import Application, ScoreOptions
from suite.campaign.errors import UserError
from suite.campaign.model import Model
from suite.campaign.new_rows import Drift
from suite.campaign.read import from_frame
from suite.campaign.sniff import sniff
from suite.campaign.write import Writer


@dataclass(frozen=True)
class Scored:
    """What was written."""

    rows: int
    treated: dict[str, int] | None  # rows by treatment; None where nothing was decided
    profit: float | None
    drift: Drift
    can_evaluate: bool
    as_of: str | None


def score_file(model: Model, path: str | Path, options: ScoreOptions) -> Scored:
    """Score the rows of `path` with `model` and write them to `options.out`."""
    shape = sniff(path)
    run = Application(model, shape, options)
    cut = run.cut() if run.decision.rule == "top" else None
    rows, treated, profit = 0, np.zeros(len(model.arms), np.int64), 0.0
    drift = Drift(model.encoder, run.as_of)
    with Writer(options.out) as writer:
        for piece in run.pieces():
            decision = run.decide(piece, cut)
            net = run.net(piece, decision)
            writer.write(run.output(piece, decision, net, rows))
            drift.add(piece.frame)
            rows += len(piece.frame)
            if decision is not None:
                treated += np.bincount(decision, minlength=len(treated))
            if net is not None:
                profit += float(net.sum())
        if rows == 0:
            raise UserError(f"{shape.name} has no rows")
    decided = run.decision.rule != "ranking"
    return Scored(
        rows=rows,
        treated={a: int(n) for a, n in zip(model.arms[1:], treated[1:], strict=True)}
        if decided
        else None,
        profit=profit if decided and run.prices is not None else None,
        drift=drift,
        can_evaluate={model.arm_name, model.outcome_name} <= set(run.header),
        as_of=run.as_of,
    )


def score_frame(model: Model, frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Scores of the rows of `frame`; `options` as in `ScoreOptions`, less `out`."""
    table, _ = from_frame(frame)
    with tempfile.TemporaryDirectory(prefix="uplift-") as folder:
        papq.write_table(table, Path(folder) / "frame.parquet")
        out = Path(folder) / "scores.parquet"
        score_file(model, Path(folder) / "frame.parquet", ScoreOptions(out=str(out), **options))
        return papq.read_table(out).to_pandas()
