"""Worth of a rule: intervals that cover, for prices, budgets and several arms."""

import numpy as np
import pytest

from suite.campaign.allocation import Terms
from suite.campaign.evaluate import Evidence, compare, curve
from suite.campaign.methods import methods_table
from suite.campaign.told_apart import outer_slope, ten_groups

N = 500


def drawn(rng: np.random.Generator, n: int, arms: int, cap: float | None, money: bool) -> Evidence:
    """Predictions that are right up to noise; two arms of which the second is dearer."""
    truth = 0.2 + 0.3 * rng.normal(size=(n, arms))
    psi = truth + 0.4 * rng.normal(size=(n, arms))
    cost = np.broadcast_to(np.array([0.1, 0.3])[:arms], (n, arms)).copy()
    return Evidence(
        psi=psi,
        earned=2 * psi,
        gain=truth + 0.1 * rng.normal(size=(n, arms)),
        folds=rng.permutation(np.arange(n) % 5),
        groups=None,
        tie=rng.random(n),
        terms=Terms(np.full(n, 2.0), cost, cap, money),
        seed=0,
    )


@pytest.mark.parametrize(
    ("arms", "cap", "money"),
    [
        (1, 0.3, False),
        pytest.param(1, None, False, marks=pytest.mark.slow),
        pytest.param(2, None, False, marks=pytest.mark.slow),
        pytest.param(2, 0.1, True, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover_the_worth_of_the_rule(arms, cap, money):
    """Against nobody, everybody and chance, the truth taken from a large draw."""
    whole = compare(drawn(np.random.default_rng(0), 200_000, arms, cap, money))
    rng = np.random.default_rng(1)
    found = [compare(drawn(rng, N, arms, cap, money)) for _ in range(300)]
    for name in ("nobody", "everybody", "random"):
        truth = getattr(whole, name).mean
        estimates = [getattr(c, name) for c in found]
        covered = np.mean([e.low <= truth <= e.high for e in estimates])
        assert 0.91 <= covered <= 0.985, name
        spread = np.std([e.mean for e in estimates])
        assert spread == pytest.approx(np.mean([e.se for e in estimates]), rel=0.13), name


def test_band_covers_the_whole_curve():
    truth = [p.mean for p in curve(drawn(np.random.default_rng(0), 100_000, 1, None, False))]
    rng, covered = np.random.default_rng(2), []
    for _ in range(200):
        points = curve(drawn(rng, N, 1, None, False))
        covered.append(all(p.low <= t <= p.high for p, t in zip(points, truth, strict=True)))
    assert np.mean(covered) >= 0.9


def test_last_point_of_the_curve_is_everybody():
    evidence = drawn(np.random.default_rng(3), N, 1, None, False)
    assert curve(evidence)[-1].mean == pytest.approx(compare(evidence).all_treated.mean)


def test_budget_of_customers_is_kept_in_every_fold():
    evidence = drawn(np.random.default_rng(4), N, 2, 0.2, False)
    decision = compare(evidence).decision
    for fold in range(5):
        assert (decision[evidence.folds == fold] > 0).sum() == 20


def test_methods_table_puts_the_better_first_and_levels_copies():
    rng = np.random.default_rng(5)
    evidence = drawn(rng, 3000, 1, None, False)
    noise = rng.normal(size=evidence.gain.shape)
    table = methods_table(
        evidence,
        {"noise": noise, "copy": evidence.gain.copy(), "good": evidence.gain},
        share=0.3,
    )
    assert [row.name for row in table][-1] == "noise"
    by_name = {row.name: row for row in table}
    assert by_name["copy"].level
    assert by_name["good"].level
    assert not by_name["noise"].level
    assert by_name["noise"].behind.high < 0


def test_groups_and_slope_say_whether_predictions_are_right():
    evidence = drawn(np.random.default_rng(6), 20_000, 1, None, False)
    slope = outer_slope(evidence, 1)
    # the predictions have noise of variance 0.01 beside 0.09 of signal
    assert slope.low <= 0.9 <= slope.high
    groups = ten_groups(evidence, 1)
    predicted = [g.predicted for g in groups]
    assert predicted == sorted(predicted, reverse=True)
    assert groups[0].observed.low > groups[-1].observed.high
    flat = Evidence(**{**evidence.__dict__, "gain": evidence.gain * 0})
    assert outer_slope(flat, 1) is None
