"""T5: training, validation and test rows of insurance data; public stand-ins run instead."""

from collections.abc import Callable

from suite.compare.runs import Run
from suite.compare.verdicts import PRIVATE
from suite.plan import paper
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.details import nodes
from suite.show.tables.entries import entries
from suite.show.tables.model import Table, Text, headings, texts
from suite.show.tables.outcome_alone import FOREST, TWIN
from suite.show.tables.real import (
    DECIMALS,
    PRIVATE_ROW,
    T4_ROWS,
    heading,
    printed_value,
)
from suite.show.tables.row_pairs import NOTE, Differences
from suite.show.tables.simulated import model_name

T5_ROWS = ("Twin_mu", TWIN, "Logistic", FOREST)
T5_STAND_INS = ("insurance", "charity")
PARTS: dict[str, Callable[[Run], float]] = {
    "Training": lambda run: run.train.q_adj,
    "Validation": lambda run: run.valid.q_adj,
    "Test": lambda run: run.test.q_adj,
}


def t5(published: Published) -> Table:
    """Training, validation and test q_adj on the insurance data."""
    private = [
        (
            *(model_name(_short(row)), Text("")),
            Text(paper.text("T5", _short(row), "m_hat/m") or ""),
            *(
                field
                for part in PARTS
                for field in (Text(PRIVATE), printed_value(paper.printed("T5", _short(row), part)))
            ),
            Text(""),
        )
        for row in T5_ROWS
    ]
    body: list[tuple[Text, ...]] = [(Text(f"{PRIVATE_ROW}, as printed"),), *private]
    tidy, columns, runs = [], [], []
    for name in T5_STAND_INS:
        source = published.column(name)
        label = T4_ROWS[name]
        body.append((Text(heading(label, source)),))
        methods = {row: paper.method_of(row) for row in T5_ROWS}
        found = {part: entries(source, methods, {}, number) for part, number in PARTS.items()}
        by_q = entries(source, methods, {}, lambda run: run.q)
        paired = Differences(published, source, by_q[TWIN])
        for row in T5_ROWS:
            fields = [f for part in PARTS for f in (found[part][row].value(DECIMALS), Text(""))]
            fields.append(paired.text(by_q[row], DECIMALS))
            body.append((model_name(_short(row)), nodes(found["Test"][row]), Text(""), *fields))
        tidy += [
            entry.tidy("T5", part, source) | {"row": f"{label}: {row}"}
            for part, by_row in found.items()
            for row, entry in by_row.items()
        ]
        tidy += [line for entry in by_q.values() for line in paired.tidy("T5", label, entry)]
        columns.append(source)
        runs += [run for entry in found["Test"].values() for run in entry.runs]
    return Table(
        name="T5",
        title="T5: q_adj on training, validation and test rows of insurance data",
        header=(
            *headings("Method", "m_hat/m", "paper's"),
            *texts(head for part in PARTS for head in (part, "paper")),
            Text("difference in test q"),
        ),
        rows=tuple(body),
        notes=(*notes.footer(columns, runs, notes.MEASURE), notes.RESPLITS, NOTE),
        tidy=tuple(tidy),
        label="tab:final_models_results",
    )


def _short(row: str) -> str:
    """T5 calls the structured network Twin_NN."""
    return "Twin_NN" if row == TWIN else row
