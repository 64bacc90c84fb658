"""The variance of one run, split into training, outcome noise and data."""

from pathlib import Path

import numpy as np
import pytest

from suite.compare.frame import frame
from suite.compare.runs import Bins
from suite.compare.seeds import outcome_noise, scores, split
from suite.plan.experiments import EXPERIMENTS
from suite.plan.plan import make_plan
from suite.publish.columns import Published
from suite.show.tables.seeds import seeds_table
from tests.suite.compare.made_runs import made_run
from tests.suite.made import made_column, made_record


def test_scores_of_bins_are_those_of_the_rows() -> None:
    (run,) = frame([made_record("r-lasso")], 20).every_run
    b = run.bins
    rates = np.divide(b.treated_responses, b.treated), np.divide(b.control_responses, b.control)
    found = scores(np.array(b.treated), np.array(b.control), *rates, b.predicted)
    assert float(found) == pytest.approx(run.q_adj)


def test_outcome_noise_is_the_variance_over_test_sets() -> None:
    """Brute force: rows drawn again and again, binned alike, scored by rows."""
    from twin.qini import adjusted_qini_score

    rng = np.random.default_rng(5)
    uplift = np.repeat(np.arange(10)[::-1] / 10, 400)
    treatment = np.tile([0, 1], 2000)
    rate = 0.3 + 0.3 * treatment * uplift
    values = [
        adjusted_qini_score((rng.random(4000) < rate).astype(int), uplift, treatment)
        for _ in range(400)
    ]
    counts = [200.0] * 10
    responses = [200 * (0.3 + 0.3 * u / 10) for u in range(10)[::-1]]
    bins = Bins(
        [u / 10 for u in range(10)[::-1]], [0.0] * 10, counts, counts, responses, [60.0] * 10
    )
    assert outcome_noise(bins) == pytest.approx(np.var(values, ddof=1), rel=0.25)


def test_variance_is_split_into_its_parts() -> None:
    runs = [made_run("twin-64", r, float(r)) for r in range(6)]
    repeated = {
        0: [made_run("twin-64", 0, v) for v in (0.0, 1.0, 2.0)],
        1: [made_run("twin-64", 1, v) for v in (3.0, 3.0, 6.0)],
        2: [made_run("twin-64", 2, 9.0)],  # one seed says nothing
    }
    found = split(repeated, runs)
    assert (found.draws, found.seeds) == (2, 3)
    assert found.training == pytest.approx((1.0 + 3.0) / 2)
    assert found.total == pytest.approx(3.5)
    assert found.noise is None
    assert found.data is None
    assert split({0: repeated[2]}, runs) is None


def test_other_seeds_are_other_seeds_of_the_same_data(tmp_path: Path) -> None:
    own = make_plan(EXPERIMENTS["scenario4"], methods=["twin-64"], replicates=[0]).cells[0]
    other = make_plan(EXPERIMENTS["scenario4-seed3"], methods=["twin-64"], replicates=[0]).cells[0]
    assert own.cell.data == other.cell.data
    assert own.cell.seed != other.cell.seed
    assert own.basis == other.basis
    made_column(tmp_path, "scenario4", ["twin-64", "twin-mu"], replicates=6)
    assert seeds_table(Published(tmp_path)) is None
    made_column(tmp_path, "scenario4-seed3", ["twin-64"], replicates=2, variant=None)
    table = seeds_table(Published(tmp_path))
    (line,) = table.tidy
    assert (line["method"], line["draws"], line["seeds"]) == ("twin-64", 2, 2)
    assert line["variance"] == pytest.approx(line["training"] + line["noise"] + line["data"])
