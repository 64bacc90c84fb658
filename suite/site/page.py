"""A page of the site: Markdown, tables with their CSV files, and charts with their alt texts."""

import csv
import html
import io
import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from suite.show.tables.model import Table, Text

WORDS = ("agrees", "higher", "lower", "undecided", "too few", "supported", "contradicted")
WORDS = (*WORDS, "not shown", "incomplete", "not yet run", "private data", "failed")


@dataclass(frozen=True)
class Cell:
    """A field of a table: what is shown, and the number behind it for sorting and the CSV file."""

    text: str
    value: float | str | None = None
    link: str = ""
    title: str = ""  # said on hover, and read out after the text
    style: str = ""
    markup: str = ""  # HTML in the place of the text

    def render(self, head: bool, sortable: bool) -> str:
        inner = self.markup or html.escape(self.text)
        title = f' title="{html.escape(self.title)}"' if self.title else ""
        if self.link:
            inner = f'<a href="{html.escape(self.link)}"{title}>{inner}</a>'
            title = ""
        number = isinstance(self.value, float | int)
        styles = [*([self.style] if self.style else []), *(["n"] if number and not head else [])]
        style = f' class="{" ".join(styles)}"' if styles else ""
        value = f' data-value="{self.value:.9g}"' if number and sortable else ""
        tag, scope = ("th", ' scope="row"') if head else ("td", "")
        return f"<{tag}{scope}{style}{value}{title}>{inner}</{tag}>"

    @property
    def plain(self) -> str:
        """For the CSV file: numbers in full."""
        if isinstance(self.value, float):
            return f"{self.value:.9g}"
        return self.text if self.value is None else str(self.value)


def verdict(word: str) -> Cell:
    """A verdict as word with a colour, never the colour alone."""
    kind = next((known for known in WORDS if known in word), "none").replace(" ", "-")
    badge = f'<span class="verdict {kind}">{html.escape(word)}</span>' if word else ""
    return Cell(word, markup=badge)


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
    ) -> None:
        """A real table, with its CSV file: `numbers`, or what the fields hold.

        `csv_name` is the file, where it is not called as the table: tables may share one.
        """
        rows = [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in rows]
        file = f"{csv_name or name}.csv"
        self.files[file] = numbers or _csv(header, rows)
        body = []
        for row, extra in zip(rows, attributes or [""] * len(rows), strict=True):
            if len(row) == 1 and len(header) > 1:
                span = f'<th colspan="{len(header)}" scope="colgroup">{row[0].text}</th>'
                body.append(f'<tr class="group">{span}</tr>')
            else:
                fields = "".join(cell.render(i == 0, sortable) for i, cell in enumerate(row))
                body.append(f"<tr{extra}>{fields}</tr>")
        heads = "".join(_head(h, sortable) for h in header)
        kind = "records sortable" if sortable else "records"
        link = self.to(file)
        self.html(
            f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escape(caption)}">'
            f'<table class="{kind}" id="table-{posixpath.basename(name)}">'
            f"<caption>{html.escape(caption)}</caption>"
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody></table>"
            f'</div>\n<p class="csv"><a href="{link}" download>Numbers as CSV'
            f'<span class="hidden-text">: {html.escape(caption)}</span></a></p>'
        )

    def suite_table(self, table: Table, name: str, links: dict[str, str]) -> None:
        """A table of the suite with its notes; `links` has the page of each row's name."""
        head = [text.plain or "measure" for text in table.header]
        rows = [
            [_field(text, i == 0, links, self) for i, text in enumerate(row)] for row in table.rows
        ]
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
            f'<figure class="chart" id="{name}">{controls}'
            f'<div class="vega" role="img" aria-label="{html.escape(alt)}"></div>'
            f'<script type="application/json">{text}</script>'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

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


def _head(text: str, sortable: bool) -> str:
    inner = html.escape(text)
    if sortable:
        inner = f'<button type="button">{inner}</button>'
    return f'<th scope="col"{" aria-sort=none" if sortable else ""}>{inner}</th>'


def _field(text: Text, first: bool, links: dict[str, str], page: Page) -> Cell:
    if text.plain and any(text.plain.startswith(word) for word in WORDS):
        return verdict(text.plain)
    link = page.to(links[text.plain]) if first and text.plain in links else ""
    return Cell(text.plain, style="best" if text.bold else "", link=link)


def _short(title: str) -> str:
    return html.escape(title.split(":")[0].split(",")[0])


def _csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell.plain for cell in row] for row in rows)
    return buffer.getvalue()
