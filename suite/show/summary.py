"""The table of a run: ours with standard error, the paper's, difference, regret, verdict."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from suite.compare.frame import frame
from suite.compare.means import Mean, mean_of
from suite.compare.runs import BOUNDS, Run
from suite.compare.verdicts import (
    AGREES,
    DECIDED,
    FAILED,
    HIGHER,
    INTERIM,
    LOWER,
    NOT_YET_RUN,
    UNDECIDED,
    cell_verdict,
    resplit_verdict,
)
from suite.plan.paper import Printed
from suite.plan.plan import Plan
from suite.store.record import Record
from suite.words import count, duration

_COLOURS = {AGREES: "green", UNDECIDED: "yellow", HIGHER: "red", LOWER: "red", FAILED: "bold red"}


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
    """One line per method of the plan, the best first, methods without a number last."""
    records, planned = list(records), plan.experiment.planned(plan.variant)
    # A run shows every replicate that it was asked for, also those beyond the tables'.
    source = frame(records, max((record.replicate + 1 for record in records), default=0))
    lines = []
    for name, method in plan.methods.items():
        runs = list(source.runs.get(name, {}).values())
        paper = plan.experiment.printed(method, plan.quick)
        failures = source.failed.get(name, 0)
        simulated = plan.experiment.has_variants
        verdict = "" if paper is None else _verdict(runs, paper, simulated, planned)
        seconds = mean_of(runs, lambda run: run.seconds)
        lines.append(
            Line(
                method=name,
                q_adj=mean_of(runs, lambda run: run.q_adj),
                q=mean_of(runs, lambda run: run.q),
                regret=mean_of(runs, lambda run: run.regret),
                paper=paper,
                verdict=FAILED if failures else verdict,
                seconds=seconds.value if seconds else None,
                failures=failures,
            )
        )
    return sorted(lines, key=lambda line: -line.q_adj.value if line.q_adj else math.inf)


def _verdict(runs: list[Run], paper: Printed, simulated: bool, planned: int) -> str:
    if not runs:
        return NOT_YET_RUN
    runs = [run for run in runs if run.replicate < planned]  # further ones serve the audit alone
    values = [run.q_adj for run in runs]
    if simulated:
        word = cell_verdict(values, paper.value).word
    else:
        word = resplit_verdict(values, paper.value, paper.standard_error).word
    return word + (INTERIM if word in DECIDED and len(runs) < planned else "")


def render(lines: list[Line], title: str, width: int) -> Group:
    """The table for a terminal, without what is empty and what a narrow one has no room for."""
    waiting = sum(line.q_adj is None and not line.failures for line in lines)
    lines = [line for line in lines if line.q_adj or line.failures]
    columns, left_out = _fitting(_columns(lines), width)
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
    if left_out:
        parts.append(Text(f"no room for: {', '.join(left_out)}", "dim"))
    return Group(*parts, *([Text(f"{count(waiting, 'method')} not yet run")] if waiting else []))


def _fitting(columns: dict[str, list[Text]], width: int) -> tuple[dict[str, list[Text]], list[str]]:
    """The columns that a terminal has room for, and the names of the rest, the last ones first."""
    kept, left_out = dict(columns), []
    while len(kept) > 2 and _width(kept) > width:
        head = list(kept)[-1]
        left_out.append(head)
        kept.pop(head)
    return kept, left_out


def _width(columns: dict[str, list[Text]]) -> int:
    return 1 + sum(2 + max(map(len, [name, *cells])) for name, cells in columns.items())


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
        columns["verdict"] = [
            Text(x.verdict, _COLOURS.get(x.verdict.removesuffix(INTERIM), "")) for x in lines
        ]
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
