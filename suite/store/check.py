"""What a record's numbers must agree on, whoever wrote it: one set of rules for all readers."""

import math
from collections.abc import Iterator

from suite.compute.cell import Result
from suite.compute.measures import BINS, CONVENTIONS, MAIN, Bin, Score
from suite.store.record import Record

_CLOSE = 1e-9
_ROUNDING = 1e-12  # observed uplifts nearer than this are equal


def problems(record: Record) -> list[str]:
    """Every way in which a record contradicts itself."""
    found = []
    if record.cell.data.replicate < 0:
        found.append(f"replicate {record.cell.data.replicate} is below 0")
    if any(seconds < 0 for seconds in record.cost.seconds.values()):
        found.append("a time is below 0")
    for name, reading in record.readings.items():
        found += _score(f"reading {name!r}", reading.test)
    if record.result is not None:
        found += _result(record.result)
    return found


def _result(result: Result) -> Iterator[str]:
    scores = {"train": result.train, "valid": result.valid, "test": result.test}
    for convention, by_bins in result.sensitivity.items():
        scores |= {f"{convention}, J = {bins}": score for bins, score in by_bins.items()}
    for name, score in scores.items():
        yield from _score(name, score)
    if set(result.sensitivity) != set(CONVENTIONS) or any(
        set(by_bins) != set(map(str, BINS)) for by_bins in result.sensitivity.values()
    ):
        yield "the conventions or numbers of bins are not those of the suite"
    elif result.test != result.sensitivity[MAIN[0]][str(MAIN[1])]:
        yield "the test score is not that of the paper's convention with ten bins"
    yield from _bins(result)
    if min(result.rows.values(), default=0) <= 0 or set(result.rows) != {"train", "valid", "test"}:
        yield f"rows are {dict(result.rows)}"
    if result.candidates < 0:
        yield f"{result.candidates} candidates"


def _score(name: str, score: Score) -> Iterator[str]:
    if not -1 - _CLOSE <= score.rho <= 1 + _CLOSE:
        yield f"{name}: rho is {score.rho}"
    if not _equal(score.q_adj, score.rho * max(0.0, score.q)):
        yield f"{name}: q_adj is {score.q_adj}, rho max(0, q) is {score.rho * max(0, score.q)}"


def _bins(result: Result) -> Iterator[str]:
    phi, gain, bins = result.curve.phi, result.curve.gain, result.bins
    if len(bins) != MAIN[1] or len(phi) != len(bins) + 1 or len(gain) != len(phi):
        yield "the bins and the curve are not of ten bins"
        return
    above = [g - p * gain[-1] for p, g in zip(phi, gain, strict=True)]
    steps = zip(zip(phi, above, strict=True), zip(phi[1:], above[1:], strict=True), strict=False)
    q = 100 * sum((b - a) * (x + y) / 2 for (a, x), (b, y) in steps)
    if not _equal(q, result.test.q, 1e-7):
        yield f"test q is {result.test.q}, its curve gives {q}"
    if not math.isclose(sum(b.rows for b in bins), result.rows.get("test", 0), rel_tol=_CLOSE):
        yield "the bins do not hold the test rows"
    if not _equal(_rho(bins), result.test.rho):
        yield f"test rho is {result.test.rho}, its bins give {_rho(bins)}"


def _rho(bins: tuple[Bin, ...]) -> float:
    """Kendall's tau-a of predicted and observed uplift over the bins, as `twin.qini` has it."""
    seen = [(b.predicted, b.observed) for b in bins if b.observed is not None]
    score = 0
    for i, (above, first) in enumerate(seen):
        for below, second in seen[i + 1 :]:
            if above > below:  # equal where ties span both bins
                score += (first - second > _ROUNDING) - (second - first > _ROUNDING)
    return 2.0 * score / (len(bins) * (len(bins) - 1))


def _equal(a: float, b: float, tolerance: float = _CLOSE) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def same_place(record: Record, column: str, method: str) -> str | None:
    """Why a record does not belong into the file where it lies, None where it does."""
    if (record.cell.column, record.cell.method) == (column, method):
        return None
    return f"it is a record of {record.cell.column}/{record.cell.method}"
