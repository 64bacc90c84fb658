"""The experiments. A new one is one entry here."""

from types import MappingProxyType
from typing import Any

from datasets.scenarios import VARIANTS
from suite.names import unknown
from suite.plan.experiment import EVERY_METHOD, Experiment
from suite.plan.side import OTHER_SEEDS, boost_parts, choosing, seeds

__all__ = ["EXPERIMENTS", "SCENARIOS", "VARIANTS", "Experiment", "experiment"]

SCENARIOS = ("scenario1", "scenario2", "scenario3", "scenario4")
_SMALL = MappingProxyType({"n": 5000, "p": 30})


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


def _stand_in(source: str) -> Experiment:
    return _real(source, "T4 and T5, public stand-in", source, methods=T5_METHODS, stand_in=True)


# The study: grids of twin models, one training each, off which every rule of selection is read.
# The first replicate has networks of every start after halving, the second one networks of the
# default start that all train to the end, the others models without hidden layer alone.
_LINEAR = ("probe-twin-mu", "probe-logistic", "probe-exact")
_FIRST_ONLY = (
    *("probe-twin-mu-independent", "probe-logistic-independent"),
    *(f"probe-network-{w}-{s}" for w in ("parts", "independent") for s in ("ones", "normal")),
)
_WIDE = ("probe-wide-parts-ones", "probe-wide-parts-normal")


def _study(scenario: str, variant: str) -> Experiment:
    first = (*_FIRST_ONLY, *(_WIDE if variant == VARIANTS[0] else ()))
    return Experiment(
        name=f"study-{scenario}-{variant}",
        summary="starts, halving, epoch, committee: what the paper leaves open",
        source=scenario,
        options={"variant": variant},
        methods=(*_LINEAR, *first, "probe-network-full"),
        only={**dict.fromkeys(first, (100,)), "probe-network-full": (101,)},
        first=100,
        replicates=4,
        seed="replicate",
        group="study",
        module="suite.study.probes",
    )


def _ports(name: str, summary: str, **changes: Any) -> Experiment:
    shared = {"group": "ports", "module": "suite.ports.variants", "seed": 7}
    return Experiment(f"ports-{name}", summary, **{**shared, **changes})


_BESIDE_R = ("r-lasso", "x-lasso", "causal-forest", "causal-forest-honest")
_UPLIFT_FORESTS = ("uplift-forest-kl", "uplift-forest-ed")
_UNCUT = (*_UPLIFT_FORESTS, "causal-forest", "causal-forest-honest", "r-xgboost", "x-xgboost")
_PRINTED_4 = {"source": "scenario4", "options": {"variant": "printed"}}

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
        *(seeds(scenario, number) for scenario in SCENARIOS for number in OTHER_SEEDS),
        *(_synthetic(size) for size in ("100K", "400K", "1M", "4M")),
        Experiment(
            name="minute",
            summary="end-to-end check: scenario 4, small, fast methods, a minute",
            source="scenario4",
            options={"n": 3000, "p": 20, "variant": "printed"},
            methods=MINUTE_METHODS,
            replicates=2,
        ),
        *(choosing(scenario) for scenario in SCENARIOS),
        *(boost_parts(scenario) for scenario in SCENARIOS),
        *(_study(scenario, variant) for variant in VARIANTS for scenario in SCENARIOS),
        _ports(
            "sanity",
            "every method on three draws of scenario 4, with what it costs",
            **_PRINTED_4,
            methods=EVERY_METHOD,
            first=100,
            replicates=3,
        ),
        _ports(
            "cuts",
            "the same with the larger search of the programs that were ported",
            **_PRINTED_4,
            methods=tuple(f"{name}-uncut" for name in _UNCUT),
            first=100,
            replicates=3,
        ),
        _ports(
            "reference",
            "every port beside the R package's own predictions",
            source="reference",
            methods=tuple(f"{name}-as-r" for name in (*_BESIDE_R, *_UPLIFT_FORESTS, "qini-based")),
            only={
                **{f"{name}-as-r": (3,) for name in _UPLIFT_FORESTS},
                "qini-based-as-r": (3, 4, 5),
            },
            replicates=6,
        ),
        _ports(
            "noise",
            "the causal forests with as many trees as grf, on scenario 3",
            source="reference",
            methods=("causal-forest-of-2000", "causal-forest-honest-of-2000"),
            first=2,
            replicates=1,
        ),
    )
}
GROUPS = tuple(dict.fromkeys(e.group for e in EXPERIMENTS.values() if e.group))


def experiment(name: str) -> Experiment:
    """The experiment called `name`."""
    if name not in EXPERIMENTS:
        listed = [each for each, item in EXPERIMENTS.items() if not item.group]
        raise unknown("experiment", name, [*listed, "paper", *GROUPS, "list"])
    return EXPERIMENTS[name]
