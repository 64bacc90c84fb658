"""The table of a run: ours with standard error, the paper's, difference, regret, verdict."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from suite.compare.means import (
    AGREES,
    DIFFERS,
    FAILED,
    SAME_RANKING,
    Mean,
    by_method,
    mean_of,
    q,
    q_adj,
    regret,
    verdicts,
)
from suite.plan.paper import Printed
from suite.plan.plan import Plan
from suite.records import Record
from suite.words import count, duration

BOUNDS = ("oracle", "random")
_COLOURS = {AGREES: "green", SAME_RANKING: "yellow", DIFFERS: "red", FAILED: "bold red"}


@dataclass(frozen=True)
class Line:
    """One method of the table."""

    method: str
    q_adj: Mean | None
    q: Mean | None
    regret: Mean | None
    paper: Printed | None
    verdict: str
    seconds: float | None
    failures: int

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        if self.paper is None or self.q_adj is None:
            return None
        return self.q_adj.value - self.paper.value


def summarise(plan: Plan, records: Iterable[Record]) -> list[Line]:
    """One line a method of the plan, the best first, methods without a number last."""
    groups = by_method(records)
    ours = {name: mean_of(group, q_adj) for name, group in groups.items()}
    printed = {name: plan.experiment.printed(cls, plan.quick) for name, cls in plan.methods.items()}
    papers = {name: value for name, value in printed.items() if value is not None}
    found = verdicts(ours, papers)
    lines = []
    for name in plan.methods:
        group = groups.get(name, [])
        failures = [record for record in group if not record.ok]
        seconds = mean_of(group, lambda record: record.total_seconds)
        lines.append(
            Line(
                method=name,
                q_adj=ours.get(name),
                q=mean_of(group, q),
                regret=mean_of(group, regret),
                paper=papers.get(name),
                verdict=FAILED if failures else found.get(name, ""),
                seconds=seconds.value if seconds else None,
                failures=len(failures),
            )
        )
    return sorted(lines, key=lambda line: -line.q_adj.value if line.q_adj else math.inf)


def render(lines: list[Line], title: str, width: int) -> Group:
    """The table for a terminal, without what is empty and what a narrow one has no room for."""
    waiting = sum(line.q_adj is None and not line.failures for line in lines)
    lines = [line for line in lines if line.q_adj or line.failures]
    columns = _columns(lines)
    for head in ("q", "runs", "time"):
        if sum(2 + max(map(len, [name, *cells])) for name, cells in columns.items()) >= width:
            columns.pop(head)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in columns:
        left = head in ("method", "verdict")
        table.add_column(head, justify="left" if left else "right", no_wrap=True)
    best = max((x.q_adj.value for x in lines if x.q_adj and x.method not in BOUNDS), default=None)
    for line, *cells in zip(lines, *columns.values(), strict=True):
        is_best = line.q_adj is not None and line.q_adj.value == best
        style = "dim italic" if line.method in BOUNDS else "bold" if is_best else ""
        table.add_row(*cells, style=style)
    parts = [Text(title, "bold"), *([table] if lines else [])]
    return Group(*parts, *([Text(f"{count(waiting, 'method')} not yet run")] if waiting else []))


def _columns(lines: list[Line]) -> dict[str, list[Text]]:
    """The columns that have content, by head."""
    simulated = any(line.regret for line in lines)
    decimals = 2 if simulated else 3  # effects in real data are small

    def number(value: float | None, sign: str = "") -> Text:
        return Text("" if value is None else f"{value:{sign}z.{decimals}f}")

    columns = {
        "method": [Text(line.method) for line in lines],
        "q_adj ± s.e.": [Text(_mean(line.q_adj, decimals)) for line in lines],
    }
    if any(line.paper for line in lines):
        columns["paper"] = [number(line.paper and line.paper.value) for line in lines]
        columns["differ."] = [number(line.difference, "+") for line in lines]
        columns["verdict"] = [Text(x.verdict, _COLOURS.get(x.verdict, "")) for x in lines]
    columns["q"] = [number(line.q and line.q.value) for line in lines]
    if simulated:
        columns["regret"] = [number(line.regret and line.regret.value) for line in lines]
    columns["runs"] = [_runs(line) for line in lines]
    columns["time"] = [Text("" if x.seconds is None else duration(x.seconds)) for x in lines]
    return columns


def _runs(line: Line) -> Text:
    runs = Text(str(line.q_adj.n if line.q_adj else 0))
    return runs.append(f" + {line.failures} failed", "bold red") if line.failures else runs


def _mean(mean: Mean | None, decimals: int) -> str:
    if mean is None:
        return "-"
    error = " " * (decimals + 4) if mean.error is None else f"± {mean.error:.{decimals}f}"
    return f"{mean.value:z.{decimals}f} {error}"
