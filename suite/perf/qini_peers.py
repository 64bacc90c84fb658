"""`adjusted_qini_score` beside what else scores a ranking, timed in turns in one process."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from twin.qini import adjusted_qini_score


def seconds(n: int, rounds: int = 7) -> dict[str, float]:
    """The best time of each over `rounds` rounds, on n rows with continuous float64 scores."""
    from causalml.metrics import qini_score as causalml_qini_score
    from sklift.metrics import qini_auc_score

    rng = np.random.default_rng(0)
    score, treatment = rng.normal(size=n), rng.integers(0, 2, n)
    y = (rng.random(n) < 0.3 + 0.1 * treatment * np.tanh(score)).astype(int)
    frame = pd.DataFrame({"y": y, "w": treatment, "model": score})
    contestants: dict[str, Callable[[], object]] = {
        "twin.qini adjusted_qini_score": lambda: adjusted_qini_score(y, score, treatment),
        "numpy.argsort of the scores": lambda: np.argsort(score),
        "causalml qini_score": lambda: causalml_qini_score(frame, normalize=False),
        "scikit-uplift qini_auc_score": lambda: qini_auc_score(y, score, treatment),
    }
    best = dict.fromkeys(contestants, np.inf)
    for _ in range(rounds):  # in turns, so that a busy moment of the machine hits all alike
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> None:
    print(f"{'rows':>9}  {'':30}{'ms':>9}  {'x ours':>7}")
    for n in (10_000, 100_000, 1_000_000):
        best = seconds(n)
        ours = best["twin.qini adjusted_qini_score"]
        for name, time_taken in best.items():
            print(f"{n:>9,}  {name:30}{1000 * time_taken:9.2f}  {time_taken / ours:7.2f}")


if __name__ == "__main__":
    main()
