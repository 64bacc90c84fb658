"""No number of the page comes from a row that model, choice, calibration or threshold saw.

What was measured in some folds is scrambled. Nothing that is said about those folds may move
before it is measured there: predictions, decisions, prices, segments in words, drivers' methods.
"""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from suite.campaign import findings, work
from suite.campaign.analyse import Settings, setup_of
from suite.campaign.load import Options, load_campaign
from suite.campaign.plan import Progress, left_outs
from suite.campaign.store import Result
from tests.suite.campaign.made import small

METHODS, FOLDS = ("r-lasso", "x-lasso"), 3


@pytest.fixture(scope="module")
def campaign():
    frame = small(n=3600)
    rng = np.random.default_rng(3)
    frame["revenue"] = np.where(frame.bought == "yes", rng.gamma(4, 5, len(frame)), 0).round(2)
    return load_campaign(frame, Options(outcome="bought", money="revenue", cost="1"))


@pytest.fixture(scope="module")
def setup(campaign):
    return setup_of(campaign, Settings(folds=FOLDS))


def scrambled(campaign, setup, folds):
    """Outcome and money of the rows of `folds` dealt out anew among all of them."""
    rows = np.flatnonzero(np.isin(setup.folds, folds))
    dealt = np.random.default_rng(5).permutation(rows)
    outcome, money = campaign.outcome.copy(), campaign.money.copy()
    outcome[rows], money[rows] = campaign.outcome[dealt], 3 * campaign.money[dealt]
    changed = {"outcome": outcome, "money": money}
    return replace(campaign, **changed), replace(setup, **changed, cache={})


def found(campaign, setup):
    """The findings, as the units compute them."""
    results: dict[str, dict] = {}
    for name in ("means", *METHODS):
        results[name] = {}
        for out in left_outs(FOLDS):
            answer = work.means(setup, out) if name == "means" else work.fit(setup, out, name)
            results[name][out] = Result(*answer)
    means = results.pop("means")
    return findings.find(campaign, setup, means, results, Progress())


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def plain(campaign, setup):
    return found(campaign, setup)


def test_a_fold_does_not_move_what_is_predicted_and_decided_in_it(campaign, setup, plain):
    other = found(*scrambled(campaign, setup, (2,)))
    inside = setup.folds == 2
    assert np.array_equal(plain.evidence.gain[inside], other.evidence.gain[inside])
    assert np.array_equal(plain.comparison.decision[inside], other.comparison.decision[inside])
    assert np.array_equal(plain.evidence.terms.value[inside], other.evidence.terms.value[inside])
    assert plain.outcome.choices[2] == other.outcome.choices[2]
    # The scrambling is strong enough to be seen elsewhere.
    assert not np.array_equal(plain.evidence.gain[~inside], other.evidence.gain[~inside])
    assert len(np.unique(plain.evidence.terms.value)) == FOLDS
    assert plain.comparison.nobody.mean != pytest.approx(other.comparison.nobody.mean, rel=0.05)


def test_segments_do_not_come_from_the_rows_that_measure_them(campaign, setup, plain):
    other = found(*scrambled(campaign, setup, setup.segment_folds[:1]))
    gains = [{s.rule: s.gain.mean for s in f.segments} for f in (plain, other)]
    assert gains[0].keys() == gains[1].keys()
    assert max(gains[0].values()) > max(gains[1].values()) + 0.06
