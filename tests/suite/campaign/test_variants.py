"""Several arms, budgets, money, an outcome to avoid, no prices: each from table to page."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import suite.campaign
from suite.campaign import analyse, plan, work
from suite.campaign.store import Result
from tests.suite.campaign.made import small


@pytest.fixture(autouse=True, scope="module")
def _in_this_process():
    """Units without worker processes: the same functions, called directly."""

    class Inline:
        def __init__(self, setup, jobs, dask, limits):
            self.jobs, self.setup = jobs, setup

        def close(self):
            return None

    def run(units, workers, store, until=None):
        results = {}
        for unit in units:
            arrays, values = work.TASKS[unit.task](workers.setup, **unit.arguments)
            results[unit.key] = Result(arrays, values, 0.1)
            store.put(unit.key, results[unit.key])
        return results

    with pytest.MonkeyPatch.context() as patched, threadpool_limits(1):
        patched.setattr(analyse, "pool_of", Inline)
        for module in (analyse, plan):
            patched.setattr(module, "run_units", run)
        yield


def fit(frame, **options):
    settings = {"methods": ("r-lasso",), "folds": 3, "time": "1h"}
    return suite.campaign.fit(frame, outcome="bought", **settings, **options)


def test_several_arms_take_the_better_net():
    frame = small(arms=3)
    result = fit(frame, value=10, cost="mail=0.5,call=5")
    summary = result.summary
    assert summary["treatments"] == ["call", "mail"]
    assert summary["rule"]["shares"]["call"] < 0.05  # it costs twice what it can earn
    assert 0.4 < summary["rule"]["shares"]["mail"] < 0.6
    assert set(result.rows()["treat"]) <= {"", "mail", "call"}
    assert "mail: " in result.report()


@pytest.mark.slow
def test_budget_of_customers_and_of_money():
    share = fit(small(), budget="20%")
    assert share.summary["rule"]["share"] == pytest.approx(0.2, abs=0.001)
    assert share.summary["decision"]["rule"] == "top"
    assert "within the budget of 20%" in share.report()
    money = fit(small(), value=10, cost=0.5, budget="450 EUR")
    assert money.summary["rule"]["customers"] == pytest.approx(900, abs=3)


def test_an_outcome_to_avoid_turns_everything_round():
    """Fewer "no" is the same question as more "yes"; the answer must be the same."""
    good = fit(small(), value=10, cost=0.5).summary
    frame = small().rename(columns={"bought": "churned"})
    frame["churned"] = frame["churned"].map({"yes": "no", "no": "yes"})
    result = suite.campaign.fit(
        frame, outcome="churned", value=10, cost=0.5, methods=("r-lasso",), folds=3, time="1h"
    )
    bad = result.summary
    assert bad["outcome"]["lower_is_better"]
    for name in ("nobody", "everybody", "random"):
        a, b = good["rule"]["against"][name], bad["rule"]["against"][name]
        assert b["mean"] == pytest.approx(a["mean"], abs=a["se"])
    treated = result.rows()["treat"] == 1
    assert (frame.has_app[treated] == "yes").mean() > 0.95
    assert result.rows()["uplift"][treated].max() < 0  # the outcome falls
    assert result.model.uplift(result.findings.campaign.frame)[treated].mean() < 0


@pytest.mark.slow
def test_observed_money_measures_the_profit():
    frame = small()
    rng = np.random.default_rng(3)
    frame["revenue"] = np.where(frame.bought == "yes", rng.gamma(4, 5, len(frame)), 0).round(2)
    summary = fit(frame, money="revenue").summary
    profit = summary["rule"]["against"]["nobody"]
    assert profit["low"] <= 0.5 * 0.25 * 20 <= profit["high"]
    assert summary["decision"]["value"] == pytest.approx(20, abs=1.5)


@pytest.mark.slow
def test_without_prices_nothing_is_decided():
    result = fit(small())
    assert result.summary["answer"]["kind"] == "ranking"
    assert result.model.decision.rule == "ranking"
    assert "cost divided by value" in result.report()
    ratios = [row["ratio"] for row in result.summary["break_even"]]
    assert ratios == sorted(ratios, reverse=True)


@pytest.fixture(scope="module")
def nothing():
    """Twenty files in which treating changes nothing for anybody."""
    return [fit(small(seed=seed, effect=0.0), value=10, cost=0.5) for seed in range(20)]


@pytest.mark.slow
def test_nothing_to_find_is_the_answer_in_17_of_20_files(nothing):
    summaries = [result.summary for result in nothing]
    assert sum(not s["tells_apart"]["yes"] for s in summaries) >= 17
    assert sum(s["answer"]["first"] == "Treat nobody." for s in summaries) >= 17
    assert sum(result.model.decision.rule == "nobody" for result in nothing) >= 17


@pytest.mark.slow
def test_the_page_says_that_there_is_nothing_to_find(nothing):
    result = next(r for r in nothing if not r.summary["tells_apart"]["yes"])
    html = result.report()
    assert "We cannot tell customers apart" in html
    assert f"{result.summary['tells_apart']['rows_needed']:,} rows" in html


@pytest.mark.slow
def test_repeated_customers_stay_together():
    frame = small()
    frame["customer_id"] = [f"C{i // 2}" for i in range(len(frame))]
    frame["arm"] = frame["arm"].to_numpy()[np.arange(len(frame)) // 2 * 2]
    options = {"value": 10, "cost": 0.5, "id": "customer_id"}
    result = fit(frame, **options)
    folds = result.findings.evidence.folds
    assert (folds[::2] == folds[1::2]).all()
    assert result.findings.evidence.groups is not None


@pytest.mark.slow
def test_rows_that_were_always_treated_are_left_out():
    campaign = fit(small(), value=10, cost=0.5).findings.campaign
    outside = np.arange(campaign.n) % 10 == 0
    marked = replace(campaign, fairness=replace(campaign.fairness, outside=outside))
    left = analyse.without_outside(marked)
    assert left.n == len(left.frame) == len(left.ids) == (~outside).sum()
    assert len(left.fairness.design) == left.n
