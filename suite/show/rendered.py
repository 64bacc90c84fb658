"""Every file under `results/` that comes from the records: written, or compared with them."""

import re
from collections.abc import Mapping
from pathlib import Path

import matplotlib

from suite.plan.digest import ROOT
from suite.publish.columns import Published, every_column
from suite.show.pages import Files, render
from suite.show.picture import Picture
from suite.show.tables.entries import STALE_MARK
from suite.show.tables.model import escape
from suite.show.tables.notes import STALE_NOTE

RESULTS = ROOT / "results"
# What commands of their own measure and note (attest, perf peers, ports, rounding, verify).
MEASURED = {
    *("attested.jsonl", "perf/peers.json", "ports/records.jsonl", "rounding/cells.csv"),
    *("study/records.jsonl", "findings/verified.csv"),
}
MEASURED_FOLDERS = ("records/", "perf/asv/")  # records have seals of their own
RENDERED_FOLDERS = ("paper/", "findings/", "columns/")  # what is rendered no longer goes
REMEDY = "run python -m suite tables"


def write(published: Published, folder: Path, more: Mapping[str, str]) -> int:
    """Render everything; says how many files changed. What is no longer rendered goes."""
    files = render(published) | dict(more)
    changed = 0
    for name, file in files.items():
        path = folder / name
        content = file.svg() if isinstance(file, Picture) else file.encode()
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            changed += 1
    for name in _unknown(folder, files):
        if name.startswith(RENDERED_FOLDERS):
            (folder / name).unlink()
            changed += 1
    return changed


def check(published: Published, folder: Path, more: Mapping[str, str]) -> list[str]:
    """Every difference between the files and what the records give."""
    files = render(published) | dict(more)
    problems = []
    for name, file in files.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing; {REMEDY}")
        elif isinstance(file, Picture):
            problems += _check_picture(file, path, name)
        elif without_stale_marks(path.read_text()) != without_stale_marks(file):
            where = _first_difference(path, file)
            problems.append(f"{name} differs from the records; {REMEDY}{where}")
    for name in _unknown(folder, files):
        problems.append(f"{name} comes from no record; delete it, or render or name it in suite")
    return problems


def without_stale_marks(text: str) -> str:
    """A table as if nothing were stale: an edit of code must not turn rendered tables wrong."""
    for mark in (STALE_MARK, escape(STALE_MARK)):
        text = text.replace(f"- {mark}{STALE_NOTE}\n", "").replace(f" {mark}{STALE_NOTE}", "")
        text = text.replace(mark, "")
    return re.sub(",stale$", ",", text, flags=re.MULTILINE)


def _unknown(folder: Path, files: Files) -> list[str]:
    """Files that are neither rendered nor measured."""
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    unknown = there - set(files) - MEASURED
    return sorted(name for name in unknown if not name.startswith(MEASURED_FOLDERS))


def _check_picture(picture: Picture, path: Path, name: str) -> list[str]:
    content = path.read_bytes()
    drawn_by = re.search(rb"numbers (\w+), matplotlib ([\w.]+)", content)
    if drawn_by is None or drawn_by[1].decode() != picture.digest:
        return [f"{name} does not show the records; {REMEDY}"]
    # Another version draws the same numbers with other bytes; this one must not.
    if drawn_by[2].decode() == matplotlib.__version__ and picture.svg() != content:
        return [f"{name} differs from what the records give; {REMEDY}"]
    return []


def _first_difference(path: Path, content: str) -> str:
    old, new = path.read_text().splitlines(), content.splitlines()
    for number, (a, b) in enumerate(zip(old, new, strict=False), start=1):
        if a != b:
            return f"\n    line {number}, file:    {a[:160]}\n    line {number}, records: {b[:160]}"
    return f" (it has {len(old)} lines, the records give {len(new)})"


def stale(published: Published) -> list[str]:
    """The methods whose numbers today's code is not known to give, by column."""
    found = []
    for experiment, variant in every_column():
        column = published.column(experiment.name, variant)
        methods = sorted({record.method for record in column.stale})
        if methods:
            found.append(f"stale in {column.name}: {', '.join(methods)}")
    return found
