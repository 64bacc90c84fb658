"""`adjusted_qini_score` beside what else scores a ranking."""

import warnings

import numpy as np
import pandas as pd

from suite.perf.peers.line import Line, announce
from suite.perf.timing import best_seconds
from twin.qini import adjusted_qini_score

ROWS = 1_000_000


def lines() -> list[Line]:
    """On a million rows with continuous float64 scores."""
    announce("Measure")
    from causalml.metrics import qini_score as causalml_qini_score
    from sklift.metrics import qini_auc_score

    rng = np.random.default_rng(0)
    score, treatment = rng.normal(size=ROWS), rng.integers(0, 2, ROWS)
    y = (rng.random(ROWS) < 0.3 + 0.1 * treatment * np.tanh(score)).astype(int)
    frame = pd.DataFrame({"y": y, "w": treatment, "model": score})
    contestants = {
        "ours": lambda: adjusted_qini_score(y, score, treatment),
        "sort": lambda: np.sort(score),
        "causalml": lambda: causalml_qini_score(frame, normalize=False),
        "sklift": lambda: qini_auc_score(y, score, treatment),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-uplift, about scikit-learn to come
        times = best_seconds(contestants, rounds=5)
    what = "Measure", f"q_adj of {ROWS:,} rows"
    ours = times["ours"]
    return [
        Line.at_least(*what, "causalml qini_score", (ours, times["causalml"]), 5.0),
        Line.at_least(*what, "scikit-uplift qini_auc_score", (ours, times["sklift"]), 10.0),
        # The limit is the goal and a third, as a busy machine may need.
        Line.at_most(*what, "numpy.sort of the scores", (ours, times["sort"]), 0.8, 0.6),
    ]
