"""Rule S0: what counts as one observation, and on which replicates rows are compared."""

from collections.abc import Mapping, Set

import numpy as np

LEAST_DRAWS = 5  # fewer replicates than this decide nothing

Draw = tuple[str, int]  # (scenario, replicate): its variants share their random numbers


def common_replicates(runs: Mapping[str, Set[int]], least: int = LEAST_DRAWS) -> frozenset[int]:
    """The one set of replicates R over which all numbers of a column are means.

    Rows that lack some of R show no number. Of the sets that at least half of the rows share, R is
    the one that fills most fields, |R| times the rows that have all of it, among those with `least`
    replicates if there are any; of equals, the larger. Half: a few rows that ran far ahead must
    not take away the numbers of all others.
    """
    sets = sorted((frozenset(own) for own in runs.values() if own), key=lambda s: (-len(s), *s))
    if not sets:
        return frozenset()
    candidates = set(sets)
    shared = sets[0]
    for own in sets[1:]:
        shared &= own
        candidates.add(shared)
    candidates.discard(frozenset())
    enough = {c for c in candidates if len(c) >= least} or candidates

    def rows(chosen: frozenset[int]) -> int:
        return sum(chosen <= own for own in sets)

    def worth(chosen: frozenset[int]) -> tuple[int, int, list[int]]:
        fields = len(chosen) * rows(chosen)
        return fields, len(chosen), sorted((-r for r in chosen), reverse=True)

    return max({c for c in enough if 2 * rows(c) >= len(sets)} or enough, key=worth)


def draw_means(
    cells: Mapping[tuple[str, int, str], tuple[str, float]],
) -> dict[str, dict[int, float]]:
    """One number per draw: {scenario: {replicate: mean}}.

    `cells` has (digest of the data, number) by (scenario, replicate, variant). Variants with the
    same data count once; those that differ are averaged, because they share a draw.
    """
    draws: dict[Draw, dict[str, float]] = {}
    for (scenario, replicate, _), (digest, number) in cells.items():
        draws.setdefault((scenario, replicate), {})[digest] = number
    found: dict[str, dict[int, float]] = {}
    for (scenario, replicate), numbers in sorted(draws.items()):
        found.setdefault(scenario, {})[replicate] = float(np.mean(list(numbers.values())))
    return found
