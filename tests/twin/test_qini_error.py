"""The standard error of q against finite differences and simulation."""

import re
from pathlib import Path

import numpy as np
import pytest

from twin.qini import qini_score
from twin.qini_error import influence, qini_difference, row_influence, standard_error

EXAMPLE = ([5, 5], [5, 5], [4, 2], [1, 2])  # treated, control and their responses


def rows_of_example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y, t, u = [], [], []
    for index, (n1, n0, r1, r0) in enumerate(zip(*EXAMPLE, strict=True)):
        y += [1] * r1 + [0] * (n1 - r1) + [1] * r0 + [0] * (n0 - r0)
        t += [1] * n1 + [0] * n0
        u += [1.0 - index] * (n1 + n0)
    return np.array(y), np.array(u), np.array(t)


def test_worked_example() -> None:
    y, u, t = rows_of_example()
    assert qini_score(y, u, t, bins=2) == pytest.approx(7.5)
    assert standard_error(*EXAMPLE) == pytest.approx(5.9687, abs=5e-5)
    psi = influence(*EXAMPLE)
    assert [psi[0, 1, 1], psi[0, 0, 1], psi[1, 1, 1]] == pytest.approx([1.5, -2.25, -2.5])


def made(seed: int, n: int = 400, ties: bool = False) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    t = rng.integers(0, 2, size=n)
    y = (rng.random(n) < 0.3 + 0.2 * t * np.tanh(x)).astype(int)
    return y, np.round(x) if ties else x, t


def q_of_weights(weight: np.ndarray, y: np.ndarray, bin_: np.ndarray, t: np.ndarray) -> float:
    """q where row i counts `weight[i]` times, its bin and the phi of the bins fixed."""
    phi = np.arange(11) / 10
    gain = [0.0]
    for k in range(10):
        inside = weight * (bin_ <= k)
        n1, n0 = (inside * t).sum(), (inside * (1 - t)).sum()
        r1, r0 = (inside * t * y).sum(), (inside * (1 - t) * y).sum()
        gain.append((r1 - r0 * n1 / n0) / (weight * t).sum())
    return 100 * np.trapezoid(np.array(gain) - phi * gain[-1], phi)


def test_each_row_adds_the_derivative_of_q() -> None:
    y, x, t = made(0)
    bin_ = np.argsort(np.argsort(-x)) // 40
    weight = np.ones(len(y))
    assert q_of_weights(weight, y, bin_, t) == pytest.approx(qini_score(y, x, t))
    psi = row_influence(y, x, t)
    for row in range(0, 400, 23):
        step = np.zeros(len(y))
        step[row] = 1e-4
        up, down = (q_of_weights(weight + s * step, y, bin_, t) for s in (1, -1))
        assert psi[row] == pytest.approx((up - down) / 2e-4, abs=1e-5)
    assert psi.sum() == pytest.approx(0, abs=1e-9)


def test_rows_and_counts_give_the_same_error() -> None:
    y, x, t = made(1)
    order = np.argsort(-x).reshape(10, 40)
    counts = [[(mask[b]).sum() for b in order] for mask in (t, 1 - t, t * y, (1 - t) * y)]
    assert np.sqrt((row_influence(y, x, t) ** 2).sum()) == pytest.approx(standard_error(*counts))


def test_it_is_the_spread_of_q_over_new_outcomes_and_rows() -> None:
    draws = [made(seed, 2000) for seed in range(300)]
    spread = np.std([qini_score(*draw) for draw in draws])
    errors = [np.sqrt((row_influence(*draw) ** 2).sum()) for draw in draws[:30]]
    assert np.mean(errors) == pytest.approx(spread, rel=0.12)


def test_the_error_of_a_difference_is_its_spread() -> None:
    found = []
    for seed in range(200):
        y, x, t = made(seed, 2000)
        other = x + np.random.default_rng([seed, 1]).normal(size=len(x))
        found.append(qini_difference(y, x, other, t))
    spread = np.std([one.difference for one in found])
    assert np.mean([one.standard_error for one in found]) == pytest.approx(spread, rel=0.15)


def test_a_ranking_does_not_differ_from_itself() -> None:
    y, x, t = made(2, ties=True)
    found = qini_difference(y, x, 3 * x, t)
    assert (found.difference, found.standard_error) == (0.0, 0.0)


def test_tied_rows_share_their_bins() -> None:
    """Whatever the order of the rows, and all tied: nothing is ranked, q is 0 without error."""
    y, x, t = made(3, ties=True)
    shuffled = np.random.default_rng(0).permutation(len(y))
    psi = row_influence(y, x, t)
    assert row_influence(y[shuffled], x[shuffled], t[shuffled]) == pytest.approx(psi[shuffled])
    assert row_influence(y, np.zeros(len(y)), t) == pytest.approx(np.zeros(len(y)), abs=1e-12)


def test_a_first_bin_without_controls() -> None:
    psi = influence([4, 2], [0, 6], [2, 1], [0, 2])
    assert np.isfinite(psi).all()
    assert standard_error([4, 2], [0, 6], [2, 1], [0, 2]) > 0


def test_the_example_of_the_documentation_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "measure.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    found = names["found"]
    assert found.difference > 2 * found.standard_error > 0


@pytest.mark.parametrize("bins", [1, 500, True, 2.5])
def test_a_wrong_number_of_bins_is_named(bins: object) -> None:
    with pytest.raises(ValueError, match="bins is"):
        row_influence(*made(4), bins=bins)
