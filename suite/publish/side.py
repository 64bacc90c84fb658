"""Side experiments: their published records, and the lines that were kept before these.

The first units of the study and of the ports were kept as lines without commit, versions or seal.
They stay as they are, `unattested`, until a record of the same unit takes their place.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from suite.names import UserError
from suite.plan.experiments import EXPERIMENTS, Experiment
from suite.publish.columns import PUBLISHED, Published
from suite.store.record import Record

RESULTS = PUBLISHED.parent

Unit = dict[str, Any]


def experiments(group: str) -> list[Experiment]:
    """The experiments of a group."""
    return [item for item in EXPERIMENTS.values() if item.group == group]


def planned(group: str) -> int:
    """How many units a group has."""
    return sum(
        item.has(method, replicate)
        for item in experiments(group)
        for method in item.default_methods()
        for replicate in item.numbers(quick=False)
    )


def units(
    group: str, unit_of: Callable[[Experiment, Record], Unit], results: Path = RESULTS
) -> list[Unit]:
    """Every unit of a group: of its records, as `unit_of` reads them, and of the lines before."""
    found = {unit["key"]: {**unit, "attested": False} for unit in unattested(group, results)}
    published = Published(results / PUBLISHED.name)
    for item in experiments(group):
        for record in published.column(item.name).records:
            if record.ok:
                unit = unit_of(item, record)
                found[unit["key"]] = {**unit, "attested": True}
    return list(found.values())


def unattested(group: str, results: Path = RESULTS) -> Iterator[Unit]:
    """The lines without commit, versions or seal."""
    path = results / group / "records.jsonl"
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            unit = json.loads(line)
            unit["key"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UserError(f"{path}, line {number} is no record; restore the file") from None
        yield unit


def provenance(units: list[Unit]) -> str:
    """How many units rest on records, in a sentence for their page."""
    old = sum(not unit["attested"] for unit in units)
    return (
        f"{len(units) - old} of {len(units)} units are sealed records; {old} are unattested: they "
        "were kept before records held commit, versions and seal."
    )
