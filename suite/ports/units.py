"""The ports of R packages: how near they come, what they cost, what their cuts cost.

    python -m suite ports reference FOLDER   every port beside the R package's own predictions
    python -m suite ports noise FOLDER       the causal forests beside grf with as many trees as grf
    python -m suite ports sanity             every method on replicates 100-102 of scenario 4
    python -m suite ports cuts               the same methods with the reference's larger search
    python -m suite ports report             the tables of docs/baselines.md from what is recorded

Each unit runs alone in a new process and is recorded as it ends; recorded units are not repeated.
"""

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import baselines
import datasets
from baselines._boost import Boost
from baselines._forest import Forest
from suite.compute.cell import plain
from suite.plan.digest import ROOT
from suite.ports.report import render
from twin.qini import qini_curve
from twin.rows import Rows

RECORDS = ROOT / "results" / "ports" / "records.jsonl"
SEED = 7
BESIDE_R = ("reference", "noise")
REPLICATES = (100, 101, 102)  # 0 to 19 belong to the tables

# The predictor of the R package, the port, and the port's grid where R's settings are fixed.
PORTS: dict[str, tuple[str, dict[str, tuple]]] = {
    "rlasso": ("r-lasso", {}),
    "xlasso": ("x-lasso", {}),
    "grf_adaptive": ("causal-forest", {"trees": (500,), "depth": (None,)}),
    "grf_honest": ("causal-forest-honest", {"trees": (500,), "depth": (None,)}),
    "upliftRF_KL": ("uplift-forest-kl", {"trees": (100,), "depth": (None,)}),
    "upliftRF_ED": ("uplift-forest-ed", {"trees": (100,), "depth": (None,)}),
    "qLHS": ("qini-based", {}),
}
# What the reference would do, or nearer to it, as attributes of the port's class.
FULL_FOREST = {"grid": {"trees": (2000,), "depth": (3, 5, 8, None)}, "trees_for_m": 500}
# The reference's draws and folds; its depth, up to 20, would take an hour a replicate.
FULL_BOOST = {"boost": Boost(draws=10, n_folds=10, deepest=10)}
FOREST_OF_R = {"grid": {"trees": (2000,), "depth": (None,)}, "trees_for_m": 500}
EVERY_VALUE = {"bins": 8000}
UNCUT: dict[str, dict[str, Any]] = {
    "uplift-forest-kl": EVERY_VALUE,
    "uplift-forest-ed": EVERY_VALUE,
    "causal-forest": FULL_FOREST,
    "causal-forest-honest": FULL_FOREST,
    "r-xgboost": FULL_BOOST,
    "x-xgboost": FULL_BOOST,
}


@dataclass(frozen=True)
class Unit:
    """One fit: `kind` is reference, noise, sanity or cuts; `data` a draw or a replicate."""

    kind: str
    method: str
    data: str
    predictor: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.method}/{self.data}"


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m suite ports",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["reference", "noise", "sanity", "cuts", "report"])
    parser.add_argument("folder", nargs="?", type=Path, help="of the reference predictions")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--data", nargs="+", default=[], metavar="NAME", help="only these")
    options = parser.parse_args(arguments)
    if options.what in BESIDE_R and not (options.folder and options.folder.is_dir()):
        parser.error(f"no folder {options.folder}; give the folder of the reference predictions")
    if options.what != "report":
        wanted = [
            unit
            for unit in units(options.what, options.folder)
            if (not options.methods or unit.method in options.methods)
            and (not options.data or unit.data in options.data)
        ]
        if not wanted:
            parser.error(f"--methods and --data leave nothing of `{options.what}` to run")
        run(wanted, options.folder)
    render(read(), list(UNCUT))
    return 0


def units(kind: str, folder: Path | None) -> Iterator[Unit]:
    """What there is to run."""
    if kind in BESIDE_R:
        for path in sorted(folder.glob("*_predictions.parquet")):
            columns = pd.read_parquet(path).columns
            for predictor, (method, _) in PORTS.items():
                if predictor in columns and (kind == "reference" or predictor.startswith("grf")):
                    yield Unit(
                        kind, method, path.name.removesuffix("_predictions.parquet"), predictor
                    )
        return
    names = list(baselines.methods() if kind == "sanity" else UNCUT)
    for name in sorted(names, key=lambda n: baselines.method(n).upstream is not None):
        for replicate in REPLICATES:
            yield Unit(kind, name, str(replicate))


