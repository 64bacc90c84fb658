"""Tables of what asv measured: one commit, or two side by side."""

from dataclasses import dataclass

from rich.table import Table

from suite.perf.asv_runs import Number

# A change counts if it is beyond both: a ratio, and a difference that someone would notice.
RATIO = 1.4
NOTICED = {"seconds": 0.0005, "bytes": 10 * 1024**2}
NOTICED_ELSE = 0.05


def readable(value: float | None, unit: str) -> str:
    """A number with a unit that suits its size."""
    if value is None:
        return "failed"
    if unit == "bytes":
        return f"{value / 1024**2:.0f} MB"
    if unit != "seconds":
        return f"{value:.3g} {unit}"
    if abs(value) >= 1:
        return f"{value:.2f} s"
    return f"{1000 * value:.3g} ms"


def table(numbers: list[Number]) -> Table:
    """What was measured."""
    shown = Table(title="Speed, memory and regret (lower is better)", title_justify="left")
    shown.add_column("benchmark")
    shown.add_column("", justify="right")
    for number in numbers:
        style = "red" if number.value is None else ""
        shown.add_row(number.name, readable(number.value, number.unit), style=style)
    return shown


@dataclass(frozen=True)
class Change:
    """One benchmark before and after."""

    name: str
    unit: str
    before: float | None
    after: float | None

    @property
    def ratio(self) -> float | None:
        """After / before."""
        return self.after / self.before if self.before and self.after is not None else None

    @property
    def difference(self) -> float | None:
        """After - before."""
        known = self.before is not None and self.after is not None
        return self.after - self.before if known else None

    @property
    def verdict(self) -> str:
        """worse, better, or nothing to say."""
        if self.after is None:
            return "failed"
        if self.ratio is None or abs(self.difference) < NOTICED.get(self.unit, NOTICED_ELSE):
            return ""
        if self.ratio > RATIO:
            return "worse"
        return "better" if self.ratio < 1 / RATIO else ""


def changes(before: list[Number], after: list[Number]) -> list[Change]:
    """Benchmark by benchmark; what only one side has is left out."""
    old = {number.name: number.value for number in before}
    return [Change(n.name, n.unit, old[n.name], n.value) for n in after if n.name in old]


def least(first: list[Number], second: list[Number]) -> list[Number]:
    """The lesser of two measurements of each benchmark; `second` may hold only some of them."""
    again = {number.name: number.value for number in second}

    def better(number: Number) -> Number:
        values = [v for v in (number.value, again.get(number.name)) if v is not None]
        return Number(number.name, min(values, default=None), number.unit)

    return [better(number) for number in first]


def comparison(found: list[Change], before: str, after: str) -> Table:
    """Two commits side by side."""
    shown = Table(title=f"{after} against {before} (lower is better)", title_justify="left")
    shown.add_column("benchmark")
    for head in (before, after, "ratio", "difference"):
        shown.add_column(head, justify="right")
    shown.add_column("")
    for change in found:
        shown.add_row(
            change.name,
            readable(change.before, change.unit),
            readable(change.after, change.unit),
            "" if change.ratio is None else f"{change.ratio:.2f}",
            "" if change.difference is None else f"{readable(change.difference, change.unit)}",
            change.verdict,
            style={"worse": "red", "failed": "red", "better": "green"}.get(change.verdict, ""),
        )
    return shown
