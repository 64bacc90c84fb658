"""Our numbers beside the paper's: the entries that the tables are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from suite.compare import means as compare
from suite.compare.means import Mean, mean_of
from suite.plan.paper import Printed
from suite.publish.columns import Column
from suite.records import Record
from suite.show.tables.model import Text
from suite.words import duration

STALE_MARK = "†"
BOUNDS = {"Oracle (true uplift)": "oracle", "Random ranking": "random"}
SHORT = {"agrees": "a", "same ranking": "r", "differs": "d"}


@dataclass(frozen=True)
class Entry:
    """One number of ours over the replicates, beside the paper's."""

    row: str
    method: str | None
    records: tuple[Record, ...]
    ours: Mean | None
    paper: Printed | None
    verdict: str
    stale: bool
    fewer: bool = False  # it has fewer replicates than another row of its column
    by_replicate: Mapping[int, float] = field(default_factory=dict)

    @property
    def failures(self) -> int:
        return sum(not record.ok for record in self.records)

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.paper is None:
            return None
        return self.ours.value - self.paper.value

    def value(self, decimals: int = 2, bold: bool = False) -> Text:
        """`3.42 ± 0.11`, with the marks that belong to it."""
        mark = STALE_MARK if self.stale else ""
        if self.ours is None:
            return Text(f"failed{mark}" if self.failures else "")
        error = "" if self.ours.error is None else f" ± {self.ours.error:z.{decimals}f}"
        lost = f" ({self.failures} failed)" if self.failures else ""
        few = f" (n = {self.ours.n})" if self.fewer else ""
        return Text(f"{self.ours.value:z.{decimals}f}{error}{few}{lost}{mark}", bold=bold)

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
            "replicates": self.ours.n if self.ours else 0,
            "paper": self.paper and self.paper.value,
            "paper_standard_error": self.paper and self.paper.standard_error,
            "difference": self.difference,
            "verdict": self.verdict,
            "stale": "stale" if self.stale else "",
        }


def compares(column: Column) -> bool:
    """Whether a column has something to compare: more than the bounds."""
    return any(record.ok and record.method not in BOUNDS.values() for record in column.records)


def entries(
    column: Column,
    methods: Mapping[str, str | None],
    papers: Mapping[str, Printed | None],
    number: Callable[[Record], float | None] = compare.q_adj,
) -> dict[str, Entry]:
    """The entries of one column: `methods` and `papers` by row."""
    stale = {record.method for record in column.stale}
    records = {row: tuple(column.of(method)) for row, method in methods.items()}
    ours = {row: mean_of(group, number) for row, group in records.items()}
    known = {row: paper for row, paper in papers.items() if paper is not None}
    verdicts = compare.verdicts(ours, known)
    most = max((mean.n for mean in ours.values() if mean), default=0)
    return {
        row: Entry(
            row=row,
            method=method,
            records=records[row],
            ours=ours[row],
            paper=known.get(row),
            verdict=_verdict(verdicts.get(row, ""), ours[row], records[row]),
            stale=method in stale,
            fewer=ours[row] is not None and ours[row].n < most,
            by_replicate={r.replicate: number(r) for r in records[row] if r.ok},
        )
        for row, method in methods.items()
    }


def _verdict(verdict: str, ours: Mean | None, records: tuple[Record, ...]) -> str:
    if ours is not None:
        return verdict
    return compare.FAILED if records else compare.NOT_YET_RUN


def best_rows(found: Mapping[str, Entry]) -> set[str]:
    """The rows with the highest mean over the replicates that all have; the bounds left aside.

    None where rows share fewer than two: luck of the draw would name the best.
    """
    runs = {row: e.by_replicate for row, e in found.items() if e.ours and row not in BOUNDS}
    common = set.intersection(*map(set, runs.values())) if runs else set()
    if len(common) < 2:
        return set()
    means = {row: sum(values[r] for r in sorted(common)) for row, values in runs.items()}
    return {row for row, value in means.items() if value == max(means.values())}


DETAIL_HEADS = ("regret", "rank corr.", "PEHE", "selected from", "core time", "memory")


def details(entry: Entry) -> list[str]:
    """Measures without outcome noise, size of the selection, time and memory of a row."""
    records = entry.records
    truths = (
        mean_of(records, compare.regret),
        mean_of(records, lambda r: r.truth and r.truth.spearman),
        mean_of(records, lambda r: r.truth and r.truth.pehe),
    )
    candidates = mean_of(records, lambda r: r.candidates)
    seconds = mean_of(records, lambda r: r.cpu_seconds)
    memory = max((r.peak_memory_mb for r in records if r.ok and r.peak_memory_mb), default=None)
    decimals = (2, 2, 3)
    return [
        *("" if t is None else f"{t.value:.{d}f}" for t, d in zip(truths, decimals, strict=True)),
        "" if candidates is None else f"{candidates.value:,.0f}",
        "" if seconds is None else duration(seconds.value),
        "" if memory is None else f"{memory:,.0f} MB",
    ]


def nodes(entry: Entry) -> Text:
    """m_hat/m: the mean over replicates, and their range where they differ."""
    counts = [record.m_hat for record in entry.records if record.ok and record.m_hat is not None]
    if not counts:
        return Text("")
    totals = {record.m for record in entry.records if record.m is not None}
    # A refit has another m in every replicate: only m_hat can be shown.
    total = f"/{totals.pop()}" if len(totals) == 1 else ""
    mean = f"{sum(counts) / len(counts):.0f}" + total
    spread = f" ({min(counts)}-{max(counts)})" if min(counts) < max(counts) else ""
    return Text(mean + spread)
