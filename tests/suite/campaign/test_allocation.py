"""Decisions against brute force."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from suite.campaign.allocation import Terms, allocate, decide, hashed


def brute_force(net: np.ndarray, cost: np.ndarray, budget: float) -> float:
    n, k = net.shape
    best = 0.0
    for arms in product(range(k + 1), repeat=n):
        spent = sum(cost[i, a - 1] for i, a in enumerate(arms) if a)
        if spent <= budget + 1e-9:
            best = max(best, sum(net[i, a - 1] for i, a in enumerate(arms) if a))
    return best


def earned(net: np.ndarray, decision: np.ndarray) -> float:
    return sum(net[i, a - 1] for i, a in enumerate(decision) if a)


@pytest.mark.parametrize("seed", range(6))
def test_equal_costs_reach_the_optimum(seed):
    rng = np.random.default_rng(seed)
    net, cost = rng.normal(size=(6, 2)), np.ones((6, 2))
    for budget in range(7):
        decision = allocate(net, cost, budget, rng.random(6))
        assert earned(net, decision) == pytest.approx(brute_force(net, cost, budget))
        assert (decision > 0).sum() <= budget


@pytest.mark.parametrize("seed", range(6))
def test_on_the_hull_greedy_is_within_one_customer_of_the_optimum(seed):
    rng = np.random.default_rng(seed)
    net, cost = rng.random((6, 2)), rng.uniform(0.2, 1.0, (6, 2))
    for budget in (0.5, 1.0, 2.0, 10.0):
        decision = allocate(net, cost, budget, rng.random(6))
        spent = sum(cost[i, a - 1] for i, a in enumerate(decision) if a)
        assert spent <= budget + 1e-9
        assert earned(net, decision) >= brute_force(net, cost, budget) - net.max()
    everything = allocate(net, cost, 100.0, rng.random(6))
    assert earned(net, everything) == pytest.approx(net.max(axis=1).sum())


def test_dominated_arms_and_losses_are_never_taken():
    net = np.array([[1.0, 0.9], [-1.0, -2.0], [0.5, 3.0]])
    cost = np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
    assert allocate(net, cost, 10, np.zeros(3)).tolist() == [1, 0, 2]


def test_free_treatments_come_first():
    net, cost = np.array([[1.0], [5.0]]), np.array([[0.0], [4.0]])
    assert allocate(net, cost, 0.0, np.zeros(2)).tolist() == [1, 0]


def test_price_rule_takes_the_best_net_arm():
    gain = np.array([[0.10, 0.11], [0.01, 0.0], [0.0, 0.2]])
    terms = Terms(value=np.full(3, 30.0), cost=np.array([[0.5, 1.5]] * 3))
    assert decide(gain, terms, np.zeros(3)).tolist() == [1, 0, 2]


def test_ties_are_broken_by_the_id_whatever_the_order():
    ids = pd.Series([f"C{i}" for i in range(40)])
    tie = hashed(ids, 40, seed=0)
    gain = np.full((40, 1), 0.1)
    terms = Terms(np.ones(40), np.zeros((40, 1)), cap=0.25)
    chosen = set(ids[decide(gain, terms, tie) > 0])
    assert len(chosen) == 10
    order = np.random.default_rng(0).permutation(40)
    moved = ids.iloc[order].reset_index(drop=True)
    again = set(moved[decide(gain, terms, hashed(moved, 40, seed=0)) > 0])
    assert again == chosen
    assert set(ids[decide(gain, terms, hashed(ids, 40, seed=1)) > 0]) != chosen
