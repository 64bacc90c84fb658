"""T1, T2 and T3: scenario 4."""

from collections.abc import Mapping

from suite.compare.frame import frame_of
from suite.plan import paper
from suite.publish.columns import Column, Published
from suite.show.tables.details import DETAIL_HEADS, details, nodes
from suite.show.tables.entries import BOUNDS, Entry, best_rows, entries
from suite.show.tables.model import Table, Text, headings, texts
from suite.show.tables.simulated import file_name, model_name
from suite.show.tables.under import column_notes

STANDARD_HEADS = ("q_adj", "paper", "difference", "verdict", *DETAIL_HEADS)

# T1's two rows with L1 are the networks of T3.
T1_ALIASES = {
    "structured=No, R=L1": "Twin_NN 512",
    "structured=Yes, R=L1": "Twin_NN 512 structured",
}


def t1(published: Published, variant: str) -> Table:
    """Regularisation x structured sparsity, and the refits of the text under the table."""
    source = published.column("scenario4", variant)
    rows, refits = paper.rows("T1"), paper.rows("T1-text")
    methods = {row: paper.method_of(T1_ALIASES.get(row, row)) for row in (*rows, *refits)}
    papers = {row: paper.printed("T1", row, "q_adj") for row in rows}
    papers |= {row: paper.printed("T1-text", row, "q_adj") for row in refits}
    found = entries(source, methods | BOUNDS, papers)
    best = best_rows({row: found[row] for row in rows})

    def line(row: str, structured: Text, penalty: Text, printed_nodes: str) -> tuple[Text, ...]:
        entry = found[row]
        return (
            *(structured, penalty, nodes(entry), Text(printed_nodes)),
            *_standard(entry, source, row in best),
        )

    body = [
        line(
            row,
            Text("Yes" if "structured=Yes" in row else "No"),
            _penalty(row.split("R=")[1]),
            paper.text("T1", row, "m_hat/m") or "",
        )
        for row in rows
    ]
    body.append((Text("Refit with m_hat nodes, from the text"),))
    for row in refits:
        origin = "structured only" if "218" in row else "structured, L1"
        body.append(line(row, Text(origin), _penalty(row.split()[-1]), row.split()[1][2:]))
    body.append((Text("Bounds"),))
    body += [line(row, Text(row), Text(""), "") for row in BOUNDS]
    return Table(
        name=file_name("T1", variant),
        title="T1: twin network with 512 hidden nodes in scenario 4, by structured sparsity and "
        f"regularisation, variant {variant}",
        header=headings("Structured sparsity", "R", "m_hat/m", "paper's", *STANDARD_HEADS),
        rows=tuple(body),
        notes=column_notes(source, found, rows),
        left=2,
        latex_columns=(0, 1, 2, 3, 4, 5, 7),
        tidy=_tidy("T1", source, found),
        label="tab:l1_l2_gl_",
    )


def t2(published: Published, variant: str) -> Table:
    """The simple models, in columns as the paper has them."""
    source = published.column("scenario4", variant)
    rows = paper.rows("T2")
    papers = {row: paper.printed("T2", row, "q_adj") for row in rows}
    found = entries(source, {row: paper.method_of(row) for row in rows} | BOUNDS, papers)
    best = best_rows(found)
    lines = [
        ("q_adj", *(entry.value(bold=row in best) for row, entry in found.items())),
        ("paper", *(entry.printed() for entry in found.values())),
        ("difference", *(entry.change() for entry in found.values())),
        ("verdict", *(entry.verdict for entry in found.values())),
    ]
    columns = [details(entry, frame_of(source)) for entry in found.values()]
    lines += [(head, *values) for head, *values in zip(DETAIL_HEADS, *columns, strict=True)]
    return Table(
        name=file_name("T2", variant),
        title=f"T2: simple models in scenario 4, variant {variant}",
        header=(Text(""), *map(model_name, found)),
        rows=tuple(texts(line) for line in lines),
        notes=column_notes(source, found, rows),
        tidy=_tidy("T2", source, found),
        label="tab:param_estimation_results_",
    )


def t3(published: Published, variant: str) -> Table:
    """Networks by size, forests and XGBoost learners."""
    source = published.column("scenario4", variant)
    rows = (*paper.rows("T3"), *paper.rows("T3-text"))
    papers = {
        row: paper.printed("T3", row, "q_adj") or paper.printed("T3-text", row, "q_adj")
        for row in rows
    }
    found = entries(source, {row: paper.method_of(row) for row in rows} | BOUNDS, papers)
    best = best_rows(found)
    body: list[tuple[Text, ...]] = []
    groups = (
        ("Twin networks", [row for row in rows if row.startswith("Twin_NN")]),
        ("Benchmarks", [row for row in rows if not row.startswith("Twin_NN")]),
        ("Bounds", list(BOUNDS)),
    )
    for heading, members in groups:
        body.append((Text(heading),))
        for row in members:
            printed_nodes = paper.text("T3", row, "m_hat/m") or ""
            body.append(
                (
                    *(model_name(row), nodes(found[row]), Text(printed_nodes)),
                    *_standard(found[row], source, row in best),
                )
            )
    return Table(
        name=file_name("T3", variant),
        title=f"T3: twin networks, forests and XGBoost learners in scenario 4, variant {variant}",
        header=headings("Method", "m_hat/m", "paper's", *STANDARD_HEADS),
        rows=tuple(body),
        notes=column_notes(source, found, rows),
        latex_columns=(0, 1, 2, 3, 4, 6),
        tidy=_tidy("T3", source, found),
        label="tab:beyond_linearity_results_",
    )


def _standard(entry: Entry, source: Column, bold: bool) -> tuple[Text, ...]:
    return (
        entry.value(bold=bold),
        entry.printed(),
        entry.change(),
        Text(entry.verdict),
        *texts(details(entry, frame_of(source))),
    )


def _penalty(name: str) -> Text:
    return Text(name, {"L1": "$L_1$", "L2": "$L_2$"}.get(name, name))


def _tidy(table: str, source: Column, found: Mapping[str, Entry]) -> tuple[dict[str, object], ...]:
    return tuple(entry.tidy(table, "q_adj", source) for entry in found.values())
