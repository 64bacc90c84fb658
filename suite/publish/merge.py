"""Merge finished cells of a run into `results/records`.

Idempotent, at any time, also while the run goes on. Cells of a quick run, of uncommitted code or
of a user's own method stay out, and are counted. A line that cannot be trusted, published or
offered, stops everything: nothing is ever removed that cannot be read.
"""

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from suite.compute.environment import git_environment
from suite.names import UserError
from suite.plan.digest import PACKAGES, ROOT, Code
from suite.plan.experiment import Experiment
from suite.plan.methods import methods_of
from suite.plan.plan import CELL, method_path, source_path
from suite.publish.columns import PUBLISHED, Column, Published, every_column, one_per_cell, unfit
from suite.store.record import Record
from suite.store.store import Store, write_records


def publish(store: Store, root: Path = PUBLISHED) -> Iterator[str]:
    """Merge what `store` has; says what came in and what stayed out."""
    if not store.root.is_dir():
        raise UserError(f"no store at {store.root}; run an experiment first, or give --store DIR")
    published = Published(root)
    if broken := published.problems():
        raise UserError("published records are damaged; mend them first:\n" + "\n".join(broken))
    offered = {name: store.read(name) for name in store.columns()}
    if broken := [str(problem) for _, wrong in offered.values() for problem in wrong]:
        raise UserError(
            f"{store.root} has lines that are no records; move them away, or run the experiment "
            "again into a new store:\n" + "\n".join(broken)
        )
    refused: Counter[str] = Counter()
    silent = True
    with ExitStack() as stack:
        commits = Commits(stack)
        for experiment, variant in every_column():
            name = experiment.column(variant)
            fit = []
            for record in offered.pop(name, ((), ()))[0]:
                reason = unfit(record, experiment) or commits.objection(record, experiment)
                if reason:
                    refused[f"{name}: {reason}"] += 1
                else:
                    fit.append(record)
            for message in _merge(published.column(experiment.name, variant), fit, root):
                silent = False
                yield message
    for name, (records, _) in offered.items():
        for record in records:
            refused[f"{name}: {unfit(record, None)}"] += 1
    for reason, count in sorted(refused.items()):
        silent = False
        yield f"refused {count}: {reason}"
    if silent:
        yield "nothing new"


class Commits:
    """The code that a record's commit holds, to compare with what the record says of it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.tree = cache(self._tree)
        self._digest = cache(lambda commit, path: Code(self.tree(commit)).digest(path))

    def objection(self, record: Record, experiment: Experiment) -> str | None:
        """Why a record cannot be of the commit that it names, None where it can."""
        if record.origin.carried is not None:
            return None  # its digest is of a state of the code that is known
        commit = record.origin.commit
        if self.tree(commit) is None:
            return f"its commit {commit[:12]} is not in this repository"
        method, source = methods_of(experiment)[record.method], experiment.source
        paths = (method_path(method), source_path(source), ROOT / CELL)
        here = [str(path.relative_to(ROOT)) for path in paths]
        held = [path for path in here if (self.tree(commit) / path).is_file()]
        if tuple(self._digest(commit, path) for path in held) != record.basis.code:
            return f"its digests are not those of the code of its commit {commit[:12]}"
        return None

    def _tree(self, commit: str) -> Path | None:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        archive = ["git", "archive", "--format=tar", commit, *PACKAGES]
        packed = subprocess.run(
            archive, cwd=ROOT, env=git_environment(), capture_output=True, check=False
        )
        if packed.returncode:
            return None
        subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
        return folder


def _merge(before: Column, offered: Iterable[Record], root: Path) -> Iterator[str]:
    """Write the union; of two records of one cell today's, then the successful, then the newer."""
    known = {record.key: record for record in before.records}
    new = []
    for record in offered:
        old = known.get(record.key)
        if old is None or not old.ok:
            new.append(record)
        elif record.ok and record.numbers() != old.numbers():
            yield (
                f"{before.name}: {record.method}, replicate {record.replicate} has other numbers "
                "than the published record of the same key; it stays out: verify the cell"
            )
    if not new:
        return

    def worth(record: Record) -> tuple[bool, bool, str]:
        return before.freshness(record) != "stale", record.ok, record.origin.finished

    merged = one_per_cell(sorted([*before.records, *new], key=worth))
    for method in sorted({record.method for record in merged}):
        lines = [record for record in merged if record.method == method]
        write_records(root / before.name / f"{method}.jsonl", lines)
    keys = {record.key for record in before.records}
    if added := sum(record.key not in keys for record in merged):
        yield f"{before.name}: {added} cells published"
