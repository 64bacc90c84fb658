"""The measure against its definitions, against the R package, and on bad input."""

import csv
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.qini import (
    adjusted_qini_score,
    qini_curve,
    qini_score,
    scores_of_checked,
    uplift_rank_correlation,
)

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("brute_force", HERE / "brute_force.py")
brute_force = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(brute_force)

CONVENTIONS = ("paper", "tools4uplift", "twincausal")
MEASURES = (qini_score, uplift_rank_correlation, adjusted_qini_score)


def simulated(n, seed=0, levels=None):
    """Rows whose uplift grows with the score; `levels` makes ties."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    t = rng.integers(0, 2, n)
    y = (rng.random(n) < 0.3 + 0.15 * t * np.tanh(s)).astype(int)
    return y, (s if levels is None else np.round(s * levels) / levels), t


@st.composite
def rows(draw):
    n = draw(st.integers(4, 45))
    scores = draw(
        st.sampled_from(
            [
                st.integers(0, 3),  # a few groups of ties
                st.integers(0, n),  # some ties
                st.floats(-1, 1),
            ]
        )
    )
    s = draw(st.lists(scores, min_size=n, max_size=n))
    if draw(st.booleans()):
        s = list(draw(st.permutations(range(n))))  # none
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    t = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda t: 0 < sum(t) < n))
    return y, s, t, draw(st.integers(2, min(n, 15)))


@pytest.mark.parametrize("convention", CONVENTIONS)
@settings(max_examples=100, deadline=None)
@given(data=rows())
def test_equals_the_definition(convention, data):
    y, s, t, bins = data
    ours = [measure(y, s, t, bins=bins, convention=convention) for measure in MEASURES]
    assert ours == pytest.approx(getattr(brute_force, convention)(y, s, t, bins), abs=1e-10)


@pytest.mark.parametrize("levels", [None, 1, 1000])
def test_many_rows_take_no_other_way(levels):
    """Order statistics of many rows come from a part of them; the counts must not notice."""
    y, s, t = simulated(100_003, seed=8, levels=levels)
    _, group, size = np.unique(-s, return_inverse=True, return_counts=True)
    first = np.concatenate([[0], np.cumsum(size)])[group]
    edges = [-(-k * len(s) // 10) for k in range(11)]
    taken = np.clip((np.array(edges)[:, None] - first) / size[group], 0, 1)
    treated, control = taken @ t, taken @ (1 - t)
    responses, control_responses = taken @ (t * y), taken @ ((1 - t) * y)
    curve = qini_curve(y, s, t)
    assert curve.treated == pytest.approx(np.diff(treated))
    assert curve.gain[1:] == pytest.approx(
        (responses - control_responses * treated / np.maximum(control, 1))[1:] / t.sum()
    )
    observed = np.diff(responses) / np.diff(treated) - np.diff(control_responses) / np.diff(control)
    assert curve.observed == pytest.approx(observed)


def test_stored_values_of_tools4uplift():
    scores = np.load(HERE / "tools4uplift_scores.npz")
    with open(HERE / "tools4uplift_values.csv") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 6
    for line in lines:
        y, s, t = (
            scores[f"{line['data']}/{name}"] for name in ("y", line["predictor"], "treatment")
        )
        q = qini_score(y, s, t, convention="tools4uplift")
        q_adj = adjusted_qini_score(y, s, t, convention="tools4uplift")
        assert q == pytest.approx(float(line["q"]), abs=1e-9)
        assert q_adj == pytest.approx(float(line["q_adj"]), abs=1e-9)


def test_all_values_of_tools4uplift(reference_folder):
    pytest.importorskip("pyarrow", reason="the reference is in parquet files")
    values = pd.read_csv(reference_folder / "values.csv")
    for data, lines in values.groupby("data"):
        frame = pd.read_parquet(
            reference_folder / f"{data}.parquet", columns=["y", "treatment", "part"]
        )
        held_out = frame[frame["part"] != "train"].reset_index(drop=True)
        predictions = pd.read_parquet(reference_folder / f"{data}_predictions.parquet")
        test = held_out["part"] == "test"
        for line in lines.itertuples():
            arguments = (
                held_out["y"][test],
                predictions[line.predictor][test],
                held_out["treatment"][test],
            )
            q = qini_score(*arguments, convention="tools4uplift")
            q_adj = adjusted_qini_score(*arguments, convention="tools4uplift")
            assert (q, q_adj) == pytest.approx((line.q, line.q_adj), abs=1e-9), line


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("levels", [None, 3])
def test_order_of_rows_and_increasing_transformations_change_nothing(convention, levels):
    y, s, t = simulated(997, seed=1, levels=levels)
    shuffle = np.random.default_rng(2).permutation(len(y))
    for measure in MEASURES:
        expected = measure(y, s, t, convention=convention)
        assert measure(y[shuffle], s[shuffle], t[shuffle], convention=convention) == expected
        for transform in (np.exp, np.arctan, lambda s: 1e6 * s - 3):
            assert measure(y, transform(s), t, convention=convention) == expected


@pytest.mark.parametrize("n", [10, 11, 997, 6000, 100_003])
@pytest.mark.parametrize("value", [0.0, 0.1, -7.3])
def test_a_constant_score_is_worth_nothing(n, value):
    y, _, t = simulated(n, seed=n)
    s = np.full(n, value)
    assert abs(qini_score(y, s, t)) < 1e-12
    assert uplift_rank_correlation(y, s, t) == 0
    assert adjusted_qini_score(y, s, t) == 0


def test_a_bin_without_an_arm_counts_zero_pairs():
    # Bins of two rows: the first has no control, the other three are in perfect order.
    y = [1, 0, 1, 0, 1, 1, 0, 1]
    t = [1, 1, 1, 0, 1, 0, 1, 0]
    s = [8, 7, 6, 5, 4, 3, 2, 1]
    curve = qini_curve(y, s, t, bins=4)
    assert np.isnan(curve.observed[0])
    assert curve.observed[1:].tolist() == [1, 0, -1]
    assert curve.scores.rho == pytest.approx(3 / 6)  # 3 of the 6 pairs are known
    # g after the first bin has no control term: 1 response of 5 treated.
    assert curve.gain[1] == pytest.approx(1 / 5)


def test_equal_fractions_of_other_counts_are_ties():
    # Observed uplift 1/2 - 1/3 and 2/3 - 1/2: equal, though not in floating point.
    first = [(1, 1), (0, 1), (1, 0), (0, 0), (0, 0)]
    second = [(1, 1), (1, 1), (0, 1), (1, 0), (0, 0)]
    y, t = zip(*first, *second, strict=True)
    s = np.arange(10, 0, -1)
    for convention in ("paper", "tools4uplift"):
        assert uplift_rank_correlation(y, s, t, bins=2, convention=convention) == 0


def test_the_curve_and_its_table():
    y, s, t = simulated(1000, seed=3)
    curve = qini_curve(y, s, t)
    order = np.argsort(-s)
    ate = y[t == 1].mean() - y[t == 0].mean()
    assert curve.phi == pytest.approx(np.arange(11) / 10)
    assert curve.gain[0] == 0
    assert curve.gain[-1] == pytest.approx(ate)
    assert list(curve.table.columns) == ["rows", "treated", "control", "predicted", "observed"]
    for k, line in enumerate(curve.table.itertuples()):
        rows = order[100 * k : 100 * (k + 1)]
        assert line.Index == k + 1
        assert (line.rows, line.treated) == (100, t[rows].sum())
        assert line.control == 100 - line.treated
        assert line.predicted == pytest.approx(s[rows].mean())
        observed = y[rows][t[rows] == 1].mean() - y[rows][t[rows] == 0].mean()
        assert line.observed == pytest.approx(observed)
    q, rho, q_adj = curve.scores
    assert (q, rho, q_adj) == tuple(measure(y, s, t) for measure in MEASURES)
    assert q == pytest.approx(100 * np.trapezoid(curve.gain - curve.phi * ate, curve.phi))


def test_all_containers_and_label_types_give_the_same():
    y, s, t = simulated(500, seed=4)
    expected = adjusted_qini_score(y, s, t)
    assert expected > 0
    assert adjusted_qini_score(y.tolist(), s.tolist(), t.tolist()) == expected
    assert adjusted_qini_score(y == 1, s, t == 1) == expected
    index = np.random.default_rng(0).permutation(500)  # positions count, an index does not
    series = [pd.Series(values, index=index) for values in (y, s, t.astype(float))]
    assert adjusted_qini_score(*series) == expected
    nullable = [pd.array(values, dtype="Int64") for values in (y, t)]
    assert adjusted_qini_score(nullable[0], s, nullable[1]) == expected


@pytest.mark.parametrize("n", [6000, 50_000])
def test_single_precision_scores_need_no_conversion(n):
    y, s, t = simulated(n, seed=5)
    s = s.astype(np.float32)
    assert (
        scores_of_checked(y, s, t)
        == scores_of_checked(y, s.astype(np.float64), t)
        == qini_curve(y, s, t).scores
    )


def test_close_to_causalml_on_continuous_scores():
    pytest.importorskip("causalml", reason="it is the peer")
    from causalml.metrics import qini_score as per_row

    for seed in range(5):
        y, s, t = simulated(20_000, seed=seed)
        frame = pd.DataFrame({"y": y, "w": t, "model": s})
        theirs = per_row(frame, normalize=False)["model"] * 100 / t.sum()
        # The trapezoid over 10 bins cuts corners off a concave curve: 1/100 of its area and noise.
        assert qini_score(y, s, t) == pytest.approx(theirs, abs=0.1)
        assert qini_score(y, s, t, bins=2000) == pytest.approx(theirs, abs=0.01)


@pytest.mark.parametrize("measure", [*MEASURES, qini_curve])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0, 1]}, r"rows differ: y has 2, uplift has 20, treatment has 20"),
        ({"treatment": [1] * 20}, r"treatment has only treated rows"),
        ({"treatment": [0] * 20}, r"treatment has only control rows"),
        ({"y": [2] + [0] * 19}, r"y\[0\] is 2; y must be 0 or 1"),
        ({"treatment": [0, 1] * 9 + [0, -1]}, r"treatment\[19\] is -1"),
        ({"y": [0.0] * 19 + [np.nan]}, r"y\[19\] is nan"),
        ({"uplift": [0.0] * 19 + [np.nan]}, r"uplift\[19\] is nan; uplift must be finite"),
        ({"uplift": [np.inf] + [0.0] * 19}, r"uplift\[0\] is inf"),
        ({"uplift": [np.inf, -np.inf] + [0.0] * 18}, r"uplift\[0\] is inf"),
        ({"uplift": np.zeros((20, 2))}, r"uplift has shape \(20, 2\)"),
        ({"uplift": ["a"] * 20}, r"uplift holds values that are not numbers"),
        ({"y": ["yes"] * 20}, r"y holds values such as 'yes'; it must be 0/1 or boolean"),
        ({"bins": 1}, r"bins is 1; it must be a whole number, at least 2"),
        ({"bins": 2.5}, r"bins is 2.5"),
        ({"bins": True}, r"bins is True"),
        ({"bins": 21}, r"bins is 21 for 20 rows"),
        ({"convention": "R"}, r"convention is 'R'; it must be one of paper, tools4uplift"),
    ],
)
def test_bad_input_is_named(measure, change, message):
    good = {"y": [0, 1, 1, 0] * 5, "uplift": np.arange(20.0), "treatment": [0, 1] * 10}
    with pytest.raises(ValueError, match=message):
        measure(**{**good, **change})


def test_empty_input_is_an_error():
    with pytest.raises(ValueError, match="bins is 10 for 0 rows"):
        qini_score([], [], [])


def test_inputs_stay_as_they_were():
    y, s, t = simulated(100)
    copies = y.copy(), s.copy(), t.copy()
    for array in (y, s, t):
        array.setflags(write=False)
    qini_curve(y, s, t)
    assert all((a == b).all() for a, b in zip((y, s, t), copies, strict=True))


def test_the_measure_is_light_to_import():
    heavy = "{'torch', 'econml', 'causalml', 'numba', 'pandas', 'sklearn', 'scipy'}"
    code = (
        f"import sys, twin.qini; assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
