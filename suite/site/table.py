"""Tables of the site: real tables with row and column heads, whose numbers sort."""

import csv
import html
import io
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORDS = ("agrees", "higher", "lower", "undecided", "too few", "supported", "contradicted")
WORDS = (*WORDS, "not shown", "incomplete", "not yet run", "private data", "failed")


@dataclass(frozen=True)
class Cell:
    """A field of a table: what is shown, and the number behind it for sorting and the CSV file."""

    text: str
    value: float | str | None = None
    link: str = ""
    says: str = ""  # what stands behind the number: shown on hover and on focus of the link
    style: str = ""
    markup: str = ""  # HTML in the place of the text

    @property
    def right(self) -> bool:
        """Numbers are aligned to the right."""
        return isinstance(self.value, float | int) or self.style.endswith("n")

    def render(self, head: bool, sortable: bool) -> str:
        inner = self.markup or html.escape(self.text)
        if self.link:
            says = f' data-says="{html.escape(self.says)}"' if self.says else ""
            inner = f'<a href="{html.escape(self.link)}"{says}>{inner}</a>'
        number = isinstance(self.value, float | int)
        styles = [*([self.style] if self.style else []), *(["n"] if number and not head else [])]
        style = f' class="{" ".join(styles)}"' if styles else ""
        value = f' data-value="{self.value:.9g}"' if number and sortable else ""
        tag, scope = ("th", ' scope="row"') if head else ("td", "")
        return f"<{tag}{scope}{style}{value}>{inner}</{tag}>"

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


def table_markup(
    name: str,
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    sortable: bool,
    attributes: Sequence[str] = (),
    groups: Sequence[tuple[str, int]] = (),
    order: tuple[int, str] | None = None,
) -> str:
    """The table in a box of its own that scrolls where it is too wide."""
    body = []
    for row, extra in zip(rows, attributes or [""] * len(rows), strict=True):
        if len(row) == 1 and len(header) > 1:
            text = html.escape(row[0].text)
            span = f'<th colspan="{len(header)}" scope="colgroup"><span>{text}</span></th>'
            body.append(f'<tr class="group">{span}</tr>')
        else:
            fields = "".join(cell.render(i == 0, sortable) for i, cell in enumerate(row))
            body.append(f"<tr{extra}>{fields}</tr>")
    whole = [row for row in rows if len(row) == len(header)]
    heads = ""
    for i, text in enumerate(header):
        right = i > 0 and any(row[i].right for row in whole)
        sort = order[1] if order and order[0] == i else "none"
        heads += _head(text, sort if sortable else "", right)
    above = "".join(
        f'<th scope="colgroup" colspan="{n}">{html.escape(g)}</th>'
        if g
        else f'<td colspan="{n}"></td>'
        for g, n in groups
    )
    above = f'<tr class="above"><td></td>{above}</tr>' if above else ""
    kind = "records sortable" if sortable else "records"
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escape(caption)}">'
        f'<table class="{kind}" id="table-{posixpath.basename(name)}">'
        f"<caption><span>{html.escape(caption)}</span></caption>"
        f"<thead>{above}<tr>{heads}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody>"
        "</table></div>"
    )


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """What the fields hold, as a CSV file."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell.plain for cell in row] for row in rows)
    return buffer.getvalue()


def _head(text: str, sort: str, right: bool) -> str:
    """A head; with a button if the table sorts, and then its order."""
    inner = html.escape(text)
    style = ' class="n"' if right else ""
    if sort:
        inner = f'<button type="button">{inner}</button>'
        style += f' aria-sort="{sort}"'
    return f'<th scope="col"{style}>{inner}</th>'
