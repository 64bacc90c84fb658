"""Made-up records for tests of what is done with records; no number of a result comes from here."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from suite.plan.experiments import EXPERIMENTS
from suite.plan.plan import make_plan
from suite.records import Record, Score, Truth
from suite.store.store import write_records


def made_record(method: str = "r-lasso", replicate: int = 0, **changes: object) -> Record:
    """A complete record with numbers drawn from its own name."""
    rng = np.random.default_rng([replicate, *method.encode()])
    q = float(3 + rng.normal())
    score = Score(q, 0.8, 0.8 * q)
    gain = np.linspace(0, 0.1, 11) + 0.05 * np.sin(np.linspace(0, np.pi, 11))
    record = Record(
        key=f"made-{method}-{replicate}",
        experiment="scenario4",
        method=method,
        replicate=replicate,
        source="scenario4",
        options={"variant": "printed"},
        quick=False,
        seed=1,
        digest="made",
        status="ok",
        train=score,
        valid=score,
        test=score,
        truth=Truth(q=q - 0.1, oracle_q=4.5, spearman=0.7, pehe=0.1),
        bins=[{"rows": 10.0, "observed": None}] * 10,
        curve={"phi": np.linspace(0, 1, 11).tolist(), "gain": gain.tolist()},
        sensitivity={
            convention: dict.fromkeys(("5", "10", "20"), score)
            for convention in ("paper", "tools4uplift", "twincausal")
        },
        candidates=3,
        rows={"train": 8000, "valid": 6000, "test": 6000},
        p=100,
        seconds={"tune": 1.0, "fit": 2.0, "predict": 0.1},
        cpu_seconds=3.0,
        peak_memory_mb=200.0,
        commit="0123456789abcdef",
        dirty=False,
        finished="2021-05-31T00:00:00+00:00",
    )
    return replace(record, **changes)


def made_column(
    root: Path, name: str, methods: list[str], replicates: int = 8, variant: str | None = "printed"
) -> None:
    """A published column of made-up records with today's keys."""
    experiment = EXPERIMENTS[name]
    plan = make_plan(experiment, variant=variant, methods=methods, replicates=range(replicates))
    for method in methods:
        write_records(
            root / experiment.folder(variant, quick=False) / f"{method}.jsonl",
            [
                made_record(method, cell.replicate, key=cell.key, experiment=name)
                for cell in plan.cells
                if cell.method == method
            ],
        )
