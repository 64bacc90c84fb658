"""The front page of `results/tables/`."""

from collections.abc import Iterable

from suite.plots import Picture
from suite.tables.model import Table


def index(tables: Iterable[Table], pictures: Iterable[Picture]) -> str:
    """A list of what there is."""
    lines = [
        "# Results",
        "",
        "Rendered from `results/records/` by `python -m suite.tables`; CI checks that they match.",
        "",
        "| table | Markdown | LaTeX | numbers |",
        "| --- | --- | --- | --- |",
    ]
    for table in tables:
        n = table.name
        lines.append(f"| {table.title} | [{n}.md]({n}.md) | [tex]({n}.tex) | [csv]({n}.csv) |")
    lines += ["", "| figure | |", "| --- | --- |"]
    for picture in pictures:
        n = picture.name
        lines.append(f"| {n} | [svg]({n}.svg), [png]({n}.png) |")
    return "\n".join(lines) + "\n"
