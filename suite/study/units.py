"""The units of the study as its report reads them: one training, a row for each rule."""

from pathlib import Path

from suite.plan.experiments import Experiment
from suite.plan.methods import methods_in
from suite.publish import side
from suite.publish.side import RESULTS, Unit
from suite.store.record import Record


def units(results: Path = RESULTS) -> list[Unit]:
    """Every unit that is published."""
    return side.units("study", unit_of, results)


def unit_of(experiment: Experiment, record: Record) -> Unit:
    """A record of a probe as a unit."""
    probe = methods_in(experiment.module)[record.method]
    unit = {
        "scenario": experiment.source,
        "variant": experiment.options["variant"],
        "replicate": record.replicate,
        "kind": probe.kind,
        "weight_start": probe.start[0],
        "scale_start": probe.start[1],
    }
    rows = [
        {
            "rule": rule,
            **reading.facts,
            "q": reading.test.q,
            "q_adj": reading.test.q_adj,
            "true_q": reading.truth.q,
            "spearman": reading.truth.spearman,
        }
        for rule, reading in record.readings.items()
    ]
    return {
        "key": "/".join(map(str, unit.values())),
        "unit": unit,
        "oracle": {"true_q": record.truth.oracle_q},
        "rows": rows,
    }
