"""A page of the site: Markdown, tables with their CSV files, and charts with their alt texts."""

import html
import json
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from suite.show.tables.model import Table, Text
from suite.site.table import WORDS, Cell, csv_text, table_markup, verdict

NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass
class Page:
    """One page; `path` is its name without ending, from the root of the site."""

    path: str
    title: str
    parts: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  # CSV files by path

    def to(self, target: str) -> str:
        """The relative link to another page or file of the site."""
        name, _, anchor = target.partition("#")
        if not re.search(r"\.\w+$", name):
            name += ".html"
        relative = posixpath.relpath(name, posixpath.dirname(self.path) or ".")
        return relative + (f"#{anchor}" if anchor else "")

    def md(self, *texts: str) -> None:
        """Markdown."""
        self.parts += texts

    def html(self, markup: str) -> None:
        """HTML as it is."""
        self.parts.append(f"```````{{raw}} html\n{markup}\n```````")

    def section(self, title: str, anchor: str = "") -> None:
        """A heading; an `anchor`, if given, is the only one of its name in the site."""
        self.md(f"({anchor})=\n## {title}" if anchor else f"## {title}")

    def table(
        self,
        name: str,
        caption: str,
        header: Sequence[str],
        rows: Iterable[Sequence[Cell | str]],
        sortable: bool = False,
        numbers: str | None = None,
        attributes: Sequence[str] = (),
        csv_name: str = "",
        groups: Sequence[tuple[str, int]] = (),
        order: tuple[int, str] | None = None,
    ) -> None:
        """A real table, with its CSV file: `numbers`, or what the fields hold.

        `csv_name` is the file, where it is not called as the table: tables may share one. `groups`
        are heads above the heads, with the columns that each spans, after the first column.
        `order` is the column that the rows are sorted by already, "ascending" or "descending".
        """
        rows = [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in rows]
        file = f"{csv_name or name}.csv"
        full = [(g, n) for g, n in groups for _ in range(n)]  # in a CSV file heads stand alone
        heads = [
            header[0],
            *(f"{g}: {h}" if g else h for (g, _), h in zip(full, header[1:], strict=False)),
        ]
        self.files[file] = numbers or csv_text(heads if groups else header, rows)
        self.html(
            table_markup(name, caption, header, rows, sortable, attributes, groups, order)
            + f'\n<p class="csv"><a href="{self.to(file)}" download>Numbers as CSV'
            f'<span class="hidden-text">: {html.escape(caption)}</span></a></p>'
        )

    def suite_table(
        self,
        table: Table,
        name: str,
        links: Mapping[str, str] = NOTHING,
        behind: Mapping[tuple[int, int], tuple[str, str]] = NOTHING,
    ) -> None:
        """A table of the suite with its notes.

        `links` has the page of each row's name, `behind` the page of a field and what it says.
        """
        head = [text.plain or "measure" for text in table.header]
        rows = []
        for i, row in enumerate(table.rows):
            fields = [_field(text, j < table.left, links, self) for j, text in enumerate(row)]
            for j in range(len(row)):
                if (i, j) in behind:
                    target, says = behind[i, j]
                    fields[j] = replace(fields[j], link=self.to(target), says=says)
            rows.append(fields)
        self.table(name, table.title, head, rows, numbers=table.csv())
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in table.notes)
        summary = f"<summary>How to read {_short(table.title)}</summary>"
        self.html(f"<details>{summary}<ul>{notes}</ul></details>")

    def chart(
        self, name: str, spec: dict[str, Any], alt: str, caption: str, controls: str = ""
    ) -> None:
        """A Vega-Lite chart; `controls` are inputs whose data-signal names a parameter of it."""
        text = json.dumps(spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text = text.replace("</", "<\\/")
        self.html(
            f'<figure class="chart" id="chart-{name}">{controls}'
            f'<div class="vega" role="img" aria-label="{html.escape(alt)}"></div>'
            f'<script type="application/json">{text}</script>'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

    def made_from(self, text: str) -> None:
        """The line at the foot: replicates and commits."""
        self.html(f'<p class="made-from">{html.escape(text)}</p>')

    def source(self) -> str:
        """The page as MyST Markdown."""
        return f"# {self.title}\n\n" + "\n\n".join(self.parts) + "\n"


def select(label: str, signal: str, options: Iterable[tuple[str, str]], chosen: str = "") -> str:
    """A labelled choice that sets a parameter of a chart or a measure of a table."""
    items = "".join(
        f'<option value="{html.escape(value)}"{" selected" * (value == chosen)}>'
        f"{html.escape(text)}</option>"
        for value, text in options
    )
    return f'<label class="choice">{label} <select data-signal="{signal}">{items}</select></label>'


def _field(text: Text, first: bool, links: Mapping[str, str], page: Page) -> Cell:
    if text.plain and any(text.plain.startswith(word) for word in WORDS):
        return verdict(text.plain)
    if re.fullmatch(r"\d+ of \d+.*", text.plain):
        return Cell(text.plain, style="missing n")
    link = page.to(links[text.plain]) if first and text.plain in links else ""
    number = re.match(r"[+-]?\d", text.plain) and not first
    styles = [*(["best"] if text.bold else []), *(["n"] if number else [])]
    return Cell(text.plain, style=" ".join(styles), link=link)


def _short(title: str) -> str:
    return html.escape(title.split(":")[0].split(",")[0])
