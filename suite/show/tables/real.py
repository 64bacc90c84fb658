"""T4: real data. The paper's insurance data are private; public stand-ins run instead."""

from collections.abc import Mapping

import baselines
from baselines.causal_forest import LARGEST_SAMPLE
from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.runs import BOUNDS
from suite.compare.verdicts import PRIVATE, WIDEST_REAL
from suite.plan import paper
from suite.plan.experiments import EXPERIMENTS
from suite.plan.paper import Printed
from suite.publish.columns import Column, Published
from suite.show.tables import notes
from suite.show.tables.details import nodes
from suite.show.tables.entries import Entry, entries
from suite.show.tables.model import Table, Text, headings
from suite.show.tables.outcome_alone import FOREST, TWIN, outcome_alone
from suite.show.tables.row_pairs import NOTE, Differences
from suite.show.tables.simulated import model_name

PRIVATE_ROW = "Insurance 50K"
DECIMALS = 3

# Experiments of T4 in its order: what the block is called.
T4_ROWS = {
    "insurance": "Insurance campaign (public stand-in)",
    "charity": "Charitable giving (public stand-in)",
    "criteo-100k": "CRITEO-UPLIFT1 100K",
    "criteo-200k": "CRITEO-UPLIFT1 200K",
    "criteo-400k": "CRITEO-UPLIFT1 400K",
    "criteo-1m": "CRITEO-UPLIFT1 1M",
    "criteo-4m": "CRITEO-UPLIFT1 4M",
    "criteo-sample": "CRITEO-UPLIFT1 public sample",
    "hillstrom": "Hillstrom e-mail campaign",
    "criteo-conversion": "CRITEO-UPLIFT1 200K, conversion instead of visit",
    "gotv": "Letters to voters",
    "starbucks": "Starbucks promotion",
}


def t4(published: Published) -> Table:
    """Twin network and honest forest on real data, with what else was run there."""
    body = _private_t4()
    tidy, columns, runs = [], [], []
    for name, label in T4_ROWS.items():
        if name not in EXPERIMENTS:
            continue
        source = published.column(name)
        rows = _rows(source)
        papers = _papers(source)
        by_q = entries(source, rows, {}, lambda run: run.q)
        found = entries(source, rows, papers)
        body.append((Text(heading(label, source)),))
        paired = Differences(published, source, by_q[TWIN])
        body += [_t4_row(row, source, by_q[row], found[row], paired) for row in rows]
        tidy += [
            entry.tidy("T4", measure, source) | {"row": f"{label}: {row}"}
            for measure, group in (("q", by_q), ("q_adj", found))
            for row, entry in group.items()
        ]
        tidy += [line for entry in by_q.values() for line in paired.tidy("T4", label, entry)]
        columns.append(source)
        runs += [run for entry in found.values() for run in entry.runs]
    return Table(
        name="T4",
        title="T4: twin network with structured sparsity and honest causal forest on real data",
        header=headings(
            *("Method", "q", "s.e. in one test set", "difference in q", "q_adj", "paper"),
            *("difference", "verdict", "m_hat/m", "paper's"),
        ),
        rows=tuple(body),
        notes=(
            *([alone] if (alone := outcome_alone(published)) else []),
            "The paper's insurance data are private; the stand-ins run the same protocol.",
            "The paper's small CRITEO sample is 100K in its table and 400K in its text: both sizes "
            "stand beside the one printed value.",
            "A tree of the forest is grown on half of the training rows, "
            f"{LARGEST_SAMPLE:,} at most.",
            *notes.footer(columns, runs),
            notes.RESPLITS,
            NOTE,
            "S.e. in one test set: what the lottery of its outcomes alone gives q, from the counts "
            "of the bins (empty where older records did not keep the responses).",
            "Verdict on real data: h = t(0.975, J-1) sqrt(se² + (4 b)²), b the printed standard "
            "error, which over 20 re-splits has to be four times as large; higher or lower beyond "
            f"h, agrees within it if h ≤ {WIDEST_REAL:g}, else undecided; too few draws below 5.",
        ),
        tidy=tuple(tidy),
        label="tab:final_models_results2",
    )


def _rows(source: Column) -> dict[str, str | None]:
    """T4's two rows, then every other method that was run on these data, bounds last."""
    printed = {row: paper.method_of(row) for row in (TWIN, FOREST)}
    others = sorted(set(frame_of(source).runs) - set(printed.values()), key=_bounds_last)
    known = baselines.methods()
    names = {m: known[m].paper_row or m if m in known else m for m in others}
    return printed | {names[method]: method for method in others}


def _bounds_last(method: str) -> tuple[bool, str]:
    return method in (*BOUNDS, "outcome-ranking"), method


def _papers(source: Column) -> Mapping[str, Printed | None]:
    data_row = source.experiment.paper_row or ""
    return {row: paper.real_data_value(row, data_row) for row in (TWIN, FOREST)}


def heading(label: str, source: Column) -> str:
    run = next(iter(frame_of(source).every_run), None)
    size = f": {run.rows:,} rows, p = {run.p}, n = {len(frame_of(source).common)}" if run else ""
    return label + size


def _private_t4() -> list[tuple[Text, ...]]:
    size = f"50,000 rows, p = {paper.text('T4', PRIVATE_ROW, 'p')}"
    lines = [(Text(f"{PRIVATE_ROW}, as printed: {size}"),)]
    for row in (TWIN, FOREST):
        value = printed_value(paper.real_data_value(row, PRIVATE_ROW))
        left = paper.text("T4", PRIVATE_ROW, "m_hat/m") or "" if row == TWIN else ""
        empty = Text("")
        fields = (empty, empty, empty, empty, value, empty, Text(PRIVATE), empty, Text(left))
        lines.append((model_name(row), *fields))
    return lines


def _t4_row(
    row: str, source: Column, by_q: Entry, entry: Entry, paired: Differences
) -> tuple[Text, ...]:
    data_row = source.experiment.paper_row or ""
    printed_nodes = paper.text("T4", data_row, "m_hat/m") or "" if row == TWIN else ""
    return (
        *(model_name(row), by_q.value(DECIMALS), _within(entry), paired.text(by_q, DECIMALS)),
        *(entry.value(DECIMALS), printed_value(entry.paper)),
        *(entry.change(DECIMALS), Text(entry.verdict), nodes(entry), Text(printed_nodes)),
    )


def _within(entry: Entry) -> Text:
    """The mean standard error of q within a test set, from the counts of its bins."""
    error = mean_of(entry.runs, lambda run: run.q_error)
    return Text("" if error is None else f"{error.value:.{DECIMALS}f}")


def printed_value(value: Printed | None) -> Text:
    return Text("" if value is None else f"{value.value:g} ({value.standard_error:g})")
