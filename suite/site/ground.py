"""What all pages stand on: cells, frames of columns, methods and their kinds, read once."""

import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

import baselines
from suite import results
from suite.compare import best
from suite.compare.frame import frame_of
from suite.compare.means import Mean, mean_of
from suite.compare.resplits import nadeau_bengio
from suite.compare.runs import BOUNDS, Frame, Run
from suite.compare.units import LEAST_DRAWS
from suite.plan.digest import ROOT
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published, columns
from suite.show.tables.entries import compares
from suite.show.tables.notes import spans

PAPER, OWN, OTHER, NEURAL, BOUND = "paper's", "suite's own", "practitioners'", "neural", "bound"
KINDS = (PAPER, OWN, OTHER, NEURAL, BOUND)


@dataclass(frozen=True)
class Measure:
    """A number of a run that rows can be ranked by."""

    name: str
    title: str
    number: Callable[[Run], float | None]
    decimals: int = 2
    higher: bool | None = True  # None: neither end is better
    simulated: bool = False  # known only where the truth is
    cost: bool = False

    @property
    def short(self) -> str:
        """The title without its explanation."""
        return self.title.split(" (")[0].removesuffix(", tuning included")


def _cpu(run: Run) -> float | None:
    return run.cpu_seconds


def _memory(run: Run) -> float | None:
    return run.memory_mb


MEASURES = (
    Measure("q_adj", "q_adj, per cent", lambda run: run.q_adj),
    Measure("q", "q, per cent", lambda run: run.q),
    Measure("regret", "regret, per cent", lambda run: run.regret, higher=False, simulated=True),
    Measure("pehe", "PEHE", lambda run: run.pehe, 3, higher=False, simulated=True),
    Measure("slope", "calibration slope (1 is calibrated)", lambda run: run.slope, higher=None),
    Measure("bias", "calibration bias (0 is calibrated)", lambda run: run.bias, 3, higher=None),
    Measure("cpu", "core seconds, tuning included", _cpu, 1, higher=False, cost=True),
    Measure("memory", "peak memory, MB", _memory, 0, higher=False, cost=True),
)


class Ground:
    """The published records, through the adapter and the rules of comparison."""

    def __init__(self) -> None:
        self.published = Published()

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One line for each published cell."""
        return results.load()

    @cached_property
    def columns(self) -> list[Column]:
        """The columns in which methods are compared; others serve scale and luck."""
        found = [self.published.column(e.name, v) for e, v in columns() if e.compares_methods]
        found = [c for c in found if compares(c) and c.experiment.name != "minute"]
        known = {c.name: i for i, c in enumerate(found)}

        def place(c: Column) -> tuple[bool, str, int]:
            """Scenarios by number, each with its variants, then real data as they come."""
            return c.variant is None, c.experiment.name if c.variant else "", known[c.name]

        return sorted(found, key=place)

    @property
    def main_columns(self) -> list[Column]:
        """The scenarios in the paper's own variant, by number, then real data."""
        return [c for c in self.columns if c.variant in (None, VARIANTS[0])]

    def column(self, name: str, variant: str | None = None) -> Column:
        return self.published.column(name, variant)

    def scenario(self, name: str, variant: str = VARIANTS[0]) -> Frame:
        """What the rules of claims ask for: variants concern scenarios alone."""
        return frame_of(self.column(name, variant if name in SCENARIOS else None))

    @cached_property
    def methods(self) -> list[str]:
        """Every method that has cells in a column, or is in the registry."""
        ran = {run.method for c in self.columns for run in frame_of(c).every_run}
        return sorted(ran | set(baselines.methods()))

    @cached_property
    def _networks(self) -> set[str]:
        """Methods with hidden nodes in some record."""
        return set(self.cells.loc[self.cells["m"].notna(), "method"])

    def kinds(self, method: str) -> list[str]:
        """What a method is: the paper's, this suite's, what practitioners use, neural, a bound."""
        if method in BOUNDS:
            return [BOUND]
        cls = baselines.methods().get(method)
        if cls is not None and cls.paper_row is not None:
            first = PAPER
        else:
            first = OWN if method.startswith("twin") else OTHER
        return [first, *([NEURAL] if method in self._networks else [])]

    def mean(self, column: Column, method: str, measure: Measure) -> Mean | None:
        """Over the common replicates; re-splits of real data have Nadeau and Bengio's error."""
        runs = frame_of(column).shown(method)
        found = mean_of(runs, measure.number) if runs else None
        if found is None or column.experiment.has_variants or found.n < 2:
            return found
        return Mean(found.value, nadeau_bengio([measure.number(r) for r in runs]), found.n)

    def best(self, column: Column, measure: Measure) -> set[str]:
        """The rows not shown to be worse than the best (rule S13).

        None for costs and bias, below five draws, and on real data: its splits share their rows,
        so that a paired t test over them would find differences that are not there.
        """
        source = frame_of(column)
        few = len(source.common) < LEAST_DRAWS
        if few or column.variant is None or measure.higher is None or measure.cost:
            return set()
        sign = 1 if measure.higher else -1
        rows = {m: [measure.number(run) for run in source.shown(m)] for m in source.methods}
        rows = {m: [sign * v for v in values] for m, values in rows.items() if None not in values}
        return best.best_set(rows)


def label(column: Column) -> str:
    """scenario 4, printed."""
    name = column.experiment.name
    name = f"scenario {name[8:]}" if name in SCENARIOS else name
    return f"{name}, {column.variant}" if column.variant else name


def replicates(column: Column) -> str:
    """Which replicates a column's numbers are means over."""
    source = frame_of(column)
    if not source.common:
        return "none yet"
    interim = f" of {source.planned} planned, interim" if source.interim else ""
    return f"{spans(source.common)} (n = {len(source.common)}{interim})"


def made_from(shown: Iterable[Column]) -> str:
    """The line at the foot of a page: replicates and commits of its records."""
    shown = list(shown)
    alike: dict[str, list[str]] = {}
    for column in shown:
        alike.setdefault(replicates(column), []).append(label(column))
    parts = [f"Replicates {which}: {'; '.join(names)}" for which, names in alike.items()]
    runs = [run for c in shown for run in frame_of(c).every_run]
    commits = sorted({run.commit[:10] for run in runs if run.commit})
    return f"{'. '.join(parts)}. Records computed at commit {', '.join(commits) or 'unknown'}."


def commit() -> str:
    """The commit that the site is built from; unknown outside a checkout."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()[:10]
