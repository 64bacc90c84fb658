"""The front page of `results/tables/`."""

from collections.abc import Iterable

from suite.show.picture import Picture
from suite.show.tables.model import Table

FIGURES = {
    "overview": "Regret of every method in every scenario",
    "F4": "F4: Qini curves of the true uplift",
    "curves": "Qini curves of every method",
    "dots": "q_adj of every method beside the paper's, and paired with a reference",
    "time": "q_adj against core time",
}


def index(tables: Iterable[Table], pictures: Iterable[Picture]) -> str:
    """A list of what there is."""
    lines = [
        "# Results",
        "",
        "Rendered from `results/records/` by `python -m suite tables`; CI checks that they match.",
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
        kind, _, data = n.partition("-")
        title = FIGURES[kind] + (f", {data}" if data else "")
        lines.append(f"| {title} | [svg]({n}.svg), [png]({n}.png) |")
    return "\n".join(lines) + "\n"
