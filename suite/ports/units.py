"""The units of the ports as their tables read them: one fit, beside R's where there is one."""

from pathlib import Path

from datasets.reference import DRAWS
from suite.plan.experiments import Experiment
from suite.plan.methods import methods_in
from suite.publish import side
from suite.publish.side import RESULTS, Unit
from suite.store.record import Record

_ENDINGS = ("-uncut", "-as-r", "-of-2000")  # of the names of variants


def units(results: Path = RESULTS) -> list[Unit]:
    """Every unit that is published."""
    return side.units("ports", unit_of, results)


def unit_of(experiment: Experiment, record: Record) -> Unit:
    """A record as a unit; `method` is the port, whatever its settings are."""
    kind, method = experiment.name.removeprefix("ports-"), record.method
    for ending in _ENDINGS:
        method = method.removesuffix(ending)
    beside_r = experiment.source == "reference"
    data = DRAWS[record.replicate] if beside_r else str(record.replicate)
    unit = {
        "key": f"{kind}/{method}/{data}",
        "kind": kind,
        "method": method,
        "data": data,
        "q": record.test.q,
        "rho": record.test.rho,
        "q_adj": record.test.q_adj,
        "seconds": record.cost.seconds,
        "cpu_seconds": record.cost.cpu_seconds,
        "memory_mb": record.cost.peak_memory_mb,
        "candidates": record.result.candidates,
        "settings": record.result.settings,
    }
    return {**unit, **_beside(experiment, record)} if beside_r else unit


def _beside(experiment: Experiment, record: Record) -> Unit:
    """How near the port comes to the R package, and R's own measures."""
    predictor = methods_in(experiment.module)[record.method].of_r
    of_r, half = record.readings[predictor], record.readings.get("every other tree")
    return {
        "predictor": predictor,
        "q_of_r": of_r.test.q,
        "spearman": of_r.facts["spearman"],
        "truth": record.truth.spearman,
        "truth_of_r": of_r.truth.spearman,
        "halves": half and half.facts["halves"],
    }
