"""`python -m suite choosing`: the same candidates, each with every score it could be chosen by.

41 candidates on a draw of a scenario: ridge regressions with interactions by 20 penalties, and
boosted trees for each arm by 3 depths and 7 numbers of rounds. They are cheap, and no model of the
paper: what is studied is the choice. Draws from 100 up, where nothing of the tables is computed.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import datasets
from suite.cli import reported
from suite.compare.choosing import FILE
from suite.compute.measures import true_qini
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.show.rendered import RESULTS
from suite.store.lines import append, read
from twin.qini import qini_curve
from twin.rows import Rows

FIRST_REPLICATE = 100
DRAWS = 8
PENALTIES = tuple(10.0 ** (k / 4) for k in range(-2, 18))  # 0.3 to 18,000
DEPTHS = (2, 3, 5)
ROUNDS = (5, 10, 20, 40, 60, 90, 130)
RATE = 0.1
LEAST = 1e-3  # of a predicted probability
Floats = NDArray[np.float64]


class Candidate(NamedTuple):
    """Predicted response of validation and test rows without and with treatment."""

    name: str
    valid: tuple[Floats, Floats]
    test: tuple[Floats, Floats]


@reported
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the units that are not recorded yet."""
    parser = argparse.ArgumentParser(prog="python -m suite choosing", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"of each scenario ({DRAWS})")
    options = parser.parse_args(arguments)
    path = RESULTS / FILE
    done = {record["key"] for record in read(path)}
    for replicate in range(FIRST_REPLICATE, FIRST_REPLICATE + options.draws):
        for scenario in SCENARIOS:
            if f"{scenario}/{replicate}" not in done:
                record = unit(scenario, replicate)
                append(path, record)
                print(f"{record['key']}: {record['cpu_seconds']:.1f} core-seconds", flush=True)
    print(f"{len(read(path))} units in {path}; python -m suite tables shows them")
    return 0


def unit(scenario: str, replicate: int) -> dict[str, Any]:
    """Every score of every candidate on one draw, in the formulas that the paper prints."""
    start = time.process_time()
    data = datasets.load(scenario, replicate=replicate, variant=VARIANTS[0])
    found = [*_ridges(data.train, data.valid, data.test), *_boosted(data)]
    truth = data.test.true_uplift
    return {
        "key": f"{scenario}/{replicate}",
        "scenario": scenario,
        "replicate": replicate,
        "oracle_q": true_qini(truth, truth),
        "candidates": [_scores(candidate, data.valid, data.test) for candidate in found],
        "cpu_seconds": time.process_time() - start,
    }


def _scores(candidate: Candidate, valid: Rows, test: Rows) -> dict[str, Any]:
    """What it could be chosen by on validation rows, and what it is worth on test rows."""
    (low, high), (test_low, test_high) = candidate.valid, candidate.test
    uplift, y, t = high - low, valid.y.astype(float), valid.treatment.astype(float)
    scores = qini_curve(valid.y, uplift, valid.treatment).scores
    tested = qini_curve(test.y, test_high - test_low, test.treatment).scores
    share = t.mean()
    own_mean = share * high + (1 - share) * low
    response = np.clip(np.where(t == 1, high, low), LEAST, 1 - LEAST)
    likelihood = np.log(np.where(y == 1, response, 1 - response)).mean()
    return {
        "name": candidate.name,
        "q_adj": scores.q_adj,
        "q": scores.q,
        "r_loss": float(np.mean(((y - y.mean()) - (t - share) * uplift) ** 2)),
        "r_loss_own_mean": float(np.mean(((y - own_mean) - (t - share) * uplift) ** 2)),
        "likelihood": float(likelihood),
        "truth": true_qini(uplift, valid.true_uplift),
        "test_q_adj": tested.q_adj,
        "test_true_q": true_qini(test_high - test_low, test.true_uplift),
    }


def _ridges(train: Rows, valid: Rows, test: Rows) -> Iterator[Candidate]:
    """Least squares of y on x, t and x t, penalised but for the level and the mean effect."""
    center, scale = train.X.mean(axis=0), train.X.std(axis=0) + 1e-12
    share = train.treatment.mean()

    def design(rows: Rows, t: Floats) -> Floats:
        x, shift = (rows.X - center) / scale, (t - share)[:, None]
        return np.hstack([np.ones_like(shift), shift, x, x * shift])

    A = design(train, train.treatment.astype(float))
    gram, target = A.T @ A, A.T @ train.y
    free = np.ones(len(gram))
    free[:2] = 0.0
    for penalty in PENALTIES:
        weights = np.linalg.solve(gram + penalty * np.diag(free), target)

        def predict(rows: Rows, weights: Floats = weights) -> tuple[Floats, Floats]:
            return tuple(design(rows, np.full(len(rows), arm)) @ weights for arm in (0.0, 1.0))

        yield Candidate(f"ridge, penalty {penalty:.3g}", predict(valid), predict(test))


def _boosted(data: datasets.Dataset) -> Iterator[Candidate]:
    """Boosted trees for each arm; one training gives every number of rounds."""
    import xgboost as xgb

    train = data.train
    parts = [xgb.DMatrix(rows.X, nthread=1) for rows in (data.valid, data.test)]
    for depth in DEPTHS:
        settings = {"max_depth": depth, "eta": RATE, "objective": "binary:logistic", "nthread": 1}
        settings |= {"tree_method": "hist", "max_bin": 64, "seed": 0}
        models = []
        for arm in (0, 1):
            own = train.treatment == arm
            rows = xgb.DMatrix(train.X[own], label=train.y[own], nthread=1)
            models.append(xgb.train(settings, rows, num_boost_round=max(ROUNDS)))
        for rounds in ROUNDS:
            valid, test = (
                tuple(m.predict(p, iteration_range=(0, rounds)).astype(float) for m in models)
                for p in parts
            )
            yield Candidate(f"trees of depth {depth}, {rounds} rounds", valid, test)
