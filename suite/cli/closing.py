"""What a run says first and last."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from suite.show.summary import render, summarise
from suite.store.record import Record
from suite.store.session import Progress
from suite.words import count, duration, printable


def opening(progress: Progress, place: str) -> str:
    """What will be computed, and where."""
    plan = progress.plan
    methods = count(len(plan.methods), "method")
    replicates = count(len({cell.replicate for cell in plan.cells}), "replicate")
    cells = count(progress.total, "cell")
    published = sum(record.origin.commit is not None for record in _reused(progress))
    recorded = f", {progress.resumed} recorded already" if progress.resumed else ""
    recorded += f" ({published} of them published)" if published else ""
    return f"{plan.title}: {methods} x {replicates} = {cells}{recorded}; {place}"


def _reused(progress: Progress) -> list:
    """Records that stand in for cells of another key: published ones of equal code."""
    return [record for key, record in progress.records.items() if record.key != key]


def _other_rows(records: Sequence[Record]) -> Iterator[str]:
    """Replicates whose methods did not all see the same rows: nothing can be compared there."""
    for replicate in sorted({record.replicate for record in records}):
        own = [r for r in records if r.ok and r.replicate == replicate and r.result.data_sha256]
        newest = max(own, key=lambda record: record.origin.finished, default=None)
        others = [r.method for r in own if r.result.data_sha256 != newest.result.data_sha256]
        if others:
            yield (
                f"replicate {replicate}: {', '.join(sorted(others))} saw other rows than "
                f"{newest.method}: the data changed in between, or are drawn anew each time they "
                "are loaded (mend that in their file); --fresh computes all on the same rows"
            )


def closing(progress: Progress, store: Path, output: Console) -> int:
    """The table, what it means and where the files are; returns how much of it does not hold."""
    plan, records = progress.plan, progress.plan_records()
    lines = summarise(plan, records)
    output.print()
    output.print(render(lines, plan.title, output.width))
    for note in sorted({record.result.note for record in records if record.ok}):
        if note:
            output.print(f"data: {printable(note)}", markup=False, soft_wrap=True)
    if plan.quick:
        output.print("QUICK: small data and grids, not comparable with the paper.", style="yellow")
        output.print(
            "Expect networks near chance there; the full experiment says how good they are."
        )
    if reused := _reused(progress):
        names = ", ".join(sorted({record.method for record in reused}))
        output.print(f"published, not computed here: {names} (--fresh computes them)")
    if records and not progress.to_do:
        replicates = len({record.replicate for record in records})
        cost = duration(sum(record.cost.cpu_seconds or 0.0 for record in records) / replicates)
        output.print(f"cost: {cost} of one core per replicate, all methods, tuning included")
    if any(line.regret for line in lines):
        output.print("regret: the oracle's q minus the method's, both from the true uplift")
    mixed = list(_other_rows(records))
    for line in mixed:
        output.print(line, style="red", markup=False, soft_wrap=True)
    failed = [record for record in records if not record.ok]
    for record in failed:
        last = record.error.splitlines()[-1]
        where = f"  failed: {record.method}, replicate {record.replicate}: {last}"
        output.print(where, style="red", markup=False, soft_wrap=True)
    where = f"records and predictions: {store / plan.column}"
    output.print(where, markup=False, soft_wrap=True)
    return len(failed) + len(mixed)
