"""The published cells as one table: one line per cell, whatever a record looks like inside."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from suite.names import unknown
from suite.plan.digest import ROOT
from suite.plan.experiments import GROUPS, VARIANTS, experiment
from suite.plan.plan import check_variant
from suite.publish.columns import PUBLISHED, Column, Published, columns, every_column
from suite.store.record import Record

COLUMNS = (
    *("column", "experiment", "variant", "source", "method", "replicate"),
    *("q", "rho", "q_adj", "valid_q_adj", "train_q_adj"),
    *("true_q", "oracle_q", "regret", "spearman", "pehe"),
    *("bins", "curve", "settings", "m", "m_hat"),
    *("seconds", "cpu_seconds", "memory_mb", "key", "commit", "note", "file", "line"),
)


def load(name: str | None = None, variant: str | None = None) -> pd.DataFrame:
    """The cells that succeeded: of one experiment, a group or all that tables show; of a variant.

    `file` and `line` say where the record stands, from the root of the project.
    """
    if name is not None and name not in GROUPS:
        check_variant(experiment(name), variant)
    elif variant not in (None, *VARIANTS):
        raise unknown("variant", variant, VARIANTS)
    published = Published()
    lines = [
        _cell(column, record, place)
        for chosen, own in (columns() if name is None else every_column())
        if name in (None, chosen.name, chosen.group) and variant in (None, own)
        for column in (published.column(chosen.name, own),)
        for record, place in _located(column)
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _located(column: Column) -> Iterator[tuple[Record, tuple[str, int]]]:
    for method, own in groupby(column.records, key=lambda record: record.method):
        path = PUBLISHED / column.name / f"{method}.jsonl"
        lines = _lines(path)
        for record in own:
            if record.ok:
                yield record, (path.relative_to(ROOT).as_posix(), lines[record.key])


def _lines(path: Path) -> dict[str, int]:
    """The line of each key, counted from 1; of a key that stands there twice, the last."""
    found = {}
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        with suppress(ValueError):  # a line that is no record, as others skip it too
            found[json.loads(line)["key"]] = number
    return found


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
