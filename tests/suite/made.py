"""Made-up records for tests of what is done with records; no number of a result comes from here."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from datasets.contract import Dataset
from suite.compute.cell import Fitted, Result, measure
from suite.compute.measures import Truth
from suite.compute.outcome import Cost
from suite.plan.cell import Planned, key_of
from suite.plan.experiments import EXPERIMENTS
from suite.plan.methods import registered
from suite.plan.plan import Planner
from suite.store.record import Origin, Record
from suite.store.store import write_records
from twin.rows import Rows

COST = Cost({"tune": 1.0, "fit": 2.0, "predict": 0.1}, 3.0, 200.0)
ORIGIN = Origin(
    commit="0123456789abcdef0123456789abcdef01234567",
    dirty=False,
    versions={"numpy": "1"},
    cpu="a processor",
    arithmetic="made up",
    finished="2021-05-31T00:00:00+00:00",
)


def made_record(
    method: str = "r-lasso",
    replicate: int = 0,
    *,
    experiment: str = "scenario4",
    variant: str | None = "printed",
    error: str | None = None,
    cost: Cost = COST,
    origin: dict[str, Any] | None = None,
    **changes: Any,
) -> Record:
    """A complete record that contradicts itself nowhere; `changes` are of its result."""
    cell = planned(method, replicate, experiment, variant)
    result = None if error else replace(made_result(method, replicate), **changes)
    return Record(
        key=cell.key,
        cell=cell.cell,
        basis=cell.basis,
        result=result,
        error=error,
        cost=cost,
        origin=replace(ORIGIN, **(origin or {})),
    )


def of_other_code(record: Record) -> Record:
    """The same record, as if an earlier state of its method had made it."""
    basis = replace(record.basis, method="0" * 16)
    return replace(record, basis=basis, key=key_of(record.cell, basis))


def planned(
    method: str, replicate: int, experiment: str = "scenario4", variant: str | None = "printed"
) -> Planned:
    """The cell of a method; a method that nobody knows has the code of another."""
    cell = _planner(experiment, variant).cell(
        method if method in registered() else "r-lasso", replicate
    )
    return replace(cell, cell=replace(cell.cell, method=method))


@cache
def _planner(experiment: str, variant: str | None) -> Planner:
    return Planner(EXPERIMENTS[experiment], variant, registered())


@cache
def made_result(method: str, replicate: int) -> Result:
    """Numbers drawn from a name: an honest measurement of a made-up prediction."""
    rng = np.random.default_rng([replicate, *method.encode()])

    def rows(n: int) -> tuple[Rows, np.ndarray]:
        x = rng.normal(size=(n, 1)).astype(np.float32)
        treatment = np.arange(n) % 2
        y = rng.random(n) < 0.4 + 0.2 * treatment * np.tanh(x[:, 0])
        return Rows.of(x, y.astype(int), treatment), x[:, 0] + rng.normal(size=n)

    parts = {part: rows(n) for part, n in (("train", 800), ("valid", 600), ("test", 600))}
    data = Dataset("made", replicate, **{part: found[0] for part, found in parts.items()})
    fitted = Fitted({"rate": 0.1}, 3, None, None, None, {"fit": 1.0}, 1.0)
    result = measure(data, {part: found[1] for part, found in parts.items()}, fitted)
    q = result.test.q
    return replace(result, truth=Truth(q=q - 0.1, oracle_q=q + 1, spearman=0.7, pehe=0.1), p=100)


def made_column(
    root: Path, name: str, methods: list[str], replicates: int = 8, variant: str | None = "printed"
) -> None:
    """A published column of made-up records with today's keys."""
    for method in methods:
        records = [
            made_record(method, replicate, experiment=name, variant=variant)
            for replicate in range(replicates)
        ]
        write_records(root / EXPERIMENTS[name].column(variant) / f"{method}.jsonl", records)
