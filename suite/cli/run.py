"""`python -m suite.run scenario4`: plan, compute, record, and show ours beside the paper's."""

import argparse
import math
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from suite.cli import FAILURES, INTERRUPTED, listing, reported
from suite.cli.closing import closing, opening
from suite.cli.run_options import parser
from suite.compute.cell_slot import CellSlot
from suite.compute.local import LocalPool, Pool
from suite.compute.outcome import Limits, cores, default_memory_mb
from suite.names import UserError
from suite.plan.describe import described, own_file
from suite.plan.experiments import EXPERIMENTS, GROUPS, Experiment, experiment
from suite.plan.plan import Plan, make_plan
from suite.publish.columns import PUBLISHED, Published
from suite.show import terminal
from suite.store.estimate import Estimate
from suite.store.record import Record
from suite.store.session import Progress, execute, prepare
from suite.store.store import Store


@reported
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code says whether a cell failed."""
    options = parser().parse_args(words)
    output = terminal.console()
    if options.experiment == "list":
        listing.show(output)
        return 0
    if options.dask and options.jobs:
        raise UserError("--jobs is for this machine; the cells of --dask go to its workers")
    if options.store.resolve().is_relative_to(PUBLISHED):
        raise UserError("results/records holds what is published; give a run another --store")
    plans = [_plan(item, options) for item in _experiments(options, output)]
    if options.dry_run:
        for plan in plans:
            progress, estimate = _prepared(plan, options), _estimate(plan, options)
            listing.show_plan(output, progress, estimate, _jobs(options))
        return 0
    return _run(plans, options, output)


def _experiments(options: argparse.Namespace, output: Console) -> list[Experiment]:
    """What to run; `paper` and groups leave out data that are not here, and say so."""
    if options.data is not None:
        if options.experiment is not None:
            raise UserError(f"--data is the experiment; leave out {options.experiment!r}")
        return _own_experiments(options.data)
    if options.experiment is None:
        raise UserError(
            "say which experiment (python -m suite.run list shows them), or give --data"
        )
    several = {"paper": [item for item in EXPERIMENTS.values() if item.in_paper]}
    several |= {g: [item for item in EXPERIMENTS.values() if item.group == g] for g in GROUPS}
    if options.experiment not in several:
        chosen = experiment(options.experiment)
        if reason := listing.unavailable(chosen):
            raise UserError(f"the data of {chosen.name} cannot be loaded: {reason}")
        return [chosen]
    options.reuse = True
    found = []
    for item in several[options.experiment]:
        if reason := listing.unavailable(item):
            how = listing.how_to_get(reason)
            output.print(f"skipped {item.name}, its data are not here: {how}", markup=False)
        else:
            found.append(item)
    return found


def _own_experiments(path: Path) -> list[Experiment]:
    file = own_file(path)
    every_scenario_method = EXPERIMENTS["scenario1"].default_methods()
    sources = described(path, "sources")
    for found in sources:
        if found["name"] in (*EXPERIMENTS, *GROUPS):
            raise UserError(f"{path} is called {found['name']!r}, as an experiment is; rename it")
    return [
        Experiment(
            name=found["name"],
            summary=found["summary"],
            source=found["name"],
            methods=tuple(name for name in every_scenario_method if name != "oracle"),
            own_data=file,
        )
        for found in sources
    ]


def _plan(item: Experiment, options: argparse.Namespace) -> Plan:
    plan = make_plan(
        item,
        variant=options.variant if item.has_variants or options.experiment == item.name else None,
        replicates=options.replicates,
        methods=options.methods,
        files=options.method,
        quick=options.quick,
    )
    # Cheap cells first within a replicate: a first number is there in seconds.
    estimate = _estimate(plan, options)
    first = {cell.replicate: position for position, cell in reversed([*enumerate(plan.cells)])}
    cells = sorted(plan.cells, key=lambda c: (first[c.replicate], estimate.of(c) or 0.0))
    return replace(plan, cells=tuple(cells))


def _prepared(plan: Plan, options: argparse.Namespace) -> Progress:
    recorded = {record.key: record for record in Store(options.store).records(plan.column)}
    if (options.reuse or options.method) and not plan.quick:
        recorded = {**_published(plan), **recorded}
    return prepare(plan, recorded, retry_failed=options.retry_failed, fresh=options.fresh)


def _published(plan: Plan) -> dict[str, Record]:
    """Published records that are good for the plan's cells, by the cells' keys."""
    if plan.experiment.own_data is not None:
        return {}
    column = Published().column(plan.experiment.name, plan.variant)
    fresh = {
        (record.method, record.replicate): record
        for record in column.records
        if column.freshness(record) == "current"
    }
    cells = [cell for cell in plan.cells if cell.code.file is None]
    found = {cell.key: fresh.get((cell.method, cell.replicate)) for cell in cells}
    return {key: record for key, record in found.items() if record is not None}


def _estimate(plan: Plan, options: argparse.Namespace) -> Estimate:
    stores = (Store(PUBLISHED), Store(options.store))
    return Estimate(record for store in stores for record in store.records(plan.column))


def _run(plans: list[Plan], options: argparse.Namespace, output: Console) -> int:
    code, store = 0, Store(options.store)
    with store.writing() as writer, _pool(options) as pool:
        for plan in plans:
            problems = [*writer.mend(plan.column), *store.read(plan.column)[1]]
            for message in problems:
                output.print(f"{message}; it counts for nothing", markup=False, soft_wrap=True)
            progress = _prepared(plan, options)
            output.print(opening(progress, pool.place), markup=False, soft_wrap=True)
            try:
                with terminal.watcher(output, _estimate(plan, options), pool.jobs) as watcher:
                    execute(progress, pool, writer, watcher)
            except KeyboardInterrupt:
                # It may have struck between the disk and the memory: the disk is right.
                on_disk = {record.key: record for record in store.records(plan.column)}
                closing(prepare(plan, {**progress.records, **on_disk}), options.store, output)
                again = "the same command without --fresh" if options.fresh else "the same command"
                output.print(f"interrupted; {again} goes on from here", markup=False)
                return INTERRUPTED
            failed = closing(progress, options.store, output)
            code = max(code, FAILURES if failed else 0)
    return code


@contextmanager
def _pool(options: argparse.Namespace) -> Iterator[Pool]:
    if options.dask:
        from suite.compute.cluster import DaskPool

        # How much memory the machines of a cluster have is not known here.
        limits = Limits(options.timeout, options.memory or math.inf)
        pool = DaskPool(options.dask, CellSlot, limits)
    else:
        jobs = _jobs(options)
        limits = Limits(options.timeout, options.memory or default_memory_mb(jobs))
        pool = LocalPool(jobs, CellSlot, limits)
    # A scheduler's polite way to stop a job must leave the table and the records too.
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield pool
    finally:
        signal.signal(signal.SIGTERM, before)
        pool.close()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _jobs(options: argparse.Namespace) -> int:
    return options.jobs or cores()
