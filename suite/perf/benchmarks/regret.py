"""Whether the models still find the uplift: regret on a small fixed problem, lower is better."""

from typing import ClassVar

import datasets
from suite.compute.measures import truth
from twin.search import TwinSearch


class Regret:
    """The oracle's q minus the model's on test rows, both from the true uplift."""

    params = (["Twin_mu", "Twin_NN"],)
    param_names = ("model",)
    unit = "q points"
    timeout = 300
    hidden: ClassVar[dict[str, tuple[int, ...]]] = {"Twin_mu": (), "Twin_NN": (64,)}

    def track_regret(self, model: str) -> float:
        data = datasets.load("scenario4", replicate=100, n=5000, p=20)
        grid = {"learning_rate": (0.05, 0.2), "weight_penalty": (0.0001, 0.001)}
        if model == "Twin_NN":
            grid["node_penalty"] = (0.0001, 0.001)
        search = TwinSearch(hidden=self.hidden[model], grid=grid, epochs=40, random_state=0)
        train, valid, test = data.train, data.valid, data.test
        search.fit(
            train.X, train.y, train.treatment, validation=(valid.X, valid.y, valid.treatment)
        )
        found = truth(test, search.predict(test.X))
        return found.oracle_q - found.q
