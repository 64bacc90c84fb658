"""How long cells take, from what earlier ones took."""

from collections.abc import Iterable
from statistics import mean

from suite.plan.plan import Cell
from suite.records import Record


class Estimate:
    """Seconds a cell by (experiment folder, method), from records of any key."""

    def __init__(self, records: Iterable[tuple[str, Record]]) -> None:
        self._seconds: dict[tuple[str, str], list[float]] = {}
        for folder, record in records:
            self.learn(folder, record)

    def learn(self, folder: str, record: Record) -> None:
        """Take one more record into account."""
        if record.ok:
            self._seconds.setdefault((folder, record.method), []).append(record.total_seconds)

    def of(self, cell: Cell) -> float | None:
        """Seconds of `cell`: its own method's mean, None where it has never run."""
        own = self._seconds.get((cell.folder, cell.method))
        return mean(own) if own else None

    def total(self, cells: Iterable[Cell]) -> tuple[float, int]:
        """Seconds of all `cells`, one after the other, and how many of them are only guessed."""
        known = [self.of(cell) for cell in cells]
        measured = [seconds for seconds in known if seconds is not None]
        everything = [mean(values) for values in self._seconds.values()]
        guess = mean(measured or everything) if measured or everything else 0.0
        guessed = len(known) - len(measured)
        return sum(measured) + guess * guessed, guessed
