"""What the study runs: units, each a grid of twin models on one replicate of one scenario."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from suite.plan.experiments import SCENARIOS

VARIANTS = ("printed", "centred", "released")
FIRST_REPLICATE = 100  # 0 to 19 belong to the tables
# Nodes of the structured networks; with 64 a whole grid without halving stays affordable.
NODES = {"network": 64, "wide": 512}
LINEAR_REPLICATES = 4  # of each scenario and variant
STARTS = tuple((w, s) for w in ("parts", "independent") for s in ("ones", "normal"))
DEFAULT_START = ("parts", "normal")  # (weight_start, scale_start) of `twin`
LINEAR_START = ("parts", "ones")  # models without hidden layer have no scaling factors


@dataclass(frozen=True)
class Unit:
    """`kind` is "network", "wide", "twin-mu", "logistic" or "exact"."""

    scenario: str
    variant: str
    replicate: int
    kind: str
    weight_start: str = LINEAR_START[0]
    scale_start: str = LINEAR_START[1]

    @property
    def key(self) -> str:
        return "/".join(map(str, asdict(self).values()))

    @property
    def full(self) -> bool:
        """Whether every setting trains to the end (halving is read off the same training)."""
        return self.kind not in NODES or (
            self.kind == "network" and self.replicate > FIRST_REPLICATE
        )

    def load_options(self) -> dict[str, Any]:
        return {"variant": self.variant, "replicate": self.replicate}


def units() -> list[Unit]:
    """Every unit; replicate by replicate, so that whatever is finished is balanced.

    The first replicate has networks of every start after halving, the second one networks of the
    default start that all train to the end, the others models without hidden layer alone.
    """
    found = []
    for replicate in range(FIRST_REPLICATE, FIRST_REPLICATE + LINEAR_REPLICATES):
        for variant in VARIANTS:
            for scenario in SCENARIOS:
                data = scenario, variant, replicate
                found += [Unit(*data, kind) for kind in ("twin-mu", "logistic", "exact")]
                if replicate == FIRST_REPLICATE:
                    found += [Unit(*data, k, "independent") for k in ("twin-mu", "logistic")]
                    found += [Unit(*data, "network", w, s) for w, s in STARTS]
                if replicate == FIRST_REPLICATE + 1:
                    found.append(Unit(*data, "network", *DEFAULT_START))
    wide = [Unit(s, "printed", FIRST_REPLICATE, "wide", "parts") for s in SCENARIOS]
    return found + [replace(unit, scale_start=s) for unit in wide for s in ("ones", "normal")]
