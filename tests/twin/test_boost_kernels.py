"""The kernels of TwinBoost against brute force, derivatives against autograd."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

from twin.boost import derivatives, histograms, rounds, splits, trees
from twin.boost.bins import Bins
from twin.boost.heads import Head
from twin.boost.sparse import minimise, sparse_line

N, P = 60, 3
N_BINS = np.array([5, 4, 4])
CATEGORICAL = np.array([False, False, True])
COLUMNS = np.arange(P)


def small(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bins with missing values, first and second derivatives."""
    rng = np.random.default_rng(seed)
    B = np.column_stack([rng.integers(0, k + 1, N) for k in N_BINS]).astype(np.uint8)
    return B, rng.normal(size=N), rng.random(N) + 0.1


def histogram(B: np.ndarray, rows: np.ndarray, g: np.ndarray, h: np.ndarray) -> np.ndarray:
    words = histograms.pack(B, np.arange(len(B)), COLUMNS)
    out = np.full((histograms.PACKED * len(words), 8, 2), 7.0)  # what was there must not count
    pairs = np.column_stack([g, h])
    histograms.histogram_of(words, rows.astype(np.uint32), COLUMNS, N_BINS, pairs, out)
    return out[:P]


@pytest.mark.parametrize("seed", range(3))
def test_histogram(seed: int) -> None:
    B, g, h = small(seed)
    rows = np.flatnonzero(np.random.default_rng(seed).random(N) < 0.6)
    out = histogram(B, rows, g, h)
    for j in range(P):
        for b in range(N_BINS[j] + 1):
            inside = rows[B[rows, j] == b]
            np.testing.assert_allclose(out[j, b], [g[inside].sum(), h[inside].sum()], atol=1e-12)
    other = np.setdiff1d(np.arange(N), rows)
    rest = np.zeros_like(out)
    histograms.subtract(histogram(B, np.arange(N), g, h), out, COLUMNS, N_BINS, rest)
    for j in range(P):
        count = N_BINS[j] + 1
        np.testing.assert_allclose(
            rest[j, :count], histogram(B, other, g, h)[j, :count], atol=1e-12
        )


@pytest.mark.parametrize("p", [1, 4, 5, 8, 9, 12, 19])
def test_sums_take_the_rows_in_their_order(p: int) -> None:
    """To the last bit, whatever number of covariates is packed."""
    rng = np.random.default_rng(p)
    n_bins = rng.integers(1, 256, 30)
    B = (rng.random((500, 30)) * (n_bins + 1)).astype(np.uint8)
    columns = np.sort(rng.permutation(30)[:p])
    pairs = np.column_stack([rng.normal(size=500), rng.random(500)])
    given = np.sort(rng.permutation(500)[:400])
    words = histograms.pack(B, given, columns)
    some = np.flatnonzero(rng.random(400) < 0.5).astype(np.uint32)
    found = histograms.empty_histograms(1, words, 256)
    histograms.histogram(words, 300, columns, n_bins, pairs, found[0, 0])
    histograms.histogram_of(words, some, columns, n_bins, pairs, found[1, 0])
    for rows, out in ((range(300), found[0, 0]), (some, found[1, 0])):
        expected = np.zeros((p, 256, 2))
        for q in rows:
            expected[np.arange(p), B[given[q], columns]] += pairs[q]
        np.testing.assert_array_equal(out[:p], expected)


def gain(g: np.ndarray, h: np.ndarray, left: np.ndarray, ridge: float) -> float:
    """Of sending the rows of the mask `left` to one side; minus infinity where one is too light."""
    if min(h[left].sum(), h[~left].sum()) < splits.LEAST:
        return -np.inf
    sides = [g[m].sum() ** 2 / (h[m].sum() + ridge) for m in (left, ~left, np.ones(len(g), bool))]
    return sides[0] + sides[1] - sides[2]


def every_split(B: np.ndarray, g: np.ndarray, h: np.ndarray) -> list[tuple[float, int, frozenset]]:
    """All thresholds with missing values on either side, and all groups of categories."""
    found = []
    for j in range(P):
        missing = int(N_BINS[j])
        ridge = splits.CATEGORY_RIDGE if CATEGORICAL[j] else splits.RIDGE
        if CATEGORICAL[j]:
            groups = [c for k in range(missing + 1) for c in combinations(range(missing), k)]
        else:
            groups = [tuple(range(k)) for k in range(missing + 1)]
        for group in groups:
            for left in (frozenset(group), frozenset(group) | {missing}):
                found.append((gain(g, h, np.isin(B[:, j], list(left)), ridge), j, left))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_best_split_is_the_best_of_all(seed: int) -> None:
    B, g, h = small(seed)
    best, j, _ = max(every_split(B, g, h), key=lambda split: split[0])
    hist = histogram(B, np.arange(N), g, h)
    found = splits.best_split(hist, COLUMNS, N_BINS, CATEGORICAL, g.sum(), h.sum())
    if not CATEGORICAL[j]:
        assert found[0] == pytest.approx(best)
    # With the ridge the order of categories is nearly, not always, the best one.
    assert 0.95 * best <= found[0] <= best + 1e-9
    words, a = np.zeros(4, np.uint64), found[1]
    splits.write_split(
        hist[a], N_BINS[a], CATEGORICAL[a], found[2], found[3], 2 * found[5] > h.sum(), words
    )
    goes = np.array([splits.goes_left(words, b) for b in B[:, a]])
    ridge = splits.CATEGORY_RIDGE if CATEGORICAL[a] else splits.RIDGE
    assert gain(g, h, goes, ridge) == pytest.approx(found[0])
    np.testing.assert_allclose([g[goes].sum(), h[goes].sum()], found[4:])


