"""What must hold in an environment that has the wheel alone; see `wheel` beside this file."""

import platform
import sys
from importlib.metadata import files, version
from importlib.util import find_spec

import numpy as np

MEGABYTES = 600
ABSENT = ("suite", "baselines", "datasets", "torch", "econml", "causalml", "xgboost")


def check(size: int) -> None:
    """Contents, size, and that the models and the measure work."""
    assert size <= MEGABYTES, f"the environment has {size} MB, more than {MEGABYTES}"
    found = [name for name in ABSENT if find_spec(name) is not None]
    assert not found, f"the wheel brought {found}"

    import twin
    from twin import TwinBoost, TwinSearch, TwinUplift, adjusted_qini_score

    assert twin.__version__ == version("twin-uplift-suite")
    shipped = {str(file).split("/")[0] for file in files("twin-uplift-suite")}
    assert all(name == "twin" or name.endswith(".dist-info") for name in shipped), shipped
    assert any(str(file) == "twin/py.typed" for file in files("twin-uplift-suite"))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 5))
    treatment = rng.integers(0, 2, 6000)
    y = rng.random(6000) < 0.4 + 0.4 * treatment * np.tanh(2 * X[:, 0])
    rows, rest = slice(0, 4000), slice(4000, None)
    grid = {"learning_rate": (0.05, 0.2), "weight_penalty": (0.0001,), "node_penalty": (0.0001,)}
    search = TwinSearch(hidden=(16,), grid=grid, epochs=40, random_state=0)
    search.fit(X[rows], y[rows], treatment[rows], validation=0.3)
    scored = adjusted_qini_score(y[rest], search.predict(X[rest]), treatment[rest])
    oracle = adjusted_qini_score(y[rest], X[rest, 0], treatment[rest])
    assert scored > 0.8 * oracle > 0, f"q_adj is {scored}, that of the truth {oracle}"
    boost = TwinBoost(random_state=0).fit(X[rows], y[rows], treatment[rows], validation=0.3)
    boosted = adjusted_qini_score(y[rest], boost.predict(X[rest]), treatment[rest])
    assert boosted > 0.8 * oracle, f"TwinBoost's q_adj is {boosted}, that of the truth {oracle}"
    linear = TwinUplift(hidden=(), epochs=5, random_state=0).fit(X[rows], y[rows], treatment[rows])
    assert linear.coef_["treatment:x1"] > 0
    found = f"q_adj {scored:.2f}, of TwinBoost {boosted:.2f}, of the truth {oracle:.2f}"
    print(f"twin {twin.__version__}, Python {platform.python_version()}: {size} MB; {found}")


if __name__ == "__main__":
    check(int(sys.argv[1]))
