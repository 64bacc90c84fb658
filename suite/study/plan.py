"""What the study runs: units, each a grid of twin models on one replicate of one scenario."""

from dataclasses import asdict, dataclass
from typing import Any

SCENARIOS = ("scenario1", "scenario2", "scenario3", "scenario4")
VARIANTS = ("printed", "released", "centred")
FIRST_REPLICATE = 100  # 0 to 19 belong to the tables
NODES = 64  # of the structured networks: a whole grid without halving stays affordable
NETWORK_REPLICATES = 1  # a scenario and variant
LINEAR_REPLICATES = 4
STARTS = tuple((w, s) for w in ("parts", "independent") for s in ("ones", "normal"))
FULL_START = STARTS[0]  # trained without halving; the other starts with it


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
    def data(self) -> tuple[str, str, int]:
        """What two units must share to be compared in pairs."""
        return self.scenario, self.variant, self.replicate

    def load_options(self) -> dict[str, Any]:
        return {"variant": self.variant, "replicate": self.replicate}


def units() -> list[Unit]:
    """Every unit; replicate by replicate, so that whatever is finished is balanced."""
    found = []
    for replicate in range(FIRST_REPLICATE, FIRST_REPLICATE + LINEAR_REPLICATES):
        for variant in VARIANTS:
            for scenario in SCENARIOS:
                data = scenario, variant, replicate
                for kind in ("twin-mu", "logistic"):
                    found += [Unit(*data, kind, w) for w in ("parts", "independent")]
                found.append(Unit(*data, "exact"))
                if replicate < FIRST_REPLICATE + NETWORK_REPLICATES:
                    found += [Unit(*data, "network", w, s) for w, s in STARTS]
    return found
