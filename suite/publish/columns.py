"""The published records: one a cell, each known to be of today's code or stale."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import baselines
import datasets
from suite.plan.digest import ROOT
from suite.plan.experiments import EXPERIMENTS, VARIANTS, Experiment
from suite.plan.plan import make_plan
from suite.records import Record
from suite.store.store import Store

PUBLISHED = ROOT / "results" / "records"


@dataclass(frozen=True)
class Column:
    """The published records of one experiment in one variant: a column of the tables."""

    experiment: Experiment
    variant: str | None
    records: tuple[Record, ...]

    @property
    def folder(self) -> str:
        return self.experiment.folder(self.variant, quick=False)

    def of(self, method: str | None) -> list[Record]:
        """The records of one method, by replicate."""
        return [record for record in self.records if record.method == method]

    @cached_property
    def stale(self) -> tuple[Record, ...]:
        """The records that today's code did not make."""
        keys = current_keys(self.experiment, self.variant, self.records)
        return tuple(
            record
            for record in self.records
            if keys.get((record.method, record.replicate)) != record.key
        )


def columns() -> Iterator[tuple[Experiment, str | None]]:
    """Every experiment in every variant, in the order of the listings."""
    for experiment in EXPERIMENTS.values():
        for variant in VARIANTS if experiment.has_variants else (None,):
            yield experiment, variant


class Published:
    """What is published under `root`; every column is read once."""

    def __init__(self, root: Path = PUBLISHED) -> None:
        self.root = root
        self._columns: dict[tuple[str, str | None], Column] = {}

    def column(self, name: str, variant: str | None = None) -> Column:
        """One experiment in one variant; no records where nothing is published."""
        if (name, variant) not in self._columns:
            experiment = EXPERIMENTS[name]
            records = Store(self.root).records(experiment.folder(variant, quick=False))
            self._columns[name, variant] = Column(experiment, variant, tuple(one_a_cell(records)))
        return self._columns[name, variant]


def one_a_cell(records: Iterable[Record]) -> list[Record]:
    """The last record of every (method, replicate), sorted."""
    last = {(record.method, record.replicate): record for record in records}
    return [last[cell] for cell in sorted(last)]


def current_keys(
    experiment: Experiment, variant: str | None, records: Iterable[Record]
) -> dict[tuple[str, int], str]:
    """The key that today's code gives every cell of `records` whose method still exists."""
    known = set(baselines.methods())
    methods = sorted({record.method for record in records} & known)
    replicates = sorted({record.replicate for record in records})
    if not methods or experiment.source not in datasets.sources():
        return {}
    plan = make_plan(experiment, variant=variant, replicates=replicates, methods=methods)
    return {(cell.method, cell.replicate): cell.key for cell in plan.cells}
