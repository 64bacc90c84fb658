"""Independent pieces of work in processes of their own, each kept on disk as it ends.

The one function others call is `run_units`. A unit's result depends on the unit and the setup
alone, so order and number of processes move no number, and a run that was killed goes on where it
was. What raises, hangs, crashes or takes too much memory is a failed result, not an exception.
"""

import math
import time
from collections.abc import Iterable

from suite import names
from suite.campaign.errors import UserError
from suite.campaign.setup import Setup, SetupFile
from suite.campaign.slot import Unit, UnitSlot
from suite.campaign.store import Result, Store
from suite.compute.local import LocalPool, Pool
from suite.compute.outcome import Limits, default_memory_mb

SECONDS = 3600.0  # of one unit


def pool_of(setup: Setup, jobs: int = 1, dask: str = "", limits: Limits | None = None) -> Pool:
    """Processes of this machine, or with an address in `dask` a cluster."""
    if not dask:
        if jobs < 1:
            raise UserError(f"--jobs is {jobs}; it must be at least 1")
        limits = limits or Limits(SECONDS, default_memory_mb(jobs))
        return LocalPool(jobs, UnitSlot, limits, SetupFile(setup))
    from suite.compute.cluster import DaskPool

    # How much memory the machines of a cluster have is not known here.
    limits = limits or Limits(SECONDS, math.inf)
    try:
        return DaskPool(dask, UnitSlot, limits, SetupFile(setup))
    except names.UserError as error:
        raise UserError(str(error)) from error


def run_units(
    units: Iterable[Unit], pool: Pool, store: Store, until: float = math.inf
) -> dict[str, Result]:
    """Results by key; those in `store` are not computed again.

    At `until`, on the monotonic clock, those that have not ended are given up, and lacking.
    """
    results, waiting, running = {}, [], 0
    for unit in units:
        found = store.get(unit.key)
        if found is None:
            waiting.append(unit)
        else:
            results[unit.key] = found
    waiting.reverse()
    while waiting or running:
        if time.monotonic() > until:
            pool.drop()
            break
        while waiting and pool.free() > 0:
            pool.submit(waiting.pop())
            running += 1
        for key, result in pool.finished():
            store.put(key, result)
            results[key] = result
            running -= 1
    return results
