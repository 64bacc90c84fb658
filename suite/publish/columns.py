"""The published records: one for each cell, each known to be of today's code or stale."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import datasets
from suite.plan.cell import Planned
from suite.plan.digest import ROOT
from suite.plan.experiments import EXPERIMENTS, VARIANTS, Experiment
from suite.plan.methods import methods_of
from suite.plan.plan import Planner
from suite.publish import attested
from suite.publish.attested import Attested
from suite.store.record import Record
from suite.store.store import Problem, Store

PUBLISHED = ROOT / "results" / "records"

Freshness = Literal["current", "other versions", "stale"]


@dataclass(frozen=True)
class Column:
    """The published records of one experiment in one variant: a column of the tables."""

    experiment: Experiment
    variant: str | None
    records: tuple[Record, ...]
    attested: Attested = field(default_factory=Attested)
    facts: dict = field(default_factory=dict, compare=False)  # of the code, shared by columns

    @property
    def name(self) -> str:
        return self.experiment.column(self.variant)

    def of(self, method: str | None) -> list[Record]:
        """The records of one method, by replicate."""
        return [record for record in self.records if record.method == method]

    @cached_property
    def stale(self) -> tuple[Record, ...]:
        """The records whose number today's code is not known to give."""
        return tuple(r for r in self.records if self.freshness(r) == "stale")

    def freshness(self, record: Record) -> Freshness:
        """How a record stands to today's code, data and libraries."""
        today = self.today(record)
        return "stale" if today is None else freshness(record, today, self.attested)

    def today(self, record: Record) -> Planned | None:
        """The cell of a record as it would be planned now; None if its method is gone."""
        if self._planner is None or record.method not in methods_of(self.experiment):
            return None
        return self._planner.cell(record.method, record.replicate)

    @cached_property
    def _planner(self) -> Planner | None:
        if self.experiment.source not in datasets.sources():
            return None
        return Planner(self.experiment, self.variant, methods_of(self.experiment), facts=self.facts)


def freshness(record: Record, today: Planned, known: Attested) -> Freshness:
    """How a record stands to the cell that is planned today."""
    same_cell = record.cell == today.cell
    old, new = record.basis, today.basis
    contents = {old.content, new.content} - {None}
    if not same_cell or len(contents) > 1 or not known.equal(record.method, old.code, new.code):
        return "stale"
    shared = set(old.libraries) & set(new.libraries)
    same_versions = all(old.libraries[name] == new.libraries[name] for name in shared)
    return "current" if same_versions else "other versions"


def every_column() -> Iterator[tuple[Experiment, str | None]]:
    """Every experiment in every variant, in the order of the listings."""
    for experiment in EXPERIMENTS.values():
        for variant in VARIANTS if experiment.has_variants else (None,):
            yield experiment, variant


def columns() -> Iterator[tuple[Experiment, str | None]]:
    """Those that the tables show; side experiments have pages of their own."""
    return ((experiment, variant) for experiment, variant in every_column() if not experiment.group)


class Published:
    """What is published under `root`; every column is read once."""

    def __init__(self, root: Path = PUBLISHED, known: Attested | None = None) -> None:
        self.root = root
        self._attested = Attested(attested.read()) if known is None else known
        self._columns: dict[str, Column] = {}
        self._facts: dict = {}

    def column(self, name: str, variant: str | None = None) -> Column:
        """One experiment in one variant; no records where nothing is published."""
        experiment = EXPERIMENTS[name]
        column = experiment.column(variant)
        if column not in self._columns:
            records = one_per_cell(Store(self.root).records(column))
            self._columns[column] = Column(
                experiment, variant, tuple(records), self._attested, self._facts
            )
        return self._columns[column]

    def problems(self) -> list[str]:
        """Every line that has no place among published records, and why."""
        store, known = Store(self.root), {e.column(v): e for e, v in every_column()}
        found: list[str] = []
        for name in store.columns():
            records, wrong = store.read(name)
            found += map(_shown, wrong)
            for path in sorted((self.root / name).glob("*.jsonl")):
                if path.is_file() and not path.read_bytes().endswith(b"\n"):
                    found.append(f"{name}/{path.name}: its last line is torn")
            twice = Counter((record.method, record.replicate) for record in records)
            for (method, replicate), count in twice.items():
                if count > 1:
                    found.append(f"{name}/{method}: {count} lines for replicate {replicate}")
            for record in records:
                if reason := unfit(record, known.get(name)):
                    found.append(f"{name}/{record.method}, replicate {record.replicate}: {reason}")
        return found


def _shown(problem: Problem) -> str:
    return f"{problem.path.parent.name}/{problem.path.name}, line {problem.line}: {problem.reason}"


def unfit(record: Record, experiment: Experiment | None) -> str | None:
    """Why a record may not be published, None where it may."""
    cell, origin = record.cell, record.origin
    if origin.commit is None:
        return "made outside a git checkout, so that no commit holds its code"
    if not re.fullmatch("[0-9a-f]{40}", origin.commit):
        return f"{origin.commit!s:.20} is not the name of a commit"
    if origin.dirty:
        return "made with uncommitted code; commit, then run again"
    if cell.quick:
        return "a quick run is not comparable"
    if experiment is None:
        return f"{cell.column} is no column of the project"
    if cell.method not in methods_of(experiment):
        return f"{cell.method} is not a method of the project"
    if not experiment.has(cell.method, cell.data.replicate):
        return f"{cell.method} has no replicate {cell.data.replicate} there"
    variant = cell.data.options.get("variant") if experiment.has_variants else None
    if cell.data.source != experiment.source:
        return f"its data are {cell.data.source}, those of the column {experiment.source}"
    if dict(cell.data.options) != experiment.data_options(variant, quick=False):
        return f"its options {dict(cell.data.options)} are not those of the column"
    if experiment.column(variant) != cell.column:
        return f"its variant is {variant}"
    if cell.seed != experiment.training_seed(cell.method, cell.data.replicate):
        return f"its seed {cell.seed} is not the plan's"
    return None


def one_per_cell(records: Iterable[Record]) -> list[Record]:
    """The last record of every (method, replicate), sorted."""
    last = {(record.method, record.replicate): record for record in records}
    return [last[cell] for cell in sorted(last)]
