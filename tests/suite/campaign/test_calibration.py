"""The line, its test, and the choice among methods."""

import numpy as np
import pytest

from suite.campaign.calibration import (
    NO_MODEL,
    apply,
    choose,
    rows_needed,
    single,
    smallest_difference,
)

N = 1500


def made(rng, slope: float, methods: int = 1, n: int = N):
    """psi = 0.01 + slope * signal + noise; method j sees the signal at scale 10 ** -j, noisier."""
    signal = rng.normal(size=n)
    psi = (0.01 + slope * signal + 0.6 * rng.normal(size=n))[:, None]
    scores = {
        f"m{j}": (10.0**-j * (signal + (j + 0.2) * rng.normal(size=n)) + 5)[:, None]
        for j in range(methods)
    }
    folds = rng.permutation(np.arange(n) % 4)
    return scores, psi, folds


def test_one_method_is_the_regression_within_folds():
    scores, psi, folds = made(np.random.default_rng(0), 0.1)
    choice = choose(scores, psi, folds, None)
    design = np.column_stack([folds == f for f in range(4)] + [scores["m0"][:, 0]]).astype(float)
    expected = np.linalg.lstsq(design, psi[:, 0], rcond=None)[0][-1]
    assert choice.method == "m0"
    assert choice.calibrations[0].slope == pytest.approx(expected, rel=1e-9)
    uplift = apply(choice.calibrations, scores["m0"])
    assert uplift.mean() == pytest.approx(psi.mean(), abs=1e-9)


def test_scale_of_a_method_does_not_matter():
    scores, psi, folds = made(np.random.default_rng(1), 0.1)
    shrunk = {"m0": scores["m0"] / 1000}
    first, second = choose(scores, psi, folds, None), choose(shrunk, psi, folds, None)
    a, b = apply(first.calibrations, scores["m0"]), apply(second.calibrations, shrunk["m0"])
    assert np.allclose(a, b)


def test_better_method_is_chosen_whatever_its_scale():
    scores, psi, folds = made(np.random.default_rng(2), 0.15, methods=3)
    reverse = dict(reversed(scores.items()))
    assert choose(reverse, psi, folds, None).method == "m0"


def test_line_is_not_flattered_by_the_choice():
    """Eight equally good methods: the line is right, that of the winner on all rows is not."""
    rng, slopes, winners = np.random.default_rng(3), [], []
    for _ in range(150):
        signal = rng.normal(size=N)
        scores = {f"m{j}": (signal + 2 * rng.normal(size=N))[:, None] for j in range(8)}
        psi = (0.2 * signal + 0.6 * rng.normal(size=N))[:, None]
        folds = rng.permutation(np.arange(N) % 4)
        choice = choose(scores, psi, folds, None)
        assert choice.tells
        slopes.append(choice.calibrations[0].slope)
        winners.append(single(scores[choice.method], psi, folds)[0].slope)
    # cov(signal, score) / var(score) = 1 / 5, of 0.2
    assert np.mean(slopes) == pytest.approx(0.04, rel=0.05)
    assert np.mean(winners) > 1.1 * 0.04


def test_nothing_to_find_is_said_nineteen_times_of_twenty():
    rng, told = np.random.default_rng(4), 0
    for _ in range(300):
        scores = {f"m{j}": rng.normal(size=(N, 1)) for j in range(6)}
        psi = 0.03 + 0.6 * rng.normal(size=(N, 1))
        choice = choose(scores, psi, rng.permutation(np.arange(N) % 4), None)
        told += choice.tells
        if not choice.tells:
            assert choice.method == NO_MODEL
            assert np.ptp(apply(choice.calibrations, scores["m0"])) == 0
    assert told / 300 <= 0.09


def test_a_wrong_way_round_score_is_no_reason_to_tell_apart():
    scores, psi, folds = made(np.random.default_rng(5), -0.2)
    choice = choose(scores, psi, folds, None)
    assert not choice.tells
    assert single(scores["m0"], psi, folds)[0].slope > 0  # for the table it keeps its own order


def test_many_rows_get_a_rising_curve():
    rng = np.random.default_rng(6)
    scores, psi, folds = made(rng, 0.1, n=120_000)
    choice = choose(scores, psi, folds, None)
    calibration = choice.calibrations[0]
    assert len(calibration.knots) > 10
    assert (np.diff(calibration.values) >= 0).all()
    uplift = apply(choice.calibrations, scores["m0"])[:, 0]
    assert np.cov(uplift, psi[:, 0])[0, 1] / uplift.var() == pytest.approx(1, abs=0.1)


def test_copies_of_rows_do_not_make_it_surer():
    rng = np.random.default_rng(7)
    scores, psi, folds = made(rng, 0.02, n=1500)
    once = choose(scores, psi, folds, None).slopes[0]
    groups = np.tile(np.arange(1500), 4)
    copies = choose(
        {"m0": np.tile(scores["m0"], (4, 1))}, np.tile(psi, (4, 1)), np.tile(folds, 4), groups
    ).slopes[0]
    assert copies.se == pytest.approx(once.se, rel=0.01)


def test_rows_needed_are_those_that_see_it():
    """At the number of rows that is named, 8 of 10 tests find a difference of half the effect."""
    rng = np.random.default_rng(8)
    effect, sd = 0.4, 1.0
    n = rows_needed(rng.normal(size=10_000) * sd, effect)
    found = 0
    for _ in range(3000):
        half = np.arange(n) < n // 2
        psi = effect + (half - 0.5) * effect / 2 + sd * rng.normal(size=n)
        difference = psi[half].mean() - psi[~half].mean()
        found += difference > 1.645 * 2 * psi.std() / np.sqrt(n)
    assert 0.77 <= found / 3000 <= 0.83
    assert smallest_difference(rng.normal(size=n) * sd) == pytest.approx(effect / 2, rel=0.1)
    assert rows_needed(np.ones(3), 0.0) is None
