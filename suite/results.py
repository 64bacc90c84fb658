"""The published cells as one table: one line per cell, whatever a record looks like inside."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from suite.plan.digest import ROOT
from suite.publish.columns import PUBLISHED, Column, Published, columns
from suite.store.record import Record

COLUMNS = (
    *("column", "experiment", "variant", "source", "method", "replicate"),
    *("q", "rho", "q_adj", "valid_q_adj", "train_q_adj"),
    *("true_q", "oracle_q", "regret", "spearman", "pehe"),
    *("bins", "curve", "settings", "m", "m_hat"),
    *("seconds", "cpu_seconds", "memory_mb", "key", "commit", "note", "file", "line"),
)


def load(name: str | None = None, variant: str | None = None) -> pd.DataFrame:
    """The cells that succeeded, of one experiment and variant or of all.

    `file` and `line` say where the record stands, from the root of the project.
    """
    published = Published()
    lines = [
        _cell(column, record, place)
        for experiment, own in columns()
        if name in (None, experiment.name) and variant in (None, own)
        for column in (published.column(experiment.name, own),)
        for record, place in _located(column)
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _located(column: Column) -> Iterator[tuple[Record, tuple[str, int]]]:
    for record in column.records:
        if record.ok:
            path = PUBLISHED / column.name / f"{record.method}.jsonl"
            yield record, (path.relative_to(ROOT).as_posix(), _lines(path)[record.key])


@cache
def _lines(path: Path) -> dict[str, int]:
    """The line of each key, counted from 1; of a key that stands there twice, the last."""
    text = path.read_text().splitlines()
    return {json.loads(line)["key"]: number for number, line in enumerate(text, start=1) if line}


def _cell(column: Column, record: Record, place: tuple[str, int]) -> dict[str, Any]:
    result, truth, cost = record.result, record.truth, record.cost
    return {
        "column": column.name,
        "experiment": column.experiment.name,
        "variant": column.variant,
        "source": record.cell.data.source,
        "method": record.method,
        "replicate": record.replicate,
        "q": record.test.q,
        "rho": record.test.rho,
        "q_adj": record.test.q_adj,
        "valid_q_adj": result.valid.q_adj,
        "train_q_adj": result.train.q_adj,
        "true_q": truth and truth.q,
        "oracle_q": truth and truth.oracle_q,
        "regret": truth and truth.oracle_q - truth.q,
        "spearman": truth and truth.spearman,
        "pehe": truth and truth.pehe,
        "bins": [asdict(b) for b in result.bins],
        "curve": asdict(result.curve),
        "settings": result.settings,
        "m": result.m,
        "m_hat": result.m_hat,
        "seconds": cost.total_seconds,
        "cpu_seconds": cost.cpu_seconds,
        "memory_mb": cost.peak_memory_mb,
        "key": record.key,
        "commit": record.origin.commit,
        "note": result.note,
        "file": place[0],
        "line": place[1],
    }
