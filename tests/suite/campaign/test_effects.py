"""Effects where the chance of treatment differs by row: on the terminal, and on new rows."""

import re
from dataclasses import replace

import numpy as np
import pytest

from suite.campaign import bundle
from suite.campaign.analyse import without_outside
from suite.campaign.application import ScoreOptions
from suite.campaign.check import check_file
from suite.campaign.effects import scores, weighted
from suite.campaign.errors import DataError
from suite.campaign.inference import Estimate
from suite.campaign.load import Options, load_campaign
from suite.campaign.model import Assignment
from suite.cli import score
from tests.suite.campaign.retail import model, retail, written


def stratified(n: int = 3000, seed: int = 0):
    """Nobody gains; in Basel, where many buy, 90 % are treated, and elsewhere half."""
    frame = retail(n, seed).drop(columns=["revenue", "opened"])
    rng = np.random.default_rng(seed + 500)
    basel = (frame["city"] == "Basel").to_numpy()
    chance = np.where(basel, 0.9, 0.5)
    frame["arm"] = np.where(rng.random(n) < chance, "mail", "control")
    frame["bought"] = np.where(rng.random(n) < 0.1 + 0.35 * basel, "yes", "no")
    return frame.assign(chance=chance)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"strata": ["city"], "ignore": ["chance"]}, "within --strata; unweighted "),
        ({"propensity": "chance"}, "weighted by --propensity; unweighted "),
        ({"propensity": "estimate"}, "weighted by the estimated probabilities; unweighted "),
    ],
)
def test_the_effect_of_the_terminal_is_weighted(options, said):
    campaign = load_campaign(stratified(), Options(**options))
    (effect,) = weighted(campaign)
    assert effect.low < 0 < effect.high
    assert campaign.any_effect.effect > 0.08
    (shown,) = (guess.said for guess in campaign.guesses if guess.what == "effect")
    assert shown.startswith(f"{100 * effect.mean:+.1f} points ({100 * effect.low:.1f} to ")
    assert said in shown


def test_with_one_share_for_all_it_is_the_raw_difference():
    campaign = load_campaign(retail())
    (effect,) = weighted(campaign)
    assert effect.mean == pytest.approx(campaign.effects[1].effect, abs=1e-12)
    assert effect.se == pytest.approx(campaign.effects[1].se, rel=1e-3)
    assert "weighted" not in "".join(guess.said for guess in campaign.guesses)


def test_errors_within_strata_are_those_of_many_draws():
    rng, found = np.random.default_rng(1), []
    for _ in range(300):
        strata = rng.integers(0, 2, 800)
        arm = (rng.random(800) < np.where(strata == 1, 0.85, 0.5)).astype(np.int8)
        y = (rng.random(800) < 0.1 + 0.6 * strata + 0.1 * arm).astype(np.int8)
        treated = np.bincount(strata, arm) / np.bincount(strata)
        e = np.column_stack([1 - treated, treated])[strata]
        found.append(Estimate.of(scores(y, arm, e, strata)[:, 0]))
    means = np.array([estimate.mean for estimate in found])
    assert means.mean() == pytest.approx(0.1, abs=3 * means.std() / np.sqrt(300))
    assert np.mean([estimate.se for estimate in found]) == pytest.approx(means.std(), rel=0.1)


def aged(steep: float, n: int = 3000):
    """Treated the likelier the older; at 45 half of them."""
    rng = np.random.default_rng(9)
    age = rng.normal(45, 14, n).round()
    treated = rng.random(n) < 1 / (1 + np.exp(-(age - 45) * steep))
    frame = retail(n)[["city", "spend"]].assign(age=age)
    frame["arm"] = np.where(treated, "mail", "control")
    frame["bought"] = np.where(rng.random(n) < 0.3 + 0.1 * treated, "yes", "no")
    return frame


def test_a_small_control_group_is_small_for_everybody():
    """250 of 12,500 at random: 2 % is the design, not the rows' own certainty."""
    frame = retail(12_500)[["city", "spend", "bought"]]
    control = np.random.default_rng(4).permutation(12_500) < 250
    frame["arm"] = np.where(control, "control", "mail")
    campaign = load_campaign(frame, Options(propensity="estimate"))
    outside = campaign.fairness.outside
    assert outside is None or outside.sum() < 100


def test_what_is_said_of_the_arms_is_of_the_rows_that_remain():
    whole = load_campaign(aged(0.25))
    assert whole.fairness.outside.sum() > 100
    left = without_outside(whole)
    assert sum(effect.rows for effect in left.effects) == left.n < whole.n
    assert left.any_effect == replace(left.effects[1], arm="any treatment")
    treated = left.arm == 1
    rates = left.outcome[treated].mean(), left.outcome[~treated].mean()
    assert left.any_effect.effect == pytest.approx(rates[0] - rates[1])


def test_the_rows_that_remain_must_be_enough():
    with pytest.raises(DataError) as error:
        load_campaign(aged(2.0))
    text = r"\w+ has \d+ (rows|positive outcomes) left, as [\d,]+ rows were almost certain of their"
    assert re.match(text, str(error.value))
    assert str(error.value).endswith("needed. If there was a design, say --propensity or --strata")


def evaluated(tmp_path, assignment: Assignment) -> tuple[str, tuple[float, float]]:
    """What --evaluate says of a rule that costs 1, and its interval against nobody."""
    path = written(stratified(4000, 3), tmp_path / "new.csv")
    said = check_file(replace(model(), assignment=assignment), path, ScoreOptions())
    line = next(line for line in said.splitlines() if "against treating nobody" in line)
    low, high = line[line.index("(") + 1 : line.index(")")].split(" to ")
    return said, (float(low), float(high))


@pytest.mark.parametrize(
    "assignment", [Assignment("strata", ("city",)), Assignment("column", ("chance",))]
)
def test_evaluate_goes_by_the_design_of_the_campaign(assignment, tmp_path):
    """Treating adds nothing, so that the rule loses the cost of those whom it treats."""
    said, (low, high) = evaluated(tmp_path, assignment)
    treated = float(said[said.index("treats ") + 7 : said.index(" %")]) / 100
    assert treated > 0.2
    assert low < -treated < high < 1


def test_evaluate_says_what_it_takes_for_granted_or_that_it_cannot(tmp_path, capsys):
    said, (low, _) = evaluated(tmp_path, Assignment())
    assert said.startswith("the model does not say how arms were drawn: ")
    assert low > 0  # buyers in Basel pass for an effect
    bundle.save(replace(model(), assignment=Assignment("estimate")), tmp_path / "model.uplift")
    given = [str(tmp_path / "model.uplift"), str(tmp_path / "new.csv"), "--evaluate"]
    assert score.main([*given, "--out", str(tmp_path / "scores.csv")]) == 2
    assert capsys.readouterr().err == (
        "error: --evaluate needs the chances of treatment, which the campaign could only estimate; "
        "python -m suite campaign new.csv judges these rows by themselves\n"
    )
    assert not (tmp_path / "scores.csv").exists()


def test_a_bundle_keeps_what_arms_were_drawn_by(tmp_path):
    assignment = Assignment("strata", ("city", "has_app"))
    bundle.save(replace(model(), assignment=assignment), tmp_path / "model.uplift")
    assert bundle.load(tmp_path / "model.uplift").assignment == assignment
