"""The table of a run: ours with standard error, the paper's, difference, regret, verdict."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from suite.compare import (
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
from suite.estimate import count, duration
from suite.paper import Printed
from suite.plan import Plan
from suite.records import Record

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
    first_error: str | None


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
                first_error=failures[0].error.splitlines()[-1] if failures else None,
            )
        )
    return sorted(lines, key=lambda line: -line.q_adj.value if line.q_adj else math.inf)


def render(lines: list[Line], title: str) -> Group:
    """The table for a terminal; rows and columns without any content are left out."""
    waiting = sum(line.q_adj is None and not line.failures for line in lines)
    lines = [line for line in lines if line.q_adj or line.failures]
    table = Table(box=box.SIMPLE_HEAD)
    with_paper = any(line.paper for line in lines)
    with_truth = any(line.regret for line in lines)
    decimals = 2 if with_truth else 3  # effects in real data are small
    table.add_column("method", no_wrap=True)
    table.add_column("q_adj ± s.e.", justify="right", no_wrap=True)
    if with_paper:
        table.add_column("paper", justify="right")
        table.add_column("differ.", justify="right")
        table.add_column("verdict", no_wrap=True)
    table.add_column("q", justify="right")
    if with_truth:
        table.add_column("regret", justify="right")
    table.add_column("runs", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    best = max((x.q_adj.value for x in lines if x.q_adj and x.method not in BOUNDS), default=None)
    for line in lines:
        row = [Text(line.method), Text(_mean(line.q_adj, decimals))]
        if with_paper:
            row += _against_paper(line, decimals)
        row.append(Text(_number(line.q, decimals)))
        if with_truth:
            row.append(Text(_number(line.regret, decimals)))
        runs = Text(str(line.q_adj.n if line.q_adj else 0))
        if line.failures:
            runs.append(f" + {line.failures} failed", "bold red")
        row += [runs, Text(duration(line.seconds) if line.seconds is not None else "")]
        is_best = line.q_adj is not None and line.q_adj.value == best
        style = "dim italic" if line.method in BOUNDS else "bold" if is_best else ""
        table.add_row(*row, style=style)
    parts = [Text(title, "bold"), *([table] if lines else [])]
    return Group(*parts, *([Text(f"{count(waiting, 'method')} not yet run")] if waiting else []))


def _against_paper(line: Line, decimals: int) -> list[Text]:
    verdict = Text(line.verdict, _COLOURS.get(line.verdict, ""))
    if line.paper is None or line.q_adj is None:
        value = f"{line.paper.value:z.{decimals}f}" if line.paper else ""
        return [Text(value), Text(""), verdict]
    difference = line.q_adj.value - line.paper.value
    return [
        Text(f"{line.paper.value:z.{decimals}f}"),
        Text(f"{difference:+z.{decimals}f}"),
        verdict,
    ]


def _mean(mean: Mean | None, decimals: int) -> str:
    if mean is None:
        return "-"
    error = " " * (decimals + 4) if mean.error is None else f"± {mean.error:.{decimals}f}"
    return f"{mean.value:z.{decimals}f} {error}"


def _number(mean: Mean | None, decimals: int) -> str:
    return "" if mean is None else f"{mean.value:z.{decimals}f}"
