"""Drawing a replicate of a scenario at the paper's size."""

import datasets

from .sampling import Sampled


class Scenarios(Sampled):
    params = (["scenario1", "scenario4"],)
    param_names = ("scenario",)

    def time_load(self, scenario: str) -> None:
        datasets.load(scenario)
