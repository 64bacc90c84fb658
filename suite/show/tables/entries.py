"""Our numbers beside the paper's: the entries that the tables are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from suite.compare import best
from suite.compare.frame import frame_of
from suite.compare.means import Mean, mean_of
from suite.compare.resplits import nadeau_bengio
from suite.compare.runs import BOUNDS as BOUND_METHODS
from suite.compare.runs import Frame, Run
from suite.compare.verdicts import (
    AGREES,
    DECIDED,
    FAILED,
    HIGHER,
    INTERIM,
    LOWER,
    NOT_YET_RUN,
    TOO_FEW,
    UNDECIDED,
    Verdict,
    cell_verdict,
    resplit_verdict,
)
from suite.plan.paper import Printed
from suite.publish.columns import Column
from suite.show.tables.model import Text

STALE_MARK = "†"
BOUNDS = dict(zip(("Oracle (true uplift)", "Random ranking"), BOUND_METHODS, strict=True))
SHORT = {AGREES: "a", HIGHER: "h", LOWER: "l", UNDECIDED: "u", TOO_FEW: "f"}


def q_adj(run: Run) -> float:
    return run.q_adj


@dataclass(frozen=True)
class Entry:
    """One number of ours over the common replicates of its column, beside the paper's."""

    row: str
    method: str | None
    runs: tuple[Run, ...]  # on the common replicates; empty where the row lacks some of them
    ours: Mean | None
    paper: Printed | None
    word: str  # the verdict
    half_width: float | None
    interim: bool
    count: int  # so many of the common replicates it has
    common: int
    failures: int
    stale: bool

    @property
    def verdict(self) -> str:
        """The word, with what it lacks."""
        return self.word + (INTERIM if self.word in DECIDED and self.interim else "")

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.paper is None:
            return None
        return self.ours.value - self.paper.value

    def value(self, decimals: int = 2, bold: bool = False) -> Text:
        """`3.42 ± 0.11`, or how many of the replicates are there, with the marks."""
        mark = STALE_MARK if self.stale else ""
        lost = f" ({self.failures} failed)" if self.failures else ""
        if self.ours is None:
            if self.count:
                return Text(f"{self.count} of {self.common}{lost}{mark}")
            return Text(f"failed{mark}" if self.failures else "")
        error = "" if self.ours.error is None else f" ± {self.ours.error:z.{decimals}f}"
        return Text(f"{self.ours.value:z.{decimals}f}{error}{lost}{mark}", bold=bold)

    def printed(self, decimals: int = 2) -> Text:
        """The paper's number, bold where the paper has it bold."""
        if self.paper is None:
            return Text("")
        return Text(f"{self.paper.value:z.{decimals}f}", bold=self.paper.bold)

    def change(self, decimals: int = 2) -> Text:
        """Ours minus the paper's."""
        return Text("" if self.difference is None else f"{self.difference:+z.{decimals}f}")

    def tidy(self, table: str, column: str, source: Column) -> dict[str, object]:
        """The line of the CSV file."""
        return {
            "table": table,
            "row": self.row,
            "column": column,
            "method": self.method,
            "experiment": source.experiment.name,
            "variant": source.variant,
            "mean": self.ours and self.ours.value,
            "standard_error": self.ours and self.ours.error,
            "replicates": self.ours and self.ours.n,
            "paper": self.paper and self.paper.value,
            "paper_standard_error": self.paper and self.paper.standard_error,
            "difference": self.difference,
            "half_width": self.half_width,
            "verdict": self.verdict,
            "stale": "stale" if self.stale else "",
        }


def compares(column: Column) -> bool:
    """Whether a column has something to compare: more than the bounds."""
    return any(run.method not in BOUND_METHODS for run in frame_of(column).every_run)


def entries(
    column: Column,
    methods: Mapping[str, str | None],
    papers: Mapping[str, Printed | None],
    number: Callable[[Run], float | None] = q_adj,
) -> dict[str, Entry]:
    """The entries of one column: `methods` and `papers` by row."""
    stale = {record.method for record in column.stale}
    simulated = column.experiment.has_variants
    found = {}
    for row, method in methods.items():
        source, paper = frame_of(column), papers.get(row)
        runs = source.shown(method)
        ours = mean_of(runs, number)
        if ours is not None and not simulated and ours.n > 1:
            ours = Mean(ours.value, nadeau_bengio([number(run) for run in runs]), ours.n)
        verdict = _verdict(source, method, paper, [number(run) for run in runs], simulated)
        found[row] = Entry(
            row=row,
            method=method,
            runs=tuple(runs),
            ours=ours,
            paper=paper,
            word=verdict.word,
            half_width=verdict.half_width,
            interim=source.interim,
            count=source.count(method),
            common=len(source.common),
            failures=source.failed.get(method or "", 0),
            stale=method in stale,
        )
    return found


def _verdict(
    source: Frame,
    method: str | None,
    paper: Printed | None,
    values: list[float],
    simulated: bool,
) -> Verdict:
    """A function of the cell alone, so that it is the same in every table."""
    if not source.runs.get(method or ""):
        return Verdict(FAILED if source.failed.get(method or "") else NOT_YET_RUN)
    if paper is None:
        return Verdict("")
    if simulated:
        return cell_verdict(values, paper.value)
    return resplit_verdict(values, paper.value, paper.standard_error)


def best_rows(found: Mapping[str, Entry]) -> set[str]:
    """The rows that may be called best (rule S13); the bounds are left aside."""
    rows = {row: e for row, e in found.items() if e.runs and row not in BOUNDS}
    return best.best_set({row: [run.q_adj for run in e.runs] for row, e in rows.items()})
