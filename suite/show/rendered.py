"""Every file under `results/` that comes from the records: written, or compared with them."""

import re
from pathlib import Path

import matplotlib

from suite.plan.digest import ROOT
from suite.publish.columns import Published, columns
from suite.show.findings import front_page
from suite.show.tables import pictures, render_text
from suite.show.tables.entries import STALE_MARK
from suite.show.tables.model import escape
from suite.show.tables.notes import STALE_NOTE

TABLES = ROOT / "results" / "tables"
FRONT = ROOT / "results" / "README.md"


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


def check_front(published: Published, path: Path) -> list[str]:
    """Whether the front page says what the records say."""
    content = front_page(published)
    if path.is_file() and path.read_text() == content:
        return []
    where = _first_difference(path, content) if path.is_file() else ""
    return [f"{path.name} differs from the records or is missing{where}"]


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


def stale(published: Published) -> list[str]:
    found = []
    for experiment, variant in columns():
        column = published.column(experiment.name, variant)
        methods = sorted({record.method for record in column.stale})
        if methods:
            found.append(f"stale in {column.name}: {', '.join(methods)}")
    return found