def test_best_line_is_weighted_least_squares() -> None:
    B, g, h = small(4)
    z = np.random.default_rng(0).normal(size=(P, 8))
    hist = histogram(B, np.arange(N), g, h)
    found, j, slope, centre = splits.best_line(
        hist, COLUMNS, N_BINS, CATEGORICAL, z, g.sum(), h.sum()
    )
    gains = {}
    for k in np.flatnonzero(~CATEGORICAL):
        x = z[k, B[:, k]] - np.average(z[k, B[:, k]], weights=h)
        gains[k] = (g @ x) ** 2 / (h @ x**2 + splits.RIDGE)
    assert j == max(gains, key=gains.get)
    assert found == pytest.approx(gains[j])
    x = z[j, B[:, j]] - centre
    least = scipy_minimize(
        lambda b: g @ x * b[0] + 0.5 * (h @ x**2 + splits.RIDGE) * b[0] ** 2, [0.0]
    )
    assert slope == pytest.approx(least.x[0], abs=1e-5)


def grown(B: np.ndarray, g: np.ndarray, h: np.ndarray, depth: int) -> tuple[tuple, np.ndarray]:
    nodes = 2 ** (depth + 1) - 1
    tree = (
        np.zeros(nodes, np.int32),
        np.zeros((nodes, 4), np.uint64),
        np.zeros(nodes),
        np.zeros(nodes),
    )
    words = histograms.pack(B, np.arange(N), COLUMNS)
    hists, gains = histograms.empty_histograms(2 ** (depth - 1), words, 8), np.zeros(P)
    hists[0, 0, :P] = histogram(B, np.arange(N), g, h)
    root = splits.best_split(hists[0, 0], COLUMNS, N_BINS, CATEGORICAL, g.sum(), h.sum())
    trees.grow(
        words, N, N_BINS, CATEGORICAL, COLUMNS, np.column_stack([g, h]), g.sum(), h.sum(), root,
        0.5, tree, hists, np.empty((2, N), np.uint32), gains,
    )  # fmt: skip
    return tree, gains


@pytest.mark.parametrize("seed", range(4))
def test_every_node_of_a_tree_is_its_best_split_and_newton_step(seed: int) -> None:
    B, g, h = small(seed)
    (feature, left, value, weight), gains = grown(B, g, h, depth=3)
    expected, total = np.zeros(N), 0.0
    queue = [(0, np.arange(N), splits.RIDGE)]
    while queue:
        node, rows, ridge = queue.pop()
        assert value[node] == pytest.approx(-0.5 * g[rows].sum() / (h[rows].sum() + ridge))
        assert weight[node] == pytest.approx(h[rows].sum())
        if feature[node] == trees.LEAF:
            expected[rows] = value[node]
            if node < len(feature) // 2:
                hist = histogram(B, rows, g, h)
                sums = g[rows].sum(), h[rows].sum()
                assert splits.best_split(hist, COLUMNS, N_BINS, CATEGORICAL, *sums)[1] == -1
            continue
        j = feature[node]
        goes = np.array([splits.goes_left(left[node], b) for b in B[rows, j]])
        ridge = splits.CATEGORY_RIDGE if CATEGORICAL[j] else splits.RIDGE
        own = gain(g[rows], h[rows], goes, ridge)
        best = max(split[0] for split in every_split(B[rows], g[rows], h[rows]))
        assert 0.9 * best <= own <= best + 1e-9
        total += own
        queue += [(2 * node + 1, rows[goes], ridge), (2 * node + 2, rows[~goes], ridge)]
    assert len(np.unique(expected)) > 4
    assert gains.sum() == pytest.approx(0.5 * 0.5 * 1.5 * total)  # loss that a half step takes off
    out = np.ones(N)
    trees.add_tree(B, feature, left, value, 8, out)
    np.testing.assert_allclose(out, 1 + expected)
    order = np.random.default_rng(seed).permutation(N).astype(np.uint32)
    columns = np.array([2, 0, 1])
    words, packed = histograms.pack(B, order, columns), np.ones(N)
    trees.add_packed_tree(words, np.argsort(columns), feature, left, value, 8, order, packed)
    np.testing.assert_array_equal(packed, out)


def test_a_bin_without_rows_follows_the_heavier_side() -> None:
    B, g, h = small(0)
    B[:] = np.minimum(B, N_BINS - 1)  # nothing is missing
    hist = histogram(B, np.arange(N), g, h)
    found = splits.best_split(hist, COLUMNS[:1], N_BINS, CATEGORICAL, g.sum(), h.sum())
    words = np.zeros(4, np.uint64)
    heavier = 2 * found[5] > h.sum()
    splits.write_split(hist[0], N_BINS[0], False, found[2], found[3], heavier, words)
    assert splits.goes_left(words, int(N_BINS[0])) == heavier


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
