"""TwinBoost's derivatives against autograd, its rounds and sparse lines against plain formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

from twin.boost import derivatives, rounds, trees
from twin.boost.bins import Bins
from twin.boost.heads import Head
from twin.boost.sparse import minimise, sparse_line

P = 3
COLUMNS = np.arange(P)


@pytest.mark.parametrize("c", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("augmented", [False, True])
def test_derivatives_are_those_of_autograd(c: float, augmented: bool) -> None:
    torch = pytest.importorskip("torch", reason="autograd is torch's")
    rng = np.random.default_rng(7)
    n, e = 40, 0.4
    f, d, t = rng.normal(size=n), rng.normal(size=n), rng.integers(0, 2, n).astype(float)
    y, weight = rng.integers(0, 2, n).astype(float), rng.random(n)
    rows = np.arange(n, dtype=np.uint32)
    for uplift_head in (False, True):
        pairs = np.empty((n, 2))
        sums = derivatives.newton_weights(
            uplift_head, augmented, np.log(e / (1 - e)), c, f, d, t - c, y, weight, rows, pairs
        )
        g, h = pairs.T
        np.testing.assert_allclose(sums, [g.sum(), h.sum()])
        at = torch.tensor(d if uplift_head else f, requires_grad=True)
        other = torch.tensor(f if uplift_head else d)
        F, D = (other, at) if uplift_head else (at, other)
        T, Y = torch.tensor(t), torch.tensor(y)
        own = F + (T - c) * D
        loss = torch.nn.functional.softplus(own) - Y * own
        if augmented:  # eq. augmented_loss_function: -2 log m_yt + log(e m_y1 + (1 - e) m_y0)
            sign = 2 * Y - 1
            m1, m0 = torch.sigmoid(sign * (F + (1 - c) * D)), torch.sigmoid(sign * (F - c * D))
            loss = 2 * loss + torch.log(e * m1 + (1 - e) * m0)
        total = (torch.tensor(weight) * loss).sum()
        (first,) = torch.autograd.grad(total, at, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), at)
        np.testing.assert_allclose(g, first.detach().numpy(), atol=1e-10)
        if augmented:  # what is left out is negative
            assert np.all(h >= second.numpy() - 1e-10)
            assert np.all(h >= 0)
        else:
            np.testing.assert_allclose(h, second.numpy(), atol=1e-10)
    own = f + (t - c) * d
    value = derivatives.mean_loss(own, y, weight)
    expected = np.average(np.logaddexp(0, own) - y * own, weights=weight)
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("scale", [0.0, 0.1, 1.0, 30.0, 1e5])
def test_the_quick_loss_is_nearer_than_its_margin(scale: float) -> None:
    rng = np.random.default_rng(3)
    n = 5000  # several blocks
    logits, y, weight = scale * rng.normal(size=n), rng.integers(0, 2, n) * 1.0, rng.random(n)
    exact = derivatives.mean_loss(logits, y, weight)
    quick = derivatives.quick_loss(logits, y, weight, weight.sum())
    assert abs(quick - exact) < 0.1 * derivatives.quick_margin(n) * (1 + exact)


def data(seed: int = 0, n: int = 300) -> rounds.Data:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, P))
    bins = Bins.of(X)
    t = rng.integers(0, 2, n).astype(float)
    y = (rng.random(n) < 1 / (1 + np.exp(-(X[:, 1] + t * X[:, 0])))).astype(float)
    order = np.arange(n, dtype=np.int32)
    return rounds.Data(
        bins.apply(X), bins.n_bins, bins.categorical, bins.z, y, t - 0.5, rng.random(n) + 0.5,
        order[: n // 2], order[n // 2 :],
    )  # fmt: skip


def test_a_head_is_the_sum_of_its_steps_and_a_run_keeps_its_best_round() -> None:
    rows = data()
    f, d = np.zeros(300), np.zeros(300)
    loss = rounds.Loss(False, 0.0, 0.5)
    growths = tuple(rounds.Growth(COLUMNS, bonus, 0.3) for bonus in (1.2, 0.0))
    best, count, (f_steps, d_steps), gains = rounds.run(rows, loss, growths, (2, 1), f, d, 200, 10)
    assert 0 < count < 190
    assert (f_steps.line[:count] >= 0).any()  # both kinds of step occur
    assert (f_steps.feature[:count, 0] >= 0).any()
    values = []
    for steps in (f_steps, d_steps):
        head = Head.of_steps(steps, count, rows.z, rows.n_bins)
        one_by_one = np.zeros(300)
        for r in range(count):
            j = steps.line[r]
            if j >= 0:
                one_by_one += steps.value[r, 0] + steps.slope[r] * rows.z[j, rows.B[:, j]]
            else:
                tree = steps.feature[r], steps.left[r], steps.value[r]
                trees.add_tree(rows.B, *tree, rows.z.shape[1], one_by_one)
        values.append(head.values(rows.B))
        np.testing.assert_allclose(values[-1], one_by_one, atol=1e-10)
        np.testing.assert_array_equal(head.values(rows.B, threads=2), values[-1])
    stop = rows.stop_rows
    a = values[0][stop] + rows.s[stop] * values[1][stop]
    kept = np.average(np.logaddexp(0, a) - rows.y[stop] * a, weights=rows.weight[stop])
    assert best == pytest.approx(kept)
    assert gains.shape == (2, P)


def test_along_is_the_mean_over_rows_for_a_tree_of_one_covariate_and_sums_add() -> None:
    rows = data(1)
    rng = np.random.default_rng(2)
    table = rng.normal(size=rows.z.shape)
    flat = Head.additive(0.5, table)
    np.testing.assert_allclose(flat.along(1, rows.n_bins[1]), table[1, : rows.n_bins[1] + 1])
    both = flat + flat.scaled(-0.25)
    np.testing.assert_allclose(both.values(rows.B), 0.75 * flat.values(rows.B))


def test_sparse_line_without_penalty_is_logistic_regression() -> None:
    rows = data(3)
    f = np.random.default_rng(3).normal(size=300)
    found = minimise(rows, COLUMNS, f, np.zeros(P + 1), 0.0)
    penalised = minimise(rows, COLUMNS, f, np.zeros(P + 1), 0.02)
    fit = rows.fit_rows
    Z = np.column_stack([rows.z[j, rows.B[fit, j]] for j in range(P)])
    A = rows.s[fit, None] * np.column_stack([np.ones(len(fit)), Z])

    def loss(beta: np.ndarray, penalty: float = 0.0) -> float:
        a = f[fit] + A @ beta
        mean = np.average(np.logaddexp(0, a) - rows.y[fit] * a, weights=rows.weight[fit])
        return mean + penalty * np.abs(beta[1:]).sum()

    np.testing.assert_allclose(found, scipy_minimize(loss, np.zeros(P + 1)).x, atol=1e-3)
    around = [penalised + step for step in 0.01 * np.random.default_rng(0).normal(size=(50, P + 1))]
    assert all(loss(penalised, 0.02) <= loss(beta, 0.02) + 1e-7 for beta in around)
    best, beta, columns, gains = sparse_line(rows, f)
    assert best <= min(loss_of_stopping(rows, f, columns, b) for b in (beta, 0 * beta)) + 1e-9
    assert gains.argmax() == columns[np.abs(beta[1:]).argmax()]


def loss_of_stopping(rows, f, columns, beta) -> float:
    stop = rows.stop_rows
    Z = np.column_stack([rows.z[j, rows.B[stop, j]] for j in columns])
    a = f[stop] + rows.s[stop] * (beta[0] + Z @ beta[1:])
    return float(np.average(np.logaddexp(0, a) - rows.y[stop] * a, weights=rows.weight[stop]))
