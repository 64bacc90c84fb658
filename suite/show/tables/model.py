"""A table as data, and its three forms: Markdown, LaTeX with booktabs, and tidy CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

# One tidy line of a CSV file: the same fields in the same order in every table.
TIDY = (
    "table",
    "row",
    "column",
    "method",
    "experiment",
    "variant",
    "mean",
    "standard_error",
    "replicates",
    "paper",
    "paper_standard_error",
    "difference",
    "half_width",
    "verdict",
    "stale",
)


@dataclass(frozen=True)
class Text:
    """The content of a field: as it is read in Markdown, and in LaTeX where that differs."""

    plain: str
    latex: str | None = None
    bold: bool = False

    @property
    def markdown(self) -> str:
        content = self.plain.replace("|", "\\|")
        return f"**{content}**" if self.bold and content else content

    @property
    def tex(self) -> str:
        content = escape(self.plain) if self.latex is None else self.latex
        return rf"\textbf{{{content}}}" if self.bold and content else content


@dataclass(frozen=True)
class Table:
    """Rows of fields under a header; a row of one field is a heading across the table."""

    name: str
    title: str
    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    notes: tuple[str, ...] = ()
    left: int = 1  # so many columns are text, aligned to the left
    latex_columns: tuple[int, ...] | None = None  # the paper's layout has fewer; None: all
    tidy: tuple[dict[str, object], ...] = ()
    tidy_fields: tuple[str, ...] = TIDY
    label: str = field(default="")

    def markdown(self, heading: str = "#") -> str:
        """The table as Markdown."""
        width = len(self.header)
        lines = [f"{heading} {self.title}", "", _row(item.markdown for item in self.header)]
        lines.append(_row(["---" if i < self.left else "---:" for i in range(width)]))
        for row in self.rows:
            cells = [item.markdown for item in row]
            lines.append(_row([f"*{cells[0]}*", *[""] * (width - 1)] if len(row) == 1 else cells))
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """The table as LaTeX (booktabs)."""
        chosen = self.latex_columns or tuple(range(len(self.header)))
        width, left = len(chosen), sum(column < self.left for column in chosen)
        lines = [
            r"\begin{table}[!ht]",
            r"\centering",
            rf"\begin{{tabular}}{{{'l' * left}{'c' * (width - left)}}}",
            r"\toprule",
            " & ".join(self.header[i].tex for i in chosen) + r" \\",
            r"\midrule",
        ]
        for row in self.rows:
            if len(row) == 1:
                if lines[-1] != r"\midrule":
                    lines.append(r"\midrule")
                lines.append(rf"\multicolumn{{{width}}}{{l}}{{{row[0].tex}}} \\")
                lines.append(r"\midrule")
            else:
                lines.append(" & ".join(row[i].tex for i in chosen) + r" \\")
        notes = " ".join(escape(note) for note in self.notes)
        lines += [
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escape(self.title)}. {notes}}}",
            rf"\label{{{self.label or 'tab:' + self.name}}}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """The numbers in full, one line each."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, self.tidy_fields, lineterminator="\n", restval="")
        writer.writeheader()
        for line in self.tidy:
            writer.writerow({name: _plain(value) for name, value in line.items()})
        return buffer.getvalue()


def texts(values: Iterable[str | Text]) -> tuple[Text, ...]:
    """Fields from strings."""
    return tuple(value if isinstance(value, Text) else Text(value) for value in values)


def escape(text: str) -> str:
    """`text` for LaTeX."""
    text = text.replace("\\", r"\textbackslash{}")
    text = re.sub(r"([&%$#_{}])", r"\\\1", text)
    swaps = {"±": r"$\pm$", "≤": r"$\leq$", "²": "$^2$", "†": r"\dag{}", "|": "$|$"}
    for symbol, command in swaps.items():
        text = text.replace(symbol, command)
    return text


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _plain(value: object) -> object:
    if value is None:
        return ""
    # Nine digits: more than any reader needs, fewer than rounding could change.
    return f"{value:.9g}" if isinstance(value, float) else value


def headings(*names: str) -> tuple[Text, ...]:
    """Column heads with the paper's symbols in LaTeX."""
    symbols = {
        "q_adj": r"$\hat{q}_{\mathrm{adj}}$",
        "m_hat/m": r"$\hat{m}/m$",
        "q": r"$\hat{q}$",
        "R": r"$\mathcal{R}(\cdot)$",
    }
    return tuple(Text(name, symbols.get(name)) for name in names)


def check_widths(table: Table) -> Table:
    """A table whose rows do not fit its header is a mistake of ours: say so at once."""
    wrong: Sequence[int] = [len(r) for r in table.rows if len(r) not in (1, len(table.header))]
    if wrong:
        raise ValueError(f"{table.name}: rows of {wrong} fields under {len(table.header)} heads")
    return table
