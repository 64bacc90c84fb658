"""Differences between methods on real data, with errors from pooled rows (rule S9b)."""

from suite.compare import resplits
from suite.compare.paired import Estimate
from suite.compare.units import LEAST_DRAWS
from suite.publish.columns import Column, Published
from suite.publish.pooled import Pooled
from suite.show.tables.entries import Entry
from suite.show.tables.model import Text

CAREFUL = "‡"
NOTE = (
    "Difference: q of the row minus q of the twin network on the same re-splits, with its 95 % "
    "interval. Its standard error is summed over the rows of the data set, which the re-splits "
    f"share; {CAREFUL}: no sums of rows are published for it, and the error is Nadeau and "
    "Bengio's, up to twice as wide. From five replicates up."
)


class Differences:
    """q of the rows of a column minus q of one of them."""

    def __init__(self, published: Published, column: Column, reference: Entry) -> None:
        self._pooled = Pooled.read(published.root / column.name)
        self._column, self._reference = column, reference

    def estimate(self, entry: Entry) -> tuple[Estimate, bool] | None:
        """The difference and whether its error is of pooled rows; None where there is none."""
        runs, base = entry.runs, self._reference.runs
        if entry.method == self._reference.method or min(len(runs), len(base)) < LEAST_DRAWS:
            return None
        error = None
        if self._pooled is not None:
            replicates = [run.replicate for run in runs]
            error = self._pooled.error(entry.method, self._reference.method, replicates)
        gains = [a.q - b.q for a, b in zip(runs, base, strict=True)]
        return resplits.paired(gains, error), error is not None

    def text(self, entry: Entry, decimals: int) -> Text:
        """`+0.061 (-0.050 to +0.172)`."""
        found = self.estimate(entry)
        if found is None:
            return Text("")
        estimate, pooled = found
        low, high = (f"{bound:+z.{decimals}f}" for bound in estimate.interval())
        mark = "" if pooled else CAREFUL
        return Text(f"{estimate.mean:+z.{decimals}f} ({low} to {high}){mark}")

    def tidy(self, table: str, label: str, entry: Entry) -> list[dict[str, object]]:
        """The line of the CSV file, if there is a difference."""
        found = self.estimate(entry)
        if found is None:
            return []
        estimate, pooled = found
        return [
            {
                "table": table,
                "row": f"{label}: {entry.row} minus {self._reference.row}",
                "column": "q, pooled rows" if pooled else "q, Nadeau and Bengio",
                "method": entry.method,
                "experiment": self._column.experiment.name,
                "variant": None,
                "mean": estimate.mean,
                "standard_error": estimate.error,
                "replicates": estimate.n,
                "half_width": estimate.interval()[1] - estimate.mean,
            }
        ]
