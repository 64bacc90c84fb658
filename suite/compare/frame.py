"""Runs from records: the only place of `compare` and `show` that knows a record's fields."""

from collections.abc import Iterable

from suite.compare.runs import Bins, Frame, Run, Score
from suite.publish.columns import Column
from suite.records import Record


def frame_of(column: Column) -> Frame:
    """The frame of a published column, made once and kept with it."""
    kept = vars(column)
    if "_frame" not in kept:
        kept["_frame"] = frame(column.records, column.experiment.planned(column.variant))
    return kept["_frame"]


def frame(records: Iterable[Record], planned: int) -> Frame:
    """The frame of a column's records."""
    runs, failed = [], {}
    for record in records:
        if record.ok:
            runs.append(_run(record))
        elif record.replicate < planned:
            failed[record.method] = failed.get(record.method, 0) + 1
    return Frame(planned, tuple(runs), failed)


def _run(record: Record) -> Run:
    truth = record.truth
    return Run(
        method=record.method,
        replicate=record.replicate,
        train=_score(record.train),
        valid=_score(record.valid),
        test=_score(record.test),
        true_q=truth and truth.q,
        oracle_q=truth and truth.oracle_q,
        spearman=truth and truth.spearman,
        pehe=truth and truth.pehe,
        m_hat=record.m_hat,
        m=record.m,
        candidates=record.candidates,
        settings=record.settings,
        seconds=record.total_seconds,
        cpu_seconds=record.cpu_seconds,
        memory_mb=record.peak_memory_mb,
        updates=record.updates,
        rows=sum(record.rows.values()),
        train_rows=record.rows["train"],
        p=record.p,
        note=record.note,
        commit=record.commit,
        phi=record.curve["phi"],
        gain=record.curve["gain"],
        bins=_bins(record.bins),
        by_convention={
            (convention, int(bins)): _score(score)
            for convention, by_bins in record.sensitivity.items()
            for bins, score in by_bins.items()
        },
    )


def _score(score: object) -> Score:
    return Score(score.q, score.rho, score.q_adj)


def _bins(bins: list[dict[str, float | None]]) -> Bins | None:
    """None where a bin lacks an arm or a field that every comparison needs."""
    names = ("predicted", "observed", "treated", "control")
    columns = {name: [line.get(name) for line in bins] for name in names}
    if not bins or any(value is None for column in columns.values() for value in column):
        return None
    responses = {}
    for name in ("treated_responses", "control_responses"):
        values = [line.get(name) for line in bins]
        responses[name] = None if any(value is None for value in values) else values
    return Bins(**columns, **responses)
