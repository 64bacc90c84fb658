"""The experiments: which data, which methods, how many replicates. A new one is one entry here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import baselines
from baselines.contract import Method
from datasets.scenarios import VARIANTS
from suite.names import unknown
from suite.plan import paper

__all__ = ["EXPERIMENTS", "SCENARIOS", "VARIANTS", "Experiment", "experiment"]

SCENARIOS = ("scenario1", "scenario2", "scenario3", "scenario4")
_SMALL = MappingProxyType({"n": 5000, "p": 30})


@dataclass(frozen=True)
class Experiment:
    """A data set with its options, and the methods that are compared on it.

    `tables` names the paper's tables whose rows take part (with every method that has no row in
    the paper); `methods` lists the methods instead. `quick` replaces options in a quick run.
    """

    name: str
    summary: str
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    replicates: int = 20
    quick: Mapping[str, Any] = field(default_factory=dict)
    quick_replicates: int = 2
    has_variants: bool = False
    paper_row: str | None = None  # its row of T4
    stand_in: bool = False  # for data of the paper that are private
    scale: bool = False  # shows what growing data cost; the quality on them means nothing

    @property
    def in_paper(self) -> bool:
        """Whether a table of the paper holds these data, or data that they stand in for."""
        return bool(self.tables or self.paper_row or self.stand_in)

    def printed(self, method: type[Method], quick: bool = False) -> paper.Printed | None:
        """The paper's q_adj of `method` on these data; None where the two cannot be compared."""
        if quick:
            return None
        if self.has_variants:
            return paper.scenario_value(method.paper_row, self.source)
        return paper.real_data_value(method.paper_row, self.paper_row) if self.paper_row else None

    def data_options(self, variant: str | None, quick: bool) -> dict[str, Any]:
        """The options of `datasets.load`."""
        options = dict(self.options)
        if self.has_variants:
            options["variant"] = variant or VARIANTS[0]
        return {**options, **(self.quick if quick else {})}

    def folder(self, variant: str | None, quick: bool) -> str:
        """The folder of its records: one a variant, and never quick beside full."""
        parts = [self.name]
        if self.has_variants:
            parts.append(variant or VARIANTS[0])
        return "-".join([*parts, *(["quick"] if quick else [])])

    def default_methods(self) -> list[str]:
        """The methods that take part without being asked for by name."""
        if self.methods:
            return list(self.methods)
        rows = {row for table in self.tables for row in paper.rows(table)}
        return [name for name, cls in baselines.methods().items() if _takes_part(cls, rows)]


def _takes_part(method: type[Method], rows: set[str]) -> bool:
    return method.paper_row is None or method.paper_row in rows


def _scenario(number: int, tables: tuple[str, ...]) -> Experiment:
    return Experiment(
        name=f"scenario{number}",
        summary=f"simulated; {', '.join(t for t in tables if '-' not in t)}",
        source=f"scenario{number}",
        tables=tables,
        quick=_SMALL,
        has_variants=True,
    )


MINUTE_METHODS = (
    *("oracle", "random", "r-lasso", "x-lasso", "logistic", "qini-based"),
    *("twin-mu", "twin-64", "uplift-forest-kl"),
)
T4_METHODS = ("twin-512-structured", "causal-forest-honest")
T5_METHODS = ("twin-mu", "twin-512-structured", "logistic", "causal-forest-honest")


def _real(name: str, summary: str, source: str, **changes: Any) -> Experiment:
    return Experiment(name, summary, source, **{"methods": T4_METHODS, **changes})


def _criteo(size: str, summary: str, paper_row: str | None = None) -> Experiment:
    name = f"criteo-{size.lower()}"
    return _real(name, summary, "criteo", options={"size": size}, paper_row=paper_row)


def _synthetic(size: str) -> Experiment:
    summary = f"what {size} rows cost; synthetic, in CRITEO's format"
    changes = {"options": {"size": size}, "replicates": 1, "scale": True}
    return _real(f"synthetic-{size.lower()}", summary, "criteo-synthetic", **changes)


def _stand_in(source: str) -> Experiment:
    return _real(source, "T4 and T5, public stand-in", source, methods=T5_METHODS, stand_in=True)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        _scenario(4, ("T1", "T1-text", "T2", "T3", "T3-text", "T7")),
        _scenario(1, ("T7",)),
        _scenario(2, ("T7",)),
        _scenario(3, ("T7",)),
        _criteo("100K", "T4, balanced 1:1", "CRITEO-UPLIFT1 100K"),
        _criteo("400K", "the size in the paper's text", "CRITEO-UPLIFT1 100K"),
        _criteo("1M", "T4, balanced 1:1", "CRITEO-UPLIFT1 1M"),
        _criteo("4M", "T4, balanced 1:1", "CRITEO-UPLIFT1 4M"),
        _criteo("sample", "60,000 balanced rows of a public sample"),
        _stand_in("insurance"),
        _stand_in("charity"),
        _real("hillstrom", "e-mail campaign, any mail", "hillstrom"),
        *(_synthetic(size) for size in ("100K", "400K", "1M", "4M")),
        Experiment(
            name="minute",
            summary="end-to-end check: scenario 4, small, fast methods, a minute",
            source="scenario4",
            options={"n": 3000, "p": 20, "variant": "printed"},
            methods=MINUTE_METHODS,
            replicates=2,
        ),
    )
}


def experiment(name: str) -> Experiment:
    """The experiment called `name`."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, [*EXPERIMENTS, "paper", "list"])
    return EXPERIMENTS[name]
