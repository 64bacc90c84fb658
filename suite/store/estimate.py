"""How long cells take, from what earlier ones took."""

from collections.abc import Iterable
from statistics import mean

from suite.plan.cell import Planned
from suite.store.record import Record


class Estimate:
    """Seconds of a cell by (column, method), from records of any key."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._seconds: dict[tuple[str, str], list[float]] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take one more record into account."""
        if record.ok:
            self._seconds.setdefault((record.cell.column, record.method), []).append(
                record.cost.total_seconds
            )

    def of(self, cell: Planned) -> float | None:
        """Seconds of `cell`: its own method's mean, None where it has never run."""
        own = self._seconds.get((cell.cell.column, cell.method))
        return mean(own) if own else None

    def total(self, cells: Iterable[Planned]) -> tuple[float, int]:
        """Seconds of all `cells`, one after the other, and how many of them are only guessed."""
        known = [self.of(cell) for cell in cells]
        measured = [seconds for seconds in known if seconds is not None]
        everything = [mean(values) for values in self._seconds.values()]
        guess = mean(measured or everything) if measured or everything else 0.0
        guessed = len(known) - len(measured)
        return sum(measured) + guess * guessed, guessed
