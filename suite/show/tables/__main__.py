"""`python -m suite tables`: render the published records into `results/tables/`, or `--check`."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib

from suite.plan.digest import ROOT
from suite.publish.columns import PUBLISHED, Published, columns
from suite.show.tables import pictures, render_text
from suite.show.tables.entries import STALE_MARK
from suite.show.tables.model import escape
from suite.show.tables.notes import STALE_NOTE
from suite.store.store import Store

TABLES = ROOT / "results" / "tables"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m suite tables", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 on a difference"
    )
    parser.add_argument(
        "--strict", action="store_true", help="with --check: stale records fail too"
    )
    options = parser.parse_args(arguments)
    if options.strict and not options.check:
        parser.error("--strict goes with --check")
    published = Published(PUBLISHED)
    problems = Store(PUBLISHED).problems()
    if options.check:
        problems += check(published, TABLES)
        stale = _stale(published)
        problems += stale if options.strict else []
        for line in () if options.strict else stale:
            print(f"note: {line}")
        for line in problems:
            print(f"problem: {line}", file=sys.stderr)
        print(f"{len(problems)} problems" if problems else "tables and records agree")
        return 1 if problems else 0
    if problems:
        print("\n".join(f"problem: {line}" for line in problems), file=sys.stderr)
        print("nothing rendered: restore these records first", file=sys.stderr)
        return 1
    changed = write(published, TABLES)
    print(f"{TABLES}: {changed} files changed")
    return 0


def write(published: Published, folder: Path) -> int:
    """Render everything; says how many files changed. What is no longer rendered goes."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, bytes] = {n: t.encode() for n, t in render_text(published).items()}
    for picture in pictures(published):
        files |= picture.files()
    changed = 0
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
            changed += 1
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
            changed += 1
    return changed


def check(published: Published, folder: Path) -> list[str]:
    """Every difference between the files and what the records give."""
    problems = []
    text = render_text(published)
    for name, content in text.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing; run python -m suite tables")
        elif without_stale_marks(path.read_text()) != without_stale_marks(content):
            problems.append(f"{name} differs from the records{_first_difference(path, content)}")
    expected = set(text)
    for picture in pictures(published):
        files = {f"{picture.name}.{kind}" for kind in ("svg", "png")}
        expected |= files
        problems += _check_picture(picture, folder, sorted(files))
    if folder.is_dir():
        unknown = sorted({path.name for path in folder.iterdir()} - expected)
        problems += [f"{name} comes from no record" for name in unknown]
    return problems


def without_stale_marks(text: str) -> str:
    """A table as if nothing were stale: an edit of code must not turn rendered tables wrong."""
    for mark in (STALE_MARK, escape(STALE_MARK)):
        text = text.replace(f"- {mark}{STALE_NOTE}\n", "").replace(f" {mark}{STALE_NOTE}", "")
        text = text.replace(mark, "")
    return re.sub(",stale$", ",", text, flags=re.MULTILINE)


def _check_picture(picture: object, folder: Path, names: list[str]) -> list[str]:
    problems, rendered = [], None
    for name in names:
        path = folder / name
        content = path.read_bytes() if path.is_file() else b""
        drawn_by = re.search(rb"numbers (\w+), matplotlib ([\w.]+)", content)
        if drawn_by is None or drawn_by[1].decode() != picture.digest:
            problems.append(f"{name} is missing or does not show the records")
        elif drawn_by[2].decode() == matplotlib.__version__:
            # Another version draws the same numbers with other bytes; this one must not.
            rendered = rendered or picture.files()
            if rendered[name] != content:
                problems.append(f"{name} differs from what the records give")
    return problems


def _first_difference(path: Path, content: str) -> str:
    old, new = path.read_text().splitlines(), content.splitlines()
    for number, (a, b) in enumerate(zip(old, new, strict=False), start=1):
        if a != b:
            return f", line {number}:\n    file:    {a[:160]}\n    records: {b[:160]}"
    return f": {len(old)} lines, the records give {len(new)}"


def _stale(published: Published) -> list[str]:
    found = []
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        methods = sorted({record.method for record in column.stale})
        if methods:
            found.append(f"stale in {column.folder}: {', '.join(methods)}")
    return found


if __name__ == "__main__":
    sys.exit(main())
