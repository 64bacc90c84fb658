"""How a run shows itself: live on a terminal, one line a cell elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from suite.plan.plan import Cell
from suite.records import Record
from suite.show.summary import render, summarise
from suite.store.estimate import Estimate
from suite.store.session import Progress
from suite.words import duration

REFRESH_SECONDS = 0.5


def console() -> Console:
    """Where people read. A file or a pipe gets the full width of a table."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


class Plain:
    """One line a cell, for logs."""

    def __init__(self, output: Console, estimate: Estimate, jobs: int) -> None:
        self._output, self._estimate, self._jobs = output, estimate, jobs

    def tick(self, progress: Progress, running: list[tuple[Cell, float]]) -> None:
        """Nothing happens between the lines."""

    def ended(self, progress: Progress, record: Record) -> None:
        """The line of one cell."""
        self._estimate.learn(progress.plan.folder, record)
        done = progress.total - len(progress.to_do)
        left = _time_left(progress, [], self._estimate, self._jobs)
        self._output.print(
            f"[{done:>{len(str(progress.total))}}/{progress.total}] "
            f"replicate {record.replicate:<3} {record.method:<26} {_result(record)}{left}",
            markup=False,
            soft_wrap=True,
        )


class LiveDisplay:
    """Progress bar, time left, what is running, and the table so far."""

    def __init__(self, live: Live, estimate: Estimate, jobs: int) -> None:
        self._live, self._estimate, self._jobs = live, estimate, jobs
        self._shown = 0.0

    def tick(self, progress: Progress, running: list[tuple[Cell, float]]) -> None:
        """Redraw, twice a second at most."""
        if time.monotonic() - self._shown < REFRESH_SECONDS:
            return
        self._shown = time.monotonic()
        self._live.update(self._picture(progress, running), refresh=True)

    def ended(self, progress: Progress, record: Record) -> None:
        """A failure is worth a line that stays."""
        self._estimate.learn(progress.plan.folder, record)
        if not record.ok:
            where = f"replicate {record.replicate} {record.method}: "
            self._live.console.print(Text(where + _result(record), "red"))

    def _picture(self, progress: Progress, running: list[tuple[Cell, float]]) -> Group:
        bar = Bar(TextColumn("{task.description}"), BarColumn(40), MofNCompleteColumn())
        left = _time_left(progress, running, self._estimate, self._jobs)
        done = progress.total - len(progress.to_do)
        bar.add_task(progress.plan.title, total=progress.total, completed=done)
        now = time.monotonic()
        at_work = [
            Text(f"  replicate {cell.replicate}  {cell.method:<28}{duration(now - since)}", "cyan")
            for cell, since in running
        ]
        lines = summarise(progress.plan, progress.plan_records())
        table = render(lines, "so far", self._live.console.width)
        return Group(bar, Text(f"  {left.strip(' ,')}"), *at_work, table)


@contextmanager
def watcher(output: Console, estimate: Estimate, jobs: int) -> Iterator[Plain | LiveDisplay]:
    """The display that suits the place where the output goes."""
    if not output.is_terminal:
        yield Plain(output, estimate, jobs)
        return
    with Live(console=output, auto_refresh=False, transient=True) as live:
        yield LiveDisplay(live, estimate, jobs)


def _result(record: Record) -> str:
    if record.ok:
        return f"q_adj {record.test.q_adj:z6.2f}   {duration(record.total_seconds):>12}"
    return f"FAILED: {record.error.splitlines()[-1]}"


def _time_left(
    progress: Progress, running: list[tuple[Cell, float]], estimate: Estimate, jobs: int
) -> str:
    if not progress.to_do:
        return ""
    seconds, _ = estimate.total(progress.to_do)
    if not seconds:
        return ""
    now = time.monotonic()
    seconds -= sum(min(now - since, estimate.of(cell) or 0.0) for cell, since in running)
    return f", about {duration(max(seconds, 0.0) / jobs)} left"
