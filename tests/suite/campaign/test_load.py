"""A campaign file as it comes: roles, types, leaks and fairness; real files where they are."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from suite.campaign import prices, say
from suite.campaign.auc import auc, auc_within
from suite.campaign.errors import DataError, UserError
from suite.campaign.load import Options, load_campaign
from suite.campaign.prices import Budget
from tests.suite.campaign.retail import retail, written


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    path = written(retail(), tmp_path_factory.mktemp("retail") / "campaign.csv")
    return load_campaign(path, Options(value="30", cost="0.5"))


def test_roles_and_columns(campaign):
    assert (campaign.outcome_name, campaign.outcome_value) == ("bought", "yes")
    assert (campaign.arm_name, campaign.arms) == ("arm", ("control", "mail"))
    assert campaign.id_name == "customer_id"
    assert campaign.ids[2] == "C000002"
    assert campaign.groups is None
    kinds = {c.name: c.kind for c in campaign.columns if c.used}
    assert kinds == {
        "signup": "date", "last_purchase": "date", "store": "category", "city": "category",
        "age": "number", "spend": "number", "has_app": "category",
    }  # fmt: skip
    assert str(campaign.as_of) == "2025-01-31"
    assert [c.name for c in campaign.columns if c.why.endswith("each")] == ["zip"]


def test_leaks_are_left_out_and_kept_on_demand(campaign):
    assert {s.name: s.after for s in campaign.suspects} == {
        "revenue": "outcome", "opened": "treatment"
    }  # fmt: skip
    bought = int(campaign.outcome.sum())
    said = {s.name: s.said for s in campaign.suspects}
    assert said["revenue"].startswith(f"all {bought} rows above 0 are bought = yes")
    assert said["opened"].startswith("missing in every control row")
    kept = load_campaign(retail(), Options(keep=["revenue"]))
    assert "revenue" in kept.used
    assert "opened" not in kept.used


def test_a_level_that_one_arm_alone_has_is_a_leak_even_if_it_is_rare():
    frame = retail()
    treated = frame["arm"] == "mail"
    rng = np.random.default_rng(5)
    frame["opened"] = np.where(treated & (rng.random(len(frame)) < 0.06), "yes", "no")
    found = {s.name: s.said for s in load_campaign(frame).suspects}
    assert (
        f"{(frame['opened'] == 'yes').sum()} rows with value yes in mail alone" in found["opened"]
    )


def test_prices_by_row(campaign):
    assert np.all(campaign.value == 30)
    assert campaign.cost.shape == (3000, 2)
    assert campaign.cost[0].tolist() == [0.0, 0.5]


def test_prices_and_probabilities_in_columns_with_decimal_comma(tmp_path):
    frame = retail().drop(columns=["revenue", "opened"])
    half = np.arange(3000) % 2 == 0
    frame = frame.assign(k=np.where(half, "0,5", "1,25"), p="0,5", v="1.030,25")
    path = written(frame, tmp_path / "campaign.csv", sep=";")
    found = load_campaign(path, Options(value="v", cost="k", propensity="p"))
    assert np.array_equal(found.cost[:, 1], np.where(half, 0.5, 1.25))
    assert np.all(found.value == 1030.25)
    assert np.all(found.fairness.design == 0.5)
    with pytest.raises(UserError, match="city is no number in row 1; prices must be complete"):
        load_campaign(path, Options(value="v", cost="city"))


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("5000", Budget("5000", customers=5000)),
        ("5,000", Budget("5,000", customers=5000)),
        ("2.5%", Budget("2.5%", share=0.025)),
        ("12'000.50 CHF", Budget("12'000.50 CHF", money=12000.5)),
        ("1,250,000€", Budget("1,250,000€", money=1250000.0)),
    ],
)
def test_budgets(text, budget):
    assert prices.budget(text, priced=True) == budget


@pytest.mark.parametrize(
    "text", ["2,5%", "12.000 EUR", "12,5 EUR", "5k", "5.000", "1,2,3", "5 mio", "0", "101%", "-5"]
)
def test_budgets_that_could_be_another_number_are_refused(text):
    with pytest.raises(UserError, match="--budget .*: say 5000"):
        prices.budget(text, priced=True)


def test_money_gives_the_value_that_was_not_said():
    frame = retail()
    found = load_campaign(frame, Options(money="revenue", cost="2"))
    assert np.array_equal(found.money, frame["revenue"])
    bought = (frame["bought"] == "yes").sum()
    assert found.prices.value == pytest.approx(frame["revenue"].sum() / bought)
    assert found.value is None  # of each fold it comes from the others
    assert "revenue" not in {s.name for s in found.suspects}


def test_the_terminal_is_80_wide_and_every_guess_has_a_line(campaign):
    lines = say.lines(campaign.guesses)
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    text = "\n".join(lines)
    for option in ("--outcome", "--arm --control", "--id", "--as-of", "--types", "--keep"):
        assert option in text


@pytest.mark.parametrize("said", [None, "comma"])
def test_the_decimal_sign_is_said_and_can_be_said(said, tmp_path):
    frame = retail().assign(income=[f"{2000 + k:,}" for k in range(3000)])
    path = written(frame, tmp_path / "campaign.csv")
    for source in (path, frame):
        found = load_campaign(source, Options(decimal=said))
        income = np.arange(2000, 5000) / (1000 if said else 1)
        np.testing.assert_allclose(found.frame["income"], income)
    line = say.lines(load_campaign(path, Options(decimal=said)).guesses)[0]
    assert f"decimal {said or 'point'}" in line
    assert line.endswith("--decimal")


def test_frames_and_files_say_the_same(campaign, tmp_path):
    frame = retail()
    frame["age"] = pd.to_numeric(frame["age"])
    frame["signup"] = pd.to_datetime(frame["signup"])
    frame["has_app"] = frame["has_app"] == "yes"
    frame.to_parquet(tmp_path / "c.parquet")
    for source in (frame, tmp_path / "c.parquet"):
        again = load_campaign(source)
        assert again.used == campaign.used
        assert np.array_equal(again.outcome, campaign.outcome)
        pd.testing.assert_series_equal(again.frame["age"], campaign.frame["age"])
        pd.testing.assert_series_equal(again.frame["signup"], campaign.frame["signup"])


def test_repeated_ids_are_groups():
    frame = retail()
    frame["customer_id"] = [f"C{i // 2}" for i in range(len(frame))]
    groups = load_campaign(frame).groups
    assert groups is not None
    assert (groups[0::2] == groups[1::2]).all()
    assert groups.max() + 1 == len(frame) // 2


@pytest.mark.parametrize("values", [1, 4, 100])
def test_an_id_that_many_rows_share_is_no_id_of_customers(values):
    frame = retail().drop(columns="customer_id")
    frame.insert(0, "segment_id", np.arange(3000) % values)
    found = load_campaign(frame, Options(arm="arm"))
    assert found.id_name is None
    kinds = {c.name: c.kind for c in found.columns}
    assert kinds["segment_id"] == ("category" if values > 1 else "constant")
    frame.insert(0, "store_id", np.arange(3000) // 10)
    frame["customer_id"] = [f"C{i // 10}" for i in range(3000)]
    assert load_campaign(frame, Options(arm="arm")).id_name == "customer_id"


def test_an_id_of_few_values_is_refused():
    with pytest.raises(DataError, match="--id city has 3 different values; 30 are needed"):
        load_campaign(retail(), Options(id="city"))


def test_churn_is_better_lower():
    frame = retail().rename(columns={"bought": "churned"})
    assert load_campaign(frame).lower_is_better
    assert not load_campaign(frame, Options(lower_is_better=False)).lower_is_better


def test_rows_without_outcome_may_be_dropped():
    frame = retail()
    frame.loc[:19, "bought"] = ""
    with pytest.raises(DataError, match="bought is missing in 20 rows .0.7 %."):
        load_campaign(frame)
    assert load_campaign(frame, Options(drop_missing=True)).n == 2980


def test_dates_after_as_of_are_suspected():
    campaign = load_campaign(retail(), Options(as_of="2024-12-31"))
    assert {s.name for s in campaign.suspects if s.after == "as-of"} == {"last_purchase"}


def test_auc_is_that_of_scikit_learn_and_strata_hold_their_own():
    rng = np.random.default_rng(0)
    score, positive = rng.integers(0, 9, 500).astype(float), rng.random(500) < 0.4
    assert auc(score, positive)[0] == pytest.approx(roc_auc_score(positive, score))
    # Within a stratum the stratum's number tells nothing.
    strata = rng.integers(0, 2, 4000)
    positive = rng.random(4000) < np.where(strata == 0, 0.1, 0.9)
    assert auc(strata.astype(float), positive)[0] > 0.85
    assert auc_within(strata.astype(float), positive, strata)[0] == 0.5


def assigned(share: np.ndarray, seed: int = 0) -> pd.DataFrame:
    """The small campaign with treatment drawn by row, and outcomes that depend on it."""
    frame = retail(len(share), seed).drop(columns=["revenue", "opened"])
    rng = np.random.default_rng(seed + 100)
    treated = rng.random(len(share)) < share
    frame["arm"] = np.where(treated, "mail", "control")
    frame["bought"] = np.where(rng.random(len(share)) < 0.2 + 0.1 * treated, "yes", "no")
    return frame


def test_verdicts():
    age = pd.to_numeric(retail()["age"]).fillna(45).to_numpy()
    fair = load_campaign(assigned(np.full(3000, 0.5))).fairness
    assert fair.verdict == "fair"
    assert fair.propensity == "design"
    chosen = load_campaign(assigned(1 / (1 + np.exp(-(age - 45) / 30)))).fairness
    assert chosen.verdict in ("slightly predictable", "not random")
    assert chosen.propensity == "estimate"
    assert np.allclose(chosen.design.sum(axis=1), 1)
    # e(x) follows the age that decided
    assert np.corrcoef(chosen.design[:, 1], age)[0, 1] > 0.5
    extreme = assigned(1 / (1 + np.exp(-(age - 45) / 4)))
    strong = load_campaign(extreme).fairness
    assert strong.verdict == "not random"
    assert strong.outside.sum() > 100


def test_a_fair_test_is_called_fair_in_most_draws():
    verdicts = [
        load_campaign(retail(1200, seed).drop(columns=["store", "zip"])).fairness.verdict
        for seed in range(8)
    ]
    assert verdicts.count("fair") >= 7


def test_strata_are_no_suspects_and_give_their_shares():
    city = retail()["city"].to_numpy()
    share = np.where(city == "Basel", 0.9, 0.5)
    frame = assigned(share)
    found = load_campaign(frame, Options(strata=["city"]))
    assert found.suspects == ()
    assert found.fairness.verdict == "fair"
    assert found.fairness.propensity == "strata"
    observed = (found.arm[city == "Basel"] == 1).mean()
    assert np.allclose(found.fairness.design[city == "Basel", 1], observed)


@pytest.mark.slow
def test_effect_of_stratified_files_is_that_of_the_truth():
    """Weighted by the shares found, over 20 draws; the plain difference is far off."""
    errors, plain = [], []
    for seed in range(20):
        frame = retail(4000, seed).drop(columns=["revenue", "opened", "store"])
        rng = np.random.default_rng(seed + 500)
        basel = (frame["city"] == "Basel").to_numpy()
        treated = rng.random(4000) < np.where(basel, 0.9, 0.5)
        frame["arm"] = np.where(treated, "mail", "control")
        bought = rng.random(4000) < 0.2 + 0.25 * basel + 0.1 * treated
        frame["bought"] = np.where(bought, "yes", "no")
        found = load_campaign(frame, Options(strata=["city"]))
        assert found.suspects == ()
        weight = 1 / found.fairness.design[np.arange(4000), found.arm]
        rates = [
            np.average(found.outcome[found.arm == a], weights=weight[found.arm == a])
            for a in (0, 1)
        ]
        errors.append(rates[1] - rates[0] - 0.1)
        plain.append(found.any_effect.effect - 0.1)
    assert abs(np.mean(errors)) < 2 * np.std(errors, ddof=1) / np.sqrt(20)
    assert np.mean(plain) > 0.03


@pytest.mark.parametrize("said", ["0.5", "mail=0.5", "control=0.5,mail=0.5"])
def test_shares_are_tested(said):
    frame = assigned(np.full(3000, 0.7))
    with pytest.raises(DataError, match="--propensity .*, but 70.2 % of 3,000 rows are treated"):
        load_campaign(frame, Options(propensity=said))
    share = (frame["arm"] == "mail").mean()
    found = load_campaign(frame, Options(propensity=f"{share:.2f}")).fairness
    assert found.propensity == "number"
    assert np.allclose(found.design[:, 1], round(share, 2))


def test_probabilities_of_a_column():
    share = np.where(np.arange(3000) % 2 == 0, 0.3, 0.6)
    frame = assigned(share).assign(p=share)
    found = load_campaign(frame, Options(propensity="p"))
    assert np.allclose(found.fairness.design[:, 1], share)
    assert "p" not in found.used
    with pytest.raises(UserError, match="row 1 is 1.5"):
        load_campaign(frame.assign(p=1.5), Options(propensity="p"))


def test_hillstrom():
    folder = os.environ.get("UPLIFT_DATA")
    found = sorted(Path(folder).rglob("Kevin_Hillstrom*.csv")) if folder else []
    if not found:
        pytest.skip("UPLIFT_DATA names no folder with Hillstrom's csv")
    with pytest.raises(UserError) as error:
        load_campaign(found[0])
    assert str(error.value) == (
        "which column is the outcome? visit (14.7 % of 1), conversion (0.9 % of 1): "
        "add --outcome visit"
    )
    campaign = load_campaign(found[0], Options(outcome="visit"))
    assert campaign.arm_name == "segment"
    assert campaign.arms[0] == "No E-Mail"
    assert len(campaign.arms) == 3
    assert {s.name for s in campaign.suspects} == {"conversion", "spend"}
    assert all(c.used or c.suspected or c.kind in ("outcome", "arm") for c in campaign.columns)
    assert campaign.any_effect.effect == pytest.approx(0.0609, abs=0.0005)
    assert campaign.any_effect.se == pytest.approx(0.0028, abs=0.0002)
    assert campaign.fairness.verdict == "fair"


def test_the_retail_file_of_the_specification(tmp_path):
    script = os.environ.get("UPLIFT_CAMPAIGN")
    if not script:
        pytest.skip("UPLIFT_CAMPAIGN does not name make_campaign.py")
    subprocess.run([sys.executable, script, "0", str(tmp_path)], check=True)
    campaign = load_campaign(tmp_path / "campaign.csv", Options(value="30", cost="0.5"))
    assert (campaign.outcome_name, campaign.outcome_value) == ("bought", "yes")
    assert (campaign.arm_name, campaign.arms) == ("arm", ("control", "mail"))
    assert campaign.id_name == "customer_id"
    assert [c.name for c in campaign.columns if c.kind == "date"] == [
        "signup_date",
        "last_purchase",
    ]
    assert {s.name for s in campaign.suspects} == {"revenue", "email_opened"}
    unused = {c.name for c in campaign.columns if not c.used and not c.suspected}
    assert unused - {"arm", "bought"} == {"customer_id", "zip"}
    with pytest.raises(DataError) as error:
        load_campaign(tmp_path / "campaign.csv", Options(propensity="0.5"))
    share = campaign.fairness.shares[1]
    assert str(error.value) == (
        f"--propensity 0.5, but {100 * share:.1f} % of 30,000 rows are treated (p < 1e-300): rows "
        "were lost or the design was another. Say --propensity design to go on"
    )


def test_fairness_depends_on_nothing_but_the_file(campaign):
    again = load_campaign(retail())
    one, two = replace(again.fairness, design=None), replace(campaign.fairness, design=None)
    assert one == two
