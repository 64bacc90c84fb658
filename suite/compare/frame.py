"""Runs from records: the only place of `compare` and `show` that knows a record's fields."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from suite.compare.runs import Bins, Frame, Run, Score
from suite.compute import measures
from suite.publish.columns import Column
from suite.store.record import Record


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
    # One weight for all, or slopes of two kinds would be averaged.
    by_rows = any(run.calibration is None for run in runs)
    return Frame(planned, tuple(replace(run, by_rows=by_rows) for run in runs), failed)


def _run(record: Record) -> Run:
    result, truth, cost = record.result, record.truth, record.cost
    return Run(
        method=record.method,
        replicate=record.replicate,
        train=_score(result.train),
        valid=_score(result.valid),
        test=_score(result.test),
        true_q=truth and truth.q,
        oracle_q=truth and truth.oracle_q,
        spearman=truth and truth.spearman,
        pehe=truth and truth.pehe,
        m_hat=result.m_hat,
        m=result.m,
        candidates=result.candidates,
        settings=result.settings,
        seconds=cost.total_seconds,
        cpu_seconds=cost.cpu_seconds,
        memory_mb=cost.peak_memory_mb,
        updates=result.updates,
        rows=sum(result.rows.values()),
        train_rows=result.rows["train"],
        p=result.p,
        note=result.note,
        commit=record.origin.commit,
        phi=list(result.curve.phi),
        gain=list(result.curve.gain),
        bins=_bins(result.bins),
        by_convention={
            (convention, int(bins)): _score(score)
            for convention, by_bins in result.sensitivity.items()
            for bins, score in by_bins.items()
        },
    )


def _score(score: measures.Score) -> Score:
    return Score(score.q, score.rho, score.q_adj)


def _bins(bins: Sequence[measures.Bin]) -> Bins | None:
    """None where a bin lacks an arm or a field that every comparison needs."""
    names = ("predicted", "observed", "treated", "control")
    columns = {name: [getattr(b, name) for b in bins] for name in names}
    if not bins or any(value is None for column in columns.values() for value in column):
        return None
    responses = {}
    for name in ("treated_responses", "control_responses"):
        values = [getattr(b, name) for b in bins]
        responses[name] = None if any(value is None for value in values) else values
    return Bins(**columns, **responses)
