"""What an experiment is: which data, which methods, how many replicates, which seeds."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import baselines
from datasets.scenarios import VARIANTS
from suite.plan import paper
from suite.plan.cell import MethodCode, OwnFile

EVERY_METHOD = ("*",)


@dataclass(frozen=True)
class Experiment:
    """A data set with its options, and the methods that are compared on it.

    `tables` names the paper's tables whose rows take part (with every method that has no row in
    the paper); `methods` lists the methods instead. `quick` replaces options in a quick run.

    A side experiment has a `group`: it is run by the name of the group, and a page of its own shows
    it instead of the tables.
    """

    name: str
    summary: str
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    replicates: int = 20  # planned: a verdict on fewer is interim
    variant_replicates: int = 10  # planned in other variants than the first
    quick: Mapping[str, Any] = field(default_factory=dict)
    quick_replicates: int = 2
    has_variants: bool = False
    paper_row: str | None = None  # its row of T4
    stand_in: bool = False  # for data of the paper that are private
    scale: bool = False  # shows what growing data cost; the quality on them means nothing
    own_data: OwnFile | None = None  # a user's own data set
    group: str = ""
    module: str = ""  # where it finds methods that no other experiment has
    only: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # a method's replicates
    first: int = 0  # the number of its first replicate; those from 0 up belong to the tables
    seed: int | Literal["hashed", "replicate"] = "hashed"  # of training

    @property
    def in_paper(self) -> bool:
        """Whether a table of the paper holds these data, or data that they stand in for."""
        return bool(self.tables or self.paper_row or self.stand_in)

    @property
    def compares_methods(self) -> bool:
        """Whether the tables show its quality; not that of data for scale, or of a group."""
        return not (self.scale or self.group)

    def printed(self, method: MethodCode, quick: bool = False) -> paper.Printed | None:
        """The paper's q_adj of `method` on these data; None where the two cannot be compared."""
        if quick:
            return None
        if self.has_variants:
            return paper.scenario_value(method.paper_row, self.source)
        return paper.real_data_value(method.paper_row, self.paper_row) if self.paper_row else None

    def planned(self, variant: str | None) -> int:
        """The replicates that its verdicts are made of; further ones serve the audit alone."""
        other = self.has_variants and variant not in (None, VARIANTS[0])
        return self.variant_replicates if other else self.replicates

    def data_options(self, variant: str | None, quick: bool) -> dict[str, Any]:
        """The options of `datasets.load`."""
        options = dict(self.options)
        if self.has_variants:
            options["variant"] = variant or VARIANTS[0]
        return {**options, **(self.quick if quick else {})}

    def column(self, variant: str | None, quick: bool = False) -> str:
        """Its column of the tables, also the folder of its records; quick is never beside full."""
        parts = [self.name]
        if self.has_variants:
            parts.append(variant or VARIANTS[0])
        return "-".join([*parts, *(["quick"] if quick else [])])

    def numbers(self, quick: bool) -> range:
        """The numbers of the replicates that it has without being asked for others."""
        return range(self.first, self.first + (self.quick_replicates if quick else self.replicates))

    def has(self, method: str, replicate: int) -> bool:
        """Whether `method` takes part in `replicate`."""
        return replicate >= self.first and replicate in self.only.get(method, (replicate,))

    def training_seed(self, method: str, replicate: int) -> int:
        """The seed of a training; that of the data depends on the replicate alone."""
        if self.seed == "hashed":
            return training_seed(method, self.name, replicate)
        return replicate if self.seed == "replicate" else self.seed

    def default_methods(self) -> list[str]:
        """The methods that take part without being asked for by name."""
        if self.methods == EVERY_METHOD:
            return list(baselines.methods())
        if self.methods:
            return list(self.methods)
        rows = {row for table in self.tables for row in paper.rows(table)}
        found = baselines.methods().items()
        return [name for name, cls in found if cls.paper_row is None or cls.paper_row in rows]


def training_seed(method: str, experiment: str, replicate: int) -> int:
    """A seed that differs between methods, experiments and replicates."""
    digest = hashlib.sha256(f"{method}/{experiment}/{replicate}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1  # 31 bits: every library takes it
