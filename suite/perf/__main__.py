"""python -m suite perf: the speed of the suite, over commits and beside its peers."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from suite.compute.environment import git_state
from suite.compute.pinned import ONE_THREAD

os.environ.update(ONE_THREAD)  # before a numerical library is imported

from suite.names import UserError
from suite.perf import asv_runs, report
from suite.plan.digest import ROOT
from suite.show.terminal import console


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its status."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "peers":
            return peers(check=options.check)
        if options.command == "check":
            return asv_runs.check()
        if options.against:
            return against(options.against, options.bench)
        return measure(options.bench, record=options.record)
    except UserError as error:
        print(f"suite.perf: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m suite perf",
        description="Measure the code here with asv (about four minutes) and show a table.",
    )
    top.add_argument("--bench", metavar="REGEX", help="only the benchmarks whose name matches")
    kind = top.add_mutually_exclusive_group()
    kind.add_argument(
        "--record",
        action="store_true",
        help="keep the results for the present commit and publish them as HTML",
    )
    kind.add_argument("--against", metavar="COMMIT", help="measure COMMIT as well, and compare")
    commands = top.add_subparsers(dest="command")
    commands.add_parser("check", help="asv check: whether the benchmarks are in order")
    beside = commands.add_parser(
        "peers", help="ratios against other implementations, in one process (about two minutes)"
    )
    beside.add_argument(
        "--check",
        action="store_true",
        help="write nothing, and fail if a ratio is beyond a limit twice in a row",
    )
    return top


def measure(pattern: str | None, *, record: bool) -> int:
    """The table of the code here; status 1 if a benchmark failed."""
    if record and git_state()[1]:
        raise UserError("code differs from the present commit; commit it before --record")
    if record and pattern:
        raise UserError("--record keeps whole runs; leave --bench away")
    with tempfile.TemporaryDirectory() as folder:
        numbers = asv_runs.run(Path(folder), pattern=pattern)
        output = console()
        output.print(report.table(numbers))
        good = sum(number.value is not None for number in numbers)
        output.print(f"{good} of {len(numbers)} benchmarks gave a number")
        if good < len(numbers):
            return 1
        if record:
            print(f"recorded in {asv_runs.record(Path(folder)).relative_to(ROOT)}")
            status = asv_runs.asv(["publish"], asv_runs.configured("results_dir"))
            page = asv_runs.configured("html_dir").relative_to(ROOT)
            print(f"to look at it: python -m http.server --directory {page}")
            return status
    return 0


def against(commit: str, pattern: str | None) -> int:
    """COMMIT and the code here, measured one after the other; status 1 if something is worse.

    Whatever seems to have changed is measured again on both sides before it is reported.
    """
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder, "code")
        _git("worktree", "add", "--detach", str(there), commit)
        try:
            before = asv_runs.run(Path(folder, "before"), code=there, pattern=pattern)
            after = asv_runs.run(Path(folder, "after"), pattern=pattern)
            suspects = {c.name.split("(")[0] for c in report.changes(before, after) if c.verdict}
            if suspects:
                names = "^(" + "|".join(map(re.escape, sorted(suspects))) + r")(\(|$)"
                again = asv_runs.run(Path(folder, "before2"), code=there, pattern=names)
                before = report.least(before, again)
                after = report.least(after, asv_runs.run(Path(folder, "after2"), pattern=names))
        finally:
            _git("worktree", "remove", "--force", str(there))
    found = report.changes(before, after)
    output = console()
    output.print(report.comparison(found, commit, "here"))
    counts = {kind: sum(c.verdict == kind for c in found) for kind in ("worse", "better", "failed")}
    output.print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return int(counts["worse"] + counts["failed"] > 0)


def peers(*, check: bool) -> int:
    """The table of peers; with `check` status 1 if a line is beyond its limit."""
    from suite.perf.peers import table

    lines = table.gate() if check else table.measure()
    output = console()
    output.print(table.table(lines))
    if not check:
        for path in table.write(lines):
            print(f"wrote {path.relative_to(ROOT)}")
        return 0
    beyond = [line for line in lines if not line.passes]
    for line in beyond:
        print(f"beyond its limit: {line.ours} beside {line.peer}", file=sys.stderr)
    return int(bool(beyond))


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise UserError(done.stderr.strip())


if __name__ == "__main__":
    sys.exit(main())
