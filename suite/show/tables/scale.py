"""What growing data cost: time and memory of the methods of T4 from 100K to 4M rows."""

from collections.abc import Iterator, Sequence
from math import log

from suite.compare.frame import frame_of
from suite.compare.runs import Run
from suite.plan.experiments import EXPERIMENTS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts

HEADER = ("Rows", "training rows", "CPU s", "s per 1,000 rows", "growth", "peak MB", "growth")
TIDY = ("method", "rows", "training_rows", "cpu_seconds", "peak_memory_mb")


def scale(published: Published) -> Table:
    """One block per method, one row per size."""
    columns = [published.column(name) for name, e in EXPERIMENTS.items() if e.scale]
    body: list[tuple[Text, ...]] = []
    tidy, shown = [], []
    for method in columns[0].experiment.methods:
        runs = [r for c in columns for r in frame_of(c).every_run if r.method == method]
        body.append((Text(method),))
        body += _rows(runs) if runs else [_not_yet()]
        tidy += [dict(zip(TIDY, (method, *_numbers(run)), strict=True)) for run in runs]
        shown += runs
    return Table(
        name="scale",
        title="Scale: what growing data cost, on synthetic rows in CRITEO's format",
        header=texts(HEADER),
        rows=tuple(body),
        notes=(
            "CPU seconds of tuning, fitting and predicting the test rows, one thread; the peak is "
            "the resident memory of the whole process.",
            "Growth: the exponent b of cost = rows^b from one size to the next, in the last row "
            "from the first size to the last; below 1 a row costs less in larger data.",
            *notes.footer(columns, shown, measure=""),
        ),
        tidy=tuple(tidy),
        tidy_fields=TIDY,
    )


def _numbers(run: Run) -> tuple[int, int, float, float]:
    """Rows, training rows, CPU seconds, peak MB."""
    return run.rows, run.train_rows, run.cpu_seconds or 0.0, run.memory_mb or 0.0


def _rows(runs: Sequence[Run]) -> Iterator[tuple[Text, ...]]:
    found = sorted(map(_numbers, runs))
    before: list[tuple[int, int, float, float] | None] = [None, *found]
    for last, (rows, train, seconds, peak) in zip(before, found, strict=False):
        time_growth, memory_growth = ("", "")
        if last is not None:
            time_growth, memory_growth = _exponents(last, (rows, train, seconds, peak))
        yield texts(
            (
                *(f"{rows:,}", f"{train:,}", f"{seconds:.0f}", f"{1000 * seconds / rows:.2f}"),
                *(time_growth, f"{peak:,.0f}", memory_growth),
            )
        )
    if len(found) > 2:
        time_growth, memory_growth = _exponents(found[0], found[-1])
        yield texts(("first to last", "", "", "", time_growth, "", memory_growth))


def _exponents(a: Sequence[float], b: Sequence[float]) -> tuple[str, str]:
    """Growth of CPU seconds and of memory from size a to size b."""
    more_rows = log(b[0] / a[0])
    return f"{log(b[2] / a[2]) / more_rows:z.2f}", f"{log(b[3] / a[3]) / more_rows:z.2f}"


def _not_yet() -> tuple[Text, ...]:
    return texts(("not yet run", *[""] * (len(HEADER) - 1)))
