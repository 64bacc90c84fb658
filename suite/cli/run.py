"""`python -m suite.run scenario4`: plan, compute, record, and show ours beside the paper's."""

import argparse
import math
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from suite.cli import listing
from suite.compute.local import LocalPool
from suite.compute.slot import Limits, cores, default_memory_mb
from suite.names import UserError
from suite.plan.experiments import EXPERIMENTS, VARIANTS, Experiment, experiment
from suite.plan.plan import Plan, make_plan
from suite.publish.columns import PUBLISHED
from suite.show import terminal as display
from suite.show.summary import render, summarise
from suite.store.estimate import Estimate
from suite.store.session import Pool, Progress, execute, prepare
from suite.store.store import DEFAULT, Store, StoreError
from suite.words import count

FAILURES, MISUSE, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code says whether a cell failed."""
    options = _parser().parse_args(arguments)
    output = display.console()
    try:
        if options.experiment == "list":
            listing.show(output)
            return 0
        if options.dask and options.jobs:
            raise UserError("--jobs is for this machine; the cells of --dask go to its workers")
        plans = [_plan(item, options) for item in _experiments(options, output)]
        if options.dry_run:
            for plan in plans:
                progress, estimate = _prepared(plan, options), _estimate(plan, options)
                listing.show_plan(output, progress, estimate, _jobs(options))
            return 0
        return _run(plans, options, output)
    except KeyboardInterrupt:  # before the first cell
        return INTERRUPTED
    except (UserError, StoreError) as error:
        print(f"error: {error}", file=sys.stderr)
        return MISUSE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m suite.run",
        description="Run an experiment and show its table beside the paper's numbers.",
    )
    parser.add_argument(
        "experiment", help="an experiment, `paper` (all that the paper has), or `list`"
    )
    parser.add_argument(
        "--replicates",
        type=_replicates,
        metavar="N|A-B",
        help="how many, or which (default: the experiment's)",
    )
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="NAME", help="names or globs (default: all)"
    )
    parser.add_argument(
        "--method", action="append", default=[], type=Path, metavar="FILE", help="your own method"
    )
    parser.add_argument("--variant", help=f"of the scenarios: {', '.join(VARIANTS)}")
    parser.add_argument("--jobs", type=_positive_int, help="cells at a time (default: all cores)")
    parser.add_argument("--dask", metavar="ADDRESS", help="compute on a dask cluster instead")
    parser.add_argument("--quick", action="store_true", help="small data, small grids: a look only")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and its cost")
    parser.add_argument(
        "--timeout", type=_seconds, default=4 * 3600.0, metavar="TIME", help="a cell: 90s, 20m, 4h"
    )
    parser.add_argument("--memory", type=_megabytes, metavar="SIZE", help="a cell: 800M, 6G")
    parser.add_argument("--retry-failed", action="store_true", help="compute failed cells again")
    parser.add_argument("--fresh", action="store_true", help="compute all cells again")
    parser.add_argument("--reuse", action="store_true", help="take published cells of today's code")
    parser.add_argument(
        "--store", type=Path, default=DEFAULT, metavar="DIR", help="(default: runs)"
    )
    return parser


def _experiments(options: argparse.Namespace, output: Console) -> list[Experiment]:
    """What to run; `paper` leaves out, aloud, data that are not here."""
    if options.experiment != "paper":
        chosen = experiment(options.experiment)
        if reason := listing.unavailable(chosen):
            raise UserError(f"the data of {chosen.name} cannot be loaded: {reason}")
        return [chosen]
    options.reuse = True
    found = []
    for item in EXPERIMENTS.values():
        if not item.in_paper:
            continue
        if reason := listing.unavailable(item):
            how = listing.how_to_get(reason)
            output.print(f"skipped {item.name}, its data are not here: {how}", markup=False)
        else:
            found.append(item)
    return found


def _plan(item: Experiment, options: argparse.Namespace) -> Plan:
    return make_plan(
        item,
        variant=options.variant if item.has_variants or options.experiment != "paper" else None,
        replicates=options.replicates,
        methods=options.methods,
        files=options.method,
        quick=options.quick,
    )


def _prepared(plan: Plan, options: argparse.Namespace) -> Progress:
    recorded = Store(options.store).records(plan.folder)
    if options.reuse:
        recorded = [*Store(PUBLISHED).records(plan.folder), *recorded]
    return prepare(plan, recorded, retry_failed=options.retry_failed, fresh=options.fresh)


def _estimate(plan: Plan, options: argparse.Namespace) -> Estimate:
    stores = (Store(PUBLISHED), Store(options.store))
    return Estimate((plan.folder, r) for store in stores for r in store.records(plan.folder))


def _run(plans: list[Plan], options: argparse.Namespace, output: Console) -> int:
    code, store = 0, Store(options.store)
    with store.writing() as writer, _pool(options) as pool:
        for plan in plans:
            for message in writer.mend(plan.folder):
                output.print(message, markup=False, soft_wrap=True)
            progress = _prepared(plan, options)
            output.print(_opening(progress, pool), markup=False, soft_wrap=True)
            try:
                with display.watcher(output, _estimate(plan, options), pool.jobs) as watcher:
                    execute(progress, pool, writer, watcher)
            except KeyboardInterrupt:
                # It may have struck between the disk and the memory: the disk is right.
                on_disk = prepare(plan, [*progress.records.values(), *store.records(plan.folder)])
                _closing(on_disk, options, output)
                again = "the same command without --fresh" if options.fresh else "the same command"
                output.print(f"interrupted; {again} goes on from here", markup=False)
                return INTERRUPTED
            code = max(code, _closing(progress, options, output))
    return code


def _opening(progress: Progress, pool: Pool) -> str:
    plan = progress.plan
    methods = count(len(plan.methods), "method")
    replicates = count(len({cell.replicate for cell in plan.cells}), "replicate")
    cells = count(progress.total, "cell")
    recorded = f", {progress.resumed} recorded already" if progress.resumed else ""
    return f"{plan.title}: {methods} x {replicates} = {cells}{recorded}; {pool.place}"


def _closing(progress: Progress, options: argparse.Namespace, output: Console) -> int:
    """The table, what it means and where the files are; says whether a cell failed."""
    plan, records = progress.plan, progress.plan_records()
    lines = summarise(plan, records)
    output.print()
    output.print(render(lines, plan.title, output.width))
    for note in sorted({record.note for record in records if record.note}):
        output.print(f"data: {note}", markup=False, soft_wrap=True)
    if plan.quick:
        output.print("QUICK: small data and grids, not comparable with the paper.", style="yellow")
    if records and not progress.to_do:
        replicates = len({record.replicate for record in records})
        cost = sum(record.cpu_seconds or 0.0 for record in records) / replicates
        cost = f"{cost / 60:.1f} core-minutes" if cost >= 60 else f"{cost:.0f} core-seconds"
        output.print(f"cost: {cost} a replicate, all methods, tuning included")
    if any(line.regret for line in lines):
        output.print("regret: the oracle's q minus the method's, both from the true uplift")
    failed = [record for record in records if not record.ok]
    for record in failed:
        last = record.error.splitlines()[-1]
        where = f"  failed: {record.method}, replicate {record.replicate}: {last}"
        output.print(where, style="red", markup=False, soft_wrap=True)
    where = f"records and predictions: {options.store / plan.folder}"
    output.print(where, markup=False, soft_wrap=True)
    return FAILURES if failed else 0


@contextmanager
def _pool(options: argparse.Namespace) -> Iterator[Pool]:
    if options.dask:
        from suite.compute.cluster import DaskPool

        # How much memory the machines of a cluster have is not known here.
        pool = DaskPool(options.dask, Limits(options.timeout, options.memory or math.inf))
    else:
        jobs = _jobs(options)
        pool = LocalPool(jobs, Limits(options.timeout, options.memory or default_memory_mb(jobs)))
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


def _replicates(text: str) -> range:
    first, dash, last = text.partition("-")
    try:
        chosen = range(int(first), int(last) + 1) if dash else range(int(first))
    except ValueError:
        chosen = range(0)
    if not chosen:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 5 (the first five) or 3-7")
    return chosen


def _positive_int(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def _seconds(text: str) -> float:
    return _with_unit(text, {"s": 1.0, "m": 60.0, "h": 3600.0}, "s", "90s, 20m or 4h")


def _megabytes(text: str) -> float:
    return _with_unit(text, {"M": 1.0, "G": 1024.0}, "M", "800M or 6G")


def _with_unit(text: str, units: dict[str, float], default: str, examples: str) -> float:
    unit = text[-1:] if text[-1:] in units else default
    try:
        value = float(text.removesuffix(unit)) * units[unit]
    except ValueError:
        value = 0.0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not like {examples}")
    return value
