"""What the study runs: units, each a grid of twin models on one replicate of one scenario."""

from dataclasses import asdict, dataclass
from typing import Any

SCENARIOS = ("scenario1", "scenario2", "scenario3", "scenario4")
VARIANTS = ("printed", "centred", "released")
FIRST_REPLICATE = 100  # 0 to 19 belong to the tables
NODES = 64  # of the structured networks: a whole grid without halving stays affordable
LINEAR_REPLICATES = 4  # of each scenario and variant; networks and other starts have one
STARTS = tuple((w, s) for w in ("parts", "independent") for s in ("ones", "normal"))
FULL_START = STARTS[0]
FULL_VARIANT = VARIANTS[0]  # networks train without halving in this start and variant only


@dataclass(frozen=True)
class Unit:
    """`kind` is "network", "twin-mu", "logistic" or "exact"."""

    scenario: str
    variant: str
    replicate: int
    kind: str
    weight_start: str = "parts"
    scale_start: str = "ones"

    @property
    def key(self) -> str:
        return "/".join(map(str, asdict(self).values()))

    @property
    def full(self) -> bool:
        """Whether every setting trains to the end (halving is read off the same training)."""
        start = (self.weight_start, self.scale_start)
        return self.kind != "network" or (self.variant == FULL_VARIANT and start == FULL_START)

    def load_options(self) -> dict[str, Any]:
        return {"variant": self.variant, "replicate": self.replicate}


def units() -> list[Unit]:
    """Every unit; replicate by replicate, so that whatever is finished is balanced."""
    found = []
    for replicate in range(FIRST_REPLICATE, FIRST_REPLICATE + LINEAR_REPLICATES):
        for variant in VARIANTS:
            for scenario in SCENARIOS:
                data = scenario, variant, replicate
                found += [Unit(*data, kind) for kind in ("twin-mu", "logistic", "exact")]
                if replicate == FIRST_REPLICATE:
                    found += [Unit(*data, k, "independent") for k in ("twin-mu", "logistic")]
                    found += [Unit(*data, "network", w, s) for w, s in STARTS]
    return found
