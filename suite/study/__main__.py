"""python -m suite study: run the units that are not recorded yet, then render the report."""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from suite.plan.digest import ROOT
from suite.study.plan import units
from suite.study.report import render
from suite.study.unit import run_unit

FOLDER = ROOT / "results" / "study"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite study", description=__doc__)
    parser.add_argument("--report", action="store_true", help="render only, run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="units at the same time (2)")
    parser.add_argument("--minutes", type=float, default=None, help="start no unit after this")
    options = parser.parse_args(arguments)
    path = FOLDER / "records.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not options.report:
        run(path, options.jobs, options.minutes)
    records = read(path)
    report = FOLDER / "study.md"
    report.write_text(render(records))
    print(f"{len(records)} of {len(units())} units recorded; report in {report}")
    return 0


def run(path: Path, jobs: int, minutes: float | None) -> None:
    """Run the missing units; each is written as it ends, so an interrupted study goes on."""
    done = {record["key"] for record in read(path)}
    waiting = [unit for unit in units() if unit.key not in done]
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    total = len(done) + len(waiting)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool, path.open("a") as out:
        running = set()
        while waiting or running:
            while waiting and len(running) < jobs and time.monotonic() < deadline:
                running.add(pool.submit(run_unit, waiting.pop(0)))
            if not running:
                break
            ended = next(as_completed(running))
            running.remove(ended)
            record = ended.result()
            out.write(json.dumps(record) + "\n")
            out.flush()
            done.add(record["key"])
            print(f"{len(done)}/{total} {record['key']} {record['seconds']} s", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The records so far; a line torn by an interruption is left out."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records
