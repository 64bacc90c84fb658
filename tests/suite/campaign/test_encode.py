"""The encoder against brute force: medians, levels, rates learnt inside the rows given."""

import json

import numpy as np
import pandas as pd
import pytest

from suite.campaign.encode import Encoder
from suite.campaign.load import load_campaign
from suite.campaign.types import Column
from tests.suite.campaign.retail import retail


@pytest.fixture(scope="module")
def campaign():
    return load_campaign(retail())


def fitted(campaign, rows=slice(None)):
    frame = campaign.frame.iloc[rows]
    return Encoder().fit(campaign.columns, frame, campaign.outcome[rows], campaign.arm[rows])


def test_numbers_dates_and_levels(campaign):
    train = np.arange(2000)
    encoder = fitted(campaign, train)
    X = pd.DataFrame(encoder.transform(campaign.frame), columns=encoder.names)
    age = campaign.frame["age"]
    assert np.array_equal(X["age"], age.fillna(age[:2000].median()))
    assert np.array_equal(X["age missing"], age.isna())
    days = (pd.Timestamp("2025-01-31") - campaign.frame["signup"]).dt.days
    assert np.array_equal(X["signup: days before"], days)
    assert np.array_equal(X["has_app = yes"], campaign.frame["has_app"] == "yes")
    assert "has_app = no" not in X
    cities = [name for name in X if name.startswith("city = ")]
    assert len(cities) == 2  # the third is what remains
    for name in cities:
        assert np.array_equal(X[name], campaign.frame["city"] == name.removeprefix("city = "))


def test_many_levels_have_the_smoothed_rate_of_controls_of_the_training_rows(campaign):
    train = np.arange(2000)
    encoder = fitted(campaign, train)
    X = pd.DataFrame(encoder.transform(campaign.frame), columns=encoder.names)
    control = campaign.arm[:2000] == 0
    y, store = campaign.outcome[:2000], campaign.frame["store"].astype(str).to_numpy()
    prior = y[control].mean()
    for row in (0, 1, 2500):
        own = control & (store[:2000] == store[row])
        expected = (y[own].sum() + 20 * prior) / (own.sum() + 20)
        assert X["store: rate of controls"][row] == pytest.approx(expected, abs=1e-12)


def test_outcomes_of_other_rows_change_nothing(campaign):
    train = np.arange(2000)
    before = fitted(campaign, train).transform(campaign.frame)
    outcome = campaign.outcome.copy()
    outcome[2000:] = 1 - outcome[2000:]
    frame = campaign.frame.iloc[train]
    other = Encoder().fit(campaign.columns, frame, outcome[train], campaign.arm[train])
    assert np.array_equal(other.transform(campaign.frame), before)


def test_state_is_json_and_gives_the_same_numbers(campaign):
    encoder = fitted(campaign)
    again = Encoder.from_state(json.loads(json.dumps(encoder.state())))
    assert again.names == encoder.names
    assert again.groups == encoder.groups
    assert np.array_equal(again.transform(campaign.frame), encoder.transform(campaign.frame))


def test_levels_never_seen_are_other_and_have_the_average_rate():
    levels = [f"s{k}" for k in range(40)]
    values = pd.Series(pd.Categorical(np.repeat(levels, 60)))
    frame = pd.DataFrame({"s": values})
    y = (np.arange(2400) % 5 == 0).astype(np.int8)
    arm = (np.arange(2400) % 2).astype(np.int8)
    encoder = Encoder().fit([Column("s", "category", True)], frame, y, arm)
    assert len([n for n in encoder.names if n.startswith("s = ")]) == 30
    new = pd.DataFrame({"s": pd.Series(pd.Categorical(["never", None, "s0"]))})
    X = encoder.transform(new)
    assert X[0, :30].tolist() == [0.0] * 30
    assert X[0, 30] == X[1, 30] == pytest.approx(y[arm == 0].mean())


def test_another_day_moves_dates_only(campaign):
    encoder = fitted(campaign)
    here = encoder.transform(campaign.frame)
    later = encoder.transform(campaign.frame, "2025-02-10")
    moved = [
        n for n, same in zip(encoder.names, (here == later).all(axis=0), strict=True) if not same
    ]
    assert moved == ["signup: days before", "last_purchase: days before"]
    assert np.all(later[:, 0] - here[:, 0] == 10)
