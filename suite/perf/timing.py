"""Timing in turns: every contestant once a round, so that a busy moment hits all alike."""

import time
from collections.abc import Callable, Mapping
from math import inf


def best_seconds(
    contestants: Mapping[str, Callable[[], object]], rounds: int, *, warm_up: bool = True
) -> dict[str, float]:
    """The least CPU seconds of each contestant over `rounds` rounds, after one to warm up.

    CPU seconds, because everything here runs in one thread and a process that shares its core
    with others still gets its own seconds right; on an idle machine they are those of the clock.
    """
    best = dict.fromkeys(contestants, inf)
    for number in range(0 if warm_up else 1, rounds + 1):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            taken = time.process_time() - start
            if number:
                best[name] = min(best[name], taken)
    return best
