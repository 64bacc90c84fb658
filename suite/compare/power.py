"""Rule S14: how many replicates a comparison needs, and what a number of them can detect."""

import math

from scipy import stats
from scipy.optimize import brentq

from suite.compare.paired import LEVEL

POWER = 0.8
MOST = 5000


def power(effect: float, sd: float, n: int, alpha: float = LEVEL) -> float:
    """Chance that a one-sided paired t test with n replicates finds a true difference."""
    limit = stats.t.ppf(1 - alpha, n - 1)
    return float(stats.nct.sf(limit, n - 1, abs(effect) / sd * math.sqrt(n)))


def replicates(effect: float, sd: float, wanted: float = POWER) -> int | None:
    """The least n with the wanted power; None above 5,000."""
    if effect == 0:
        return None
    if sd == 0:
        return 3
    return next((n for n in range(3, MOST) if power(effect, sd, n) >= wanted), None)


def detectable(sd: float, n: int, wanted: float = POWER) -> float:
    """The least true difference that n replicates find with the wanted power."""
    if sd == 0:
        return 0.0
    return float(brentq(lambda effect: power(effect, sd, n) - wanted, 1e-9, 50 * sd))
