"""T4 and T5: real data. The paper's insurance data are private; public stand-ins run instead."""

from collections.abc import Callable

from baselines.causal_forest import LARGEST_SAMPLE
from suite.compare import means as compare
from suite.compare.means import PRIVATE
from suite.plan import paper
from suite.plan.paper import Printed
from suite.publish.columns import Column, Published
from suite.records import Record
from suite.show.tables import notes
from suite.show.tables.entries import Entry, entries, nodes
from suite.show.tables.model import Table, Text, headings, texts
from suite.show.tables.simulated import model_name

TWIN, FOREST = "Twin_NN 512 structured", "Causal Forest (Honest)"
PRIVATE_ROW = "Insurance 50K"
DECIMALS = 3

# Experiments of T4 in its order: what the row is called.
T4_ROWS = {
    "insurance": "Insurance campaign (public stand-in)",
    "charity": "Charitable giving (public stand-in)",
    "criteo-100k": "CRITEO-UPLIFT1 100K",
    "criteo-400k": "CRITEO-UPLIFT1 400K",
    "criteo-1m": "CRITEO-UPLIFT1 1M",
    "criteo-4m": "CRITEO-UPLIFT1 4M",
    "criteo-sample": "CRITEO-UPLIFT1 public sample",
    "hillstrom": "Hillstrom e-mail campaign",
}
T5_ROWS = ("Twin_mu", TWIN, "Logistic", FOREST)
T5_STAND_INS = ("insurance", "charity")
PARTS: dict[str, Callable[[Record], float]] = {
    "Training": lambda record: record.train.q_adj,
    "Validation": lambda record: record.valid.q_adj,
    "Test": compare.q_adj,
}


def t4(published: Published) -> Table:
    """Twin network and honest forest on real data."""
    body = [_private_t4()]
    tidy, columns, records = [], [], []
    for name, label in T4_ROWS.items():
        source = published.column(name)
        found = entries(
            source,
            {row: paper.method_of(row) for row in (TWIN, FOREST)},
            {
                row: paper.real_data_value(row, source.experiment.paper_row or "")
                for row in (TWIN, FOREST)
            },
        )
        body.append(_t4_row(label, source, found))
        tidy += [
            entry.tidy("T4", method, source) | {"row": label} for method, entry in found.items()
        ]
        columns.append(source)
        records += [record for entry in found.values() for record in entry.records]
    heads = ("q_adj", "paper", "verdict")
    return Table(
        name="T4",
        title="T4: twin network with structured sparsity and honest causal forest on real data",
        header=(
            *texts(("Data", "rows", "p")),
            *(Text(f"Twin_NN {head}") for head in heads),
            *headings("m_hat/m", "paper's"),
            *(Text(f"Honest forest {head}") for head in heads),
        ),
        rows=tuple(body),
        notes=(
            "The paper's insurance data are private; the stand-ins run the same protocol.",
            "The paper's small CRITEO sample is 100K in its table and 400K in its text: both sizes "
            "stand beside the one printed value.",
            "A tree of the forest is grown on half of the training rows, "
            f"{LARGEST_SAMPLE:,} at most.",
            *notes.footer(columns, records),
            notes.VERDICTS,
        ),
        tidy=tuple(tidy),
        label="tab:final_models_results2",
    )


def t5(published: Published) -> Table:
    """Training, validation and test q_adj on the insurance data."""
    private = [
        (
            *(model_name(_short(row)), Text("")),
            Text(paper.text("T5", _short(row), "m_hat/m") or ""),
            *(field for part in PARTS for field in (Text(PRIVATE), _printed(_t5_value(row, part)))),
        )
        for row in T5_ROWS
    ]
    body: list[tuple[Text, ...]] = [(Text(f"{PRIVATE_ROW}, as printed"),), *private]
    tidy, columns, records = [], [], []
    for name in T5_STAND_INS:
        source = published.column(name)
        body.append((Text(T4_ROWS[name]),))
        found = {
            part: entries(source, {row: paper.method_of(row) for row in T5_ROWS}, {}, number)
            for part, number in PARTS.items()
        }
        for row in T5_ROWS:
            fields = [f for part in PARTS for f in (found[part][row].value(DECIMALS), Text(""))]
            body.append((model_name(_short(row)), nodes(found["Test"][row]), Text(""), *fields))
        tidy += [
            entry.tidy("T5", part, source) | {"row": f"{T4_ROWS[name]}: {row}"}
            for part, by_row in found.items()
            for row, entry in by_row.items()
        ]
        columns.append(source)
        records += [record for entry in found["Test"].values() for record in entry.records]
    return Table(
        name="T5",
        title="T5: q_adj on training, validation and test rows of insurance data",
        header=(
            *headings("Method", "m_hat/m", "paper's"),
            *texts(head for part in PARTS for head in (part, "paper")),
        ),
        rows=tuple(body),
        notes=notes.footer(columns, records, notes.MEASURE),
        tidy=tuple(tidy),
        label="tab:final_models_results",
    )


def _private_t4() -> tuple[Text, ...]:
    values = {row: paper.real_data_value(row, PRIVATE_ROW) for row in (TWIN, FOREST)}
    printed_nodes = Text(paper.text("T4", PRIVATE_ROW, "m_hat/m") or "")
    return (
        *texts((PRIVATE_ROW, "50,000", paper.text("T4", PRIVATE_ROW, "p") or "")),
        *(Text(""), _printed(values[TWIN]), Text(PRIVATE), Text(""), printed_nodes),
        *(Text(""), _printed(values[FOREST]), Text(PRIVATE)),
    )


def _t4_row(label: str, source: Column, found: dict[str, Entry]) -> tuple[Text, ...]:
    any_record = next((record for record in source.records if record.ok), None)
    rows = f"{sum(any_record.rows.values()):,}" if any_record else ""
    twin, forest = found[TWIN], found[FOREST]
    printed_nodes = paper.text("T4", source.experiment.paper_row or "", "m_hat/m") or ""
    return (
        *texts((label, rows, str(any_record.p) if any_record else "")),
        *(twin.value(DECIMALS), _printed(twin.paper), Text(twin.verdict)),
        *(nodes(twin), Text(printed_nodes)),
        *(forest.value(DECIMALS), _printed(forest.paper), Text(forest.verdict)),
    )


def _short(row: str) -> str:
    """T5 calls the structured network Twin_NN."""
    return "Twin_NN" if row == TWIN else row


def _t5_value(row: str, part: str) -> Printed | None:
    return paper.printed("T5", _short(row), part)


def _printed(value: Printed | None) -> Text:
    return Text("" if value is None else f"{value.value:g} ({value.standard_error:g})")
