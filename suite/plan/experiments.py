"""The experiments: which data, which methods, how many replicates. A new one is one entry here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import baselines
from datasets.scenarios import VARIANTS
from suite.names import unknown
from suite.plan import paper
from suite.plan.cell import MethodCode, OwnFile

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
    replicates: int = 20  # planned: a verdict on fewer is interim
    variant_replicates: int = 10  # planned in other variants than the first
    quick: Mapping[str, Any] = field(default_factory=dict)
    quick_replicates: int = 2
    has_variants: bool = False
    paper_row: str | None = None  # its row of T4
    stand_in: bool = False  # for data of the paper that are private
    scale: bool = False  # shows what growing data cost; the quality on them means nothing
    other_seed_of: str | None = None  # the experiment whose cells it repeats with other seeds
    own_data: OwnFile | None = None  # a user's own data set

    @property
    def in_paper(self) -> bool:
        """Whether a table of the paper holds these data, or data that they stand in for."""
        return bool(self.tables or self.paper_row or self.stand_in)

    @property
    def compares_methods(self) -> bool:
        """Whether its quality is shown; not that of data for scale or of repeated cells."""
        return not self.scale and self.other_seed_of is None

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

    def default_methods(self) -> list[str]:
        """The methods that take part without being asked for by name."""
        if self.methods:
            return list(self.methods)
        rows = {row for table in self.tables for row in paper.rows(table)}
        return [name for name, cls in baselines.methods().items() if _takes_part(cls, rows)]


def _takes_part(method: type[baselines.Method], rows: set[str]) -> bool:
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
# Ranking by the outcome alone is in every real table: what a model has above it is uplift.
BEYOND = ("outcome-ranking", "s-learner", "x-xgboost", "twin-boost")
T4_METHODS = ("twin-512-structured", "causal-forest-honest", *BEYOND)
T5_METHODS = ("twin-mu", "logistic", *T4_METHODS)
SEED_METHODS = ("twin-64", "twin-512", "twin-512-structured", "twin-mu", "twin-committee")
OTHER_SEEDS = (2, 3, 4, 5)  # the first is the scenario's own
SCALE_METHODS = ("twin-512-structured", "causal-forest-honest")


def _real(name: str, summary: str, source: str, **changes: Any) -> Experiment:
    return Experiment(name, summary, source, **{"methods": T4_METHODS, **changes})


def _criteo(size: str, summary: str, paper_row: str | None = None) -> Experiment:
    name = f"criteo-{size.lower()}"
    options = {"size": size}
    return _real(name, summary, "criteo", options=options, paper_row=paper_row, methods=T5_METHODS)


def _synthetic(size: str) -> Experiment:
    summary = f"what {size} rows cost; synthetic, in CRITEO's format"
    changes = {
        "options": {"size": size},
        "replicates": 1,
        "scale": True,
        "methods": SCALE_METHODS,
    }
    return _real(f"synthetic-{size.lower()}", summary, "criteo-synthetic", **changes)


def _seeds(scenario: str, number: int) -> Experiment:
    """Cells of a scenario once more: the seed of training is drawn from the name."""
    return Experiment(
        name=f"{scenario}-seed{number}",
        summary=f"{scenario} with another seed of training",
        source=scenario,
        options={"variant": VARIANTS[0]},
        methods=SEED_METHODS,
        replicates=2,
        other_seed_of=scenario,
    )


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
        _criteo("200K", "nearly all rows of the union of public samples"),
        _criteo("400K", "the size in the paper's text", "CRITEO-UPLIFT1 100K"),
        _criteo("1M", "T4, balanced 1:1", "CRITEO-UPLIFT1 1M"),
        _criteo("4M", "T4, balanced 1:1", "CRITEO-UPLIFT1 4M"),
        _criteo("sample", "60,000 balanced rows of a public sample"),
        _stand_in("insurance"),
        _stand_in("charity"),
        _real("hillstrom", "e-mail campaign, any mail", "hillstrom", methods=T5_METHODS),
        _real(
            "criteo-conversion",
            "the rarer outcome of CRITEO",
            "criteo",
            options={"size": "200K", "outcome": "conversion"},
            methods=T5_METHODS,
        ),
        _real("gotv", "letters that urge to vote", "gotv", methods=T5_METHODS),
        _real("starbucks", "a promotion with few buyers", "starbucks", methods=T5_METHODS),
        *(_seeds(scenario, number) for scenario in SCENARIOS for number in OTHER_SEEDS),
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
