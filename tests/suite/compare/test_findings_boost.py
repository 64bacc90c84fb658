"""TwinBoost beside the nearest of the paper's methods, and against all others."""

from suite.compare.paired import Estimate
from suite.compare.rivals import standing
from suite.compare.runs import Frame
from suite.show.findings_boost import least_regret, strongest_rival
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
    found, words = strongest_rival(frame(regrets))
    # On all six replicates Logistic is ahead: the last draw went badly for TwinBoost.
    assert found.method == "logistic"
    assert (found.gain.n, words) == (6, "level with Logistic")
    del regrets["logistic"]
    found, _ = strongest_rival(frame(regrets))
    assert (found.method, found.gain.n) == ("x-lasso", 5)
    assert abs(found.ours - 0.2) < 1e-12
    assert abs(found.theirs - 0.7) < 1e-12
    assert abs(found.gain.mean - 0.5) < 1e-12


def test_there_is_no_rival_without_enough_draws() -> None:
    assert strongest_rival(frame({"twin-boost": [0.2] * 4, "x-lasso": [0.5] * 4})) is None


def test_over_all_scenarios_the_least_mean_regret_decides() -> None:
    first = {"twin-boost": [0.2] * 6, "x-lasso": [0.5] * 5, "logistic": [2.0] * 6}
    second = {"twin-boost": [0.4] * 6, "x-lasso": [3.0] * 6, "logistic": [1.0] * 6}
    second |= {"r-lasso": [0.1] * 6}  # it has not run in the first
    found = least_regret([frame(first), frame(second)])
    assert [rival.method for rival in found] == ["logistic"] * 2
    assert [round(rival.theirs, 9) for rival in found] == [2.0, 1.0]
    assert least_regret([frame(first), frame({"twin-boost": [0.2] * 6})]) is None


def test_it_stands_where_the_tests_put_it() -> None:
    def gain(mean: float) -> Estimate:
        return Estimate(mean, 0.1, 9, 10)

    assert standing({}) == "too few draws"
    assert standing({"a": gain(0.9), "b": gain(0.5)}) == "ahead of all 2"
    assert standing({"a": gain(0.9), "b": gain(0.1), "c": gain(-0.1)}) == "level with b, c"
    assert standing({"a": gain(0.9), "b": gain(-0.9)}) == "behind b"
    # 0.19 alone is ahead (p = 0.045); beside four others it is not shown (Holm).
    assert standing({"a": gain(0.19)}) == "ahead of all 1"
    many = {name: gain(0.19) for name in "abcde"}
    assert standing(many) == "level with a, b, c and 2 more"
