"""The same cells under other settings of the caller, and on another processor: a table.

    python tests/suite/bit_identity.py

Cells of `minute` are computed by the real command line, with variables set that numerical libraries
listen to, and compared with the plain run and with the published record. Where qemu-user is
installed, a Haswell is emulated: there a cell is computed in the emulated process itself, because
what that process starts would run on the real processor. The last columns show that the settings
matter where nothing is pinned: with all instructions of this processor (AVX-512, where
it has them), and with older ones.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from suite.compute.cell import Result, fit_and_predict, load, measure, visible
from suite.compute.environment import instructions, of_a_worker
from suite.compute.worker import find_method
from suite.plan.digest import ROOT
from suite.plan.experiments import EXPERIMENTS
from suite.plan.plan import make_plan
from suite.publish.columns import Published
from suite.store.store import Store
from suite.strict import build

CELLS = ("oracle", "random", "r-lasso", "x-lasso", "logistic", "twin-mu", "twin-64")
CALLERS = {
    "plain": {},
    "OPENBLAS_CORETYPE=Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "NUMBA_CPU_NAME=generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "4 threads, numpy without AVX2": {
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "4"),
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
    },
}
QEMU = "qemu -cpu Haswell"
UNPINNED = "not pinned: Prescott, generic"
OWN = "not pinned: all that this processor has"
# With numpy's code for AVX2, qemu 7.2 ends the process with a segmentation fault.
_NO_AVX2_IN_NUMPY = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}


def by_command(environment: Mapping[str, str], methods: tuple[str, ...]) -> dict[str, Result]:
    """The cells as `python -m suite.run` computes them."""
    with tempfile.TemporaryDirectory() as store:
        words = ["minute", "--methods", *methods, "--replicates", "1", "--jobs", "1"]
        _run([sys.executable, "-m", "suite.run", *words, "--store", store], environment)
        return {record.method: record.result for record in Store(store).records("minute")}


def in_one_process(
    command: list[str], environment: Mapping[str, str], methods: tuple[str, ...]
) -> dict[str, Result]:
    """The cells computed by this file in a process of its own, without server and keeper."""
    words = [*command, sys.executable, __file__, "--compute", *methods]
    lines = _run(words, environment).splitlines()[-len(methods) :]
    return {
        method: build(Result, json.loads(line)) for method, line in zip(methods, lines, strict=True)
    }


def _run(command: list[str], environment: Mapping[str, str]) -> str:
    whole = {**environment, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=whole, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}"
        )
    return done.stdout


def compute(method: str) -> Result:
    """One cell, here and now."""
    planned = make_plan(EXPERIMENTS["minute"], methods=[method], replicates=(0,)).cells[-1]
    data = load(planned.cell.data.source, planned.cell.data.options, planned.replicate)
    truth = planned.code.reads_truth
    fitted, predicted = fit_and_predict(
        find_method(planned),
        visible(data, truth),
        seed=planned.cell.seed,
        quick=False,
        upstream=None,
        reads_truth=truth,
    )
    return measure(data, predicted, fitted)


def columns(methods: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Result]]]:
    """Every setting with its results."""
    for name, variables in CALLERS.items():
        yield name, by_command({**os.environ, **variables}, methods)
    pinned = of_a_worker(os.environ)
    if emulator := shutil.which("qemu-x86_64"):
        haswell = [emulator, "-cpu", "Haswell"]
        yield QEMU, in_one_process(haswell, {**pinned, **_NO_AVX2_IN_NUMPY}, methods)
    free = {name: value for name, value in pinned.items() if name not in instructions()}
    yield OWN, in_one_process([], free, methods)
    free |= CALLERS["OPENBLAS_CORETYPE=Prescott"] | CALLERS["NUMBA_CPU_NAME=generic"]
    yield UNPINNED, in_one_process([], free, methods)


def table(methods: tuple[str, ...] = CELLS) -> dict[str, dict[str, str]]:
    """By cell and setting: `identical` to the plain run and the published record, or how far off.

    Identical are all numbers, the digests of rows and predictions among them.
    """
    records = Published().column("minute").records
    published = {r.method: r.result for r in records if r.replicate == 0}
    found: dict[str, dict[str, str]] = {method: {} for method in methods}
    plain: dict[str, Result] = {}
    for name, results in columns(methods):
        plain = plain or results
        for method, result in results.items():
            same = result == plain[method] and result.numbers() == published[method].numbers()
            difference = result.test.q_adj - published[method].test.q_adj
            moved = f"q_adj {difference:+.2g}" if difference else "other digits, q_adj the same"
            found[method][name] = "identical" if same else moved
    return found


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compute", nargs="+", help="these cells, here and now, as JSON")
    parser.add_argument("--methods", nargs="+", default=CELLS, help="the rows of the table")
    options = parser.parse_args()
    if options.compute:
        for method in options.compute:
            print(json.dumps(asdict(compute(method))), flush=True)
        return
    found = table(tuple(options.methods))
    settings = list(next(iter(found.values())))
    print(f"| cell | {' | '.join(settings)} |\n|{' --- |' * (len(settings) + 1)}")
    for method, by_setting in found.items():
        print(f"| `{method}` | {' | '.join(by_setting[name] for name in settings)} |")


if __name__ == "__main__":
    main()