def run(wanted: list[Unit], folder: Path | None) -> None:
    """Run the units that are not recorded yet, each in a process of its own."""
    done = {record["key"] for record in read()}
    waiting = [unit for unit in wanted if unit.key not in done]
    RECORDS.parent.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    for number, unit in enumerate(waiting, start=1):
        with context.Pool(1) as pool:
            record = pool.apply(compute, (unit, folder, _upstream(unit)))
        with RECORDS.open("a") as out:
            out.write(json.dumps(plain(record)) + "\n")
        print(f"{number}/{len(waiting)} {unit.key}: q {record['q']:.2f}", flush=True)


def _upstream(unit: Unit) -> dict[str, Any] | None:
    """What the method builds on found on the same data, where that is recorded."""
    first = baselines.method(unit.method).upstream
    key = replace(unit, method=first or "").key
    return next((record["result"] for record in read() if record["key"] == key), None)


def compute(unit: Unit, folder: Path | None, upstream: dict[str, Any] | None) -> dict[str, Any]:
    """Fit one method and score it on the test rows."""
    method_class = baselines.method(unit.method)
    changes: dict[str, Any] = {}
    if unit.kind in BESIDE_R:
        train, valid, test, of_r = _reference(folder, unit.data, unit.predictor)
        if unit.kind == "noise":
            changes = FOREST_OF_R
        elif grid := PORTS[unit.predictor][1]:
            changes = {"grid": grid}
    else:
        data = datasets.load("scenario4", replicate=int(unit.data))
        train, valid, test, of_r = data.train, data.valid, data.test, None
        changes = UNCUT[unit.method] if unit.kind == "cuts" else {}
    method = type(method_class.__name__, (method_class,), changes)()
    for module in method.requires:
        import_module(module)
    method.upstream_result = upstream
    base_memory = _peak_memory()  # with data and libraries
    cpu = time.process_time()
    method.fit(train, valid, SEED)
    start = time.perf_counter()
    predicted = method.predict_rows(test)
    seconds = {**method.seconds_, "predict": time.perf_counter() - start}
    scores = qini_curve(test.y, predicted, test.treatment).scores
    record = {
        "key": unit.key,
        "kind": unit.kind,
        "method": unit.method,
        "data": unit.data,
        "q": scores.q,
        "rho": scores.rho,
        "q_adj": scores.q_adj,
        "seconds": seconds,
        "cpu_seconds": time.process_time() - cpu,
        "memory_mb": _peak_memory() - base_memory,
        "candidates": method.n_candidates_,
        "settings": method.settings_,
        "result": {"n_active_nodes": method.n_active_nodes_, "settings": method.settings_},
    }
    if of_r is not None:
        record |= {
            "predictor": unit.predictor,
            "q_of_r": qini_curve(test.y, of_r, test.treatment).scores.q,
            "spearman": float(spearmanr(predicted, of_r)[0]),
            "truth": float(spearmanr(predicted, test.true_uplift)[0]),
            "truth_of_r": float(spearmanr(of_r, test.true_uplift)[0]),
            "halves": _halves(method, test) if isinstance(method, Forest) else None,
        }
    return record


def _halves(forest: Forest, test: Rows) -> float:
    """Spearman correlation between the two halves of a forest: the noise of its trees."""
    trees = forest._trees
    predictions = []
    for half in (trees[::2], trees[1::2]):
        forest._trees = half
        predictions.append(forest.predict(test.X))
    return float(spearmanr(*predictions)[0])


def _reference(folder: Path, name: str, predictor: str) -> tuple[Rows, Rows, Rows, np.ndarray]:
    """Training, validation and test rows of a draw, and what R predicts for the last."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    covariates = [column for column in frame if column.startswith("x")]
    parts = {
        part: Rows.of(
            rows[covariates], rows["y"], rows["treatment"], true_uplift=rows["true_uplift"]
        )
        for part, rows in frame.groupby("part")
    }
    predictions = pd.read_parquet(folder / f"{name}_predictions.parquet")
    of_r = predictions.loc[predictions.part == "test", predictor].to_numpy()
    return parts["train"], parts["valid"], parts["test"], of_r


def read() -> list[dict[str, Any]]:
    """All records."""
    if not RECORDS.exists():
        return []
    return [json.loads(line) for line in RECORDS.read_text().splitlines()]


def _peak_memory() -> float:
    """Most memory this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
