"""Side experiments: other seeds, candidates to choose from, TwinBoost without its steps."""

from datasets.scenarios import VARIANTS
from suite.plan.experiment import Experiment

SEED_METHODS = ("twin-64", "twin-512", "twin-512-structured", "twin-mu", "twin-committee")
OTHER_SEEDS = (2, 3, 4, 5)  # the first is the scenario's own


def seeds(scenario: str, number: int) -> Experiment:
    """Cells of a scenario once more: the seed of training is drawn from the name."""
    return Experiment(
        name=f"{scenario}-seed{number}",
        summary=f"{scenario} with another seed of training",
        source=scenario,
        options={"variant": VARIANTS[0]},
        methods=SEED_METHODS,
        replicates=2,
        group="seeds",
    )


def choosing(scenario: str) -> Experiment:
    """Draws that no table looks at."""
    return Experiment(
        name=f"choosing-{scenario}",
        summary="candidates with every score they could be chosen by",
        source=scenario,
        options={"variant": VARIANTS[0]},
        methods=("candidates-ridge", "candidates-trees"),
        first=100,
        replicates=8,
        group="choosing",
        module="suite.study.candidates",
    )


def boost_parts(scenario: str) -> Experiment:
    """Draws that no table looks at; the design of TwinBoost was chosen on the first four."""
    return Experiment(
        name=f"boost-parts-{scenario}",
        summary="TwinBoost with one of its steps left out",
        source=scenario,
        options={"variant": VARIANTS[0]},
        methods=("boost-parts",),
        first=100,
        replicates=16,
        group="boost-parts",
        module="suite.study.boost_parts",
    )
