"""Compute published cells again, into a store that is thrown away."""

import tempfile
from collections.abc import Sequence

from suite.compute.local import LocalPool
from suite.compute.slot import Limits, cores, default_memory_mb
from suite.plan.experiments import Experiment
from suite.plan.plan import make_plan
from suite.records import Record
from suite.show import terminal as display
from suite.store.estimate import Estimate
from suite.store.session import execute, prepare
from suite.store.store import Store

TIMEOUT_SECONDS = 4 * 3600.0


def rerun(
    experiment: Experiment, variant: str | None, methods: Sequence[str], replicates: Sequence[int]
) -> list[Record]:
    """Fresh records of the cells asked for, by method and replicate."""
    jobs = cores()
    plan = make_plan(experiment, variant=variant, methods=methods, replicates=replicates)
    progress = prepare(plan, [])
    pool = LocalPool(jobs, Limits(TIMEOUT_SECONDS, default_memory_mb(jobs)))
    try:
        with (
            tempfile.TemporaryDirectory(prefix="suite-rerun-") as folder,
            Store(folder).writing() as writer,
            display.watcher(display.console(), Estimate([]), jobs) as watcher,
        ):
            execute(progress, pool, writer, watcher)
    finally:
        pool.close()
    asked = [record for record in progress.plan_records() if record.method in methods]
    return sorted(asked, key=lambda record: (record.method, record.replicate))
