"""TwinBoost beside the nearest of the paper's methods."""

from suite.compare.runs import Frame
from suite.show.findings_boost import strongest_rival
from tests.suite.compare.made_runs import made_run


def frame(regrets: dict[str, list[float]]) -> Frame:
    """One run for each method and replicate, with the regret given."""
    made = [
        made_run(method, replicate, 1.0, true_q=5.0 - regret, oracle_q=5.0)
        for method, own in regrets.items()
        for replicate, regret in enumerate(own)
    ]
    return Frame(20, tuple(made))


def test_the_rival_is_a_method_of_the_paper_on_the_same_replicates() -> None:
    regrets = {
        "twin-boost": [0.2, 0.3, 0.1, 0.2, 0.2, 9.0],
        "x-lasso": [0.6, 0.8, 0.7, 0.6, 0.8],  # 0.7 - 0.2 on the five that it has
        "logistic": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        "r-lasso": [0.1, 0.1, 0.1, 0.1],  # too few
        "s-learner": [0.1] * 6,  # not the paper's
        "oracle": [0.0] * 6,
    }
    found = strongest_rival(frame(regrets))
    # On all six replicates Logistic is ahead: the last draw went badly for TwinBoost.
    assert found.method == "logistic"
    assert (found.less.n, found.among) == (6, 2)
    del regrets["logistic"]
    found = strongest_rival(frame(regrets))
    assert (found.method, found.less.n) == ("x-lasso", 5)
    assert abs(found.ours - 0.2) < 1e-12
    assert abs(found.regret - 0.7) < 1e-12
    assert abs(found.less.mean - 0.5) < 1e-12


def test_there_is_no_rival_without_enough_draws() -> None:
    assert strongest_rival(frame({"twin-boost": [0.2] * 4, "x-lasso": [0.5] * 4})) is None
