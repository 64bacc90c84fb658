"""The table of peers: measured, shown, written down, checked."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from suite.compute import environment
from suite.perf.peers.line import Line
from suite.plan.digest import ROOT

FOLDER = ROOT / "results" / "perf"
README = ROOT / "README.md"
MARKS = "<!-- written by python -m suite perf peers -->", "<!-- end -->"
HEADS = ("ours", "beside", "ratio", "limit", "goal", "", "ours / theirs")


def measure() -> list[Line]:
    """Every line."""
    from suite.perf.peers import learners, measure, networks, trainer

    return [line for part in (trainer, networks, measure, learners) for line in part.lines()]


def gate() -> list[Line]:
    """The lines that have limits; what is beyond one is measured once more, and that counts."""
    from suite.perf.peers import measure, networks, trainer

    return [line for part in (trainer, networks, measure) for line in _seen_twice(part.lines)]


def _seen_twice(lines: Callable[[], list[Line]]) -> list[Line]:
    found = lines()
    if all(line.passes for line in found):
        return found
    return [one if one.passes else other for one, other in zip(found, lines(), strict=True)]


def cells(line: Line) -> tuple[str, ...]:
    """A line as text, under HEADS."""
    sign = "≥" if line.sense == "at least" else "≤"

    def bound(value: float | None) -> str:
        return "" if value is None else f"{sign} {value:.3g}"

    ratio = f"{line.value:.3g}"
    bounds = bound(line.limit), bound(line.goal)
    return line.ours, line.peer, ratio, *bounds, line.verdict, line.detail


def table(lines: Sequence[Line]) -> Table:
    """For the terminal."""
    shown = Table(title="Ratios of CPU time, one process, one thread", title_justify="left")
    for head in HEADS:
        shown.add_column(head, justify="right" if head in {"ratio", "limit", "goal"} else "left")
    for number, line in enumerate(lines):
        last = number + 1 == len(lines) or lines[number + 1].section != line.section
        shown.add_row(*cells(line), style="" if line.passes else "red", end_section=last)
    return shown


def write(lines: Sequence[Line], folder: Path = FOLDER, readme: Path = README) -> list[Path]:
    """peers.md and README.md for readers, peers.json for programs."""
    commit, changed = environment.git_state()
    origin = {
        "commit": commit,
        "uncommitted changes": changed,
        "cpu": environment.cpu_model(),
        "versions": environment.versions(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    page, data = folder / "peers.md", folder / "peers.json"
    page.write_text(markdown(lines, origin))
    content = {"lines": [asdict(line) for line in lines], "origin": origin}
    data.write_text(json.dumps(content, indent=1) + "\n")
    before, rest = readme.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    readme.write_text(f"{before}{MARKS[0]}\n\n{short(lines)}\n\n{MARKS[1]}{after}")
    return [page, data, readme]


def read(folder: Path = FOLDER) -> list[Line]:
    """The lines that `write` wrote."""
    return [Line(**line) for line in json.loads((folder / "peers.json").read_text())["lines"]]


def short(lines: Sequence[Line]) -> str:
    """The part of the table that the README shows."""
    rows = [cells(line)[:5] for line in lines if line.section != "Learners"]
    return _markdown_table([HEADS[:5], ("---", "---", "---:", "---:", "---:"), *rows])


def _markdown_table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown(lines: Sequence[Line], origin: dict) -> str:
    """The page that `python -m suite perf peers` writes."""
    rows = [HEADS, ("---", "---", "---:", "---:", "---:", "---", "---"), *map(cells, lines)]
    state = " with uncommitted changes" if origin["uncommitted changes"] else ""
    versions = ", ".join(f"{name} {version}" for name, version in origin["versions"].items())
    return "\n".join(
        [
            "# Speed beside what else people could use",
            "",
            "Written by `python -m suite perf peers`; [docs/performance.md](../../docs/"
            "performance.md) says what each line means. Ratios of CPU time, all of one process "
            "and one thread, measured in turns.",
            "",
            _markdown_table(rows),
            "",
            f"Commit {str(origin['commit'])[:12]}{state}; {origin['cpu']}; {versions}.",
            "",
        ]
    )
