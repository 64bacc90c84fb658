"""T1, T2, T3, T6 and T7: the simulated scenarios."""

from collections.abc import Iterable, Mapping

import datasets
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.plan.paper import Printed
from suite.publish.columns import Column, Published
from suite.show.tables import notes
from suite.show.tables.entries import (
    BOUNDS,
    DETAIL_HEADS,
    SHORT,
    Entry,
    best_rows,
    details,
    entries,
    nodes,
)
from suite.show.tables.model import Table, Text, headings, texts
from suite.words import count

STANDARD_HEADS = ("q_adj", "paper", "difference", "verdict", *DETAIL_HEADS)
STANDARD_NOTES = (notes.VERDICTS, notes.TRUTH, notes.SELECTION, notes.BEST)

# T1's two rows with L1 are the networks of T3.
T1_ALIASES = {
    "structured=No, R=L1": "Twin_NN 512",
    "structured=Yes, R=L1": "Twin_NN 512 structured",
}
OWN_ROWS = 9  # so many of T7's rows are the authors' own; the others are open source


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
            *_standard(entry, row in best),
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
        notes=(*_footer(source, found.values()), *STANDARD_NOTES),
        left=2,
        latex_columns=(0, 1, 2, 3, 4, 5, 7),
        tidy=tuple(entry.tidy("T1", "q_adj", source) for entry in found.values()),
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
    columns = [details(entry) for entry in found.values()]
    lines += [(head, *values) for head, *values in zip(DETAIL_HEADS, *columns, strict=True)]
    return Table(
        name=file_name("T2", variant),
        title=f"T2: simple models in scenario 4, variant {variant}",
        header=(Text(""), *map(model_name, found)),
        rows=tuple(texts(line) for line in lines),
        notes=(*_footer(source, found.values()), *STANDARD_NOTES),
        tidy=tuple(entry.tidy("T2", "q_adj", source) for entry in found.values()),
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
                    *_standard(found[row], row in best),
                )
            )
    return Table(
        name=file_name("T3", variant),
        title=f"T3: twin networks, forests and XGBoost learners in scenario 4, variant {variant}",
        header=headings("Method", "m_hat/m", "paper's", *STANDARD_HEADS),
        rows=tuple(body),
        notes=(*_footer(source, found.values()), *STANDARD_NOTES),
        latex_columns=(0, 1, 2, 3, 4, 6),
        tidy=tuple(entry.tidy("T3", "q_adj", source) for entry in found.values()),
        label="tab:beyond_linearity_results_",
    )


def t6() -> Table:
    """The scenarios, from the code's own objects."""
    scenarios = [datasets.source(name) for name in SCENARIOS]
    ours = {
        "n": [str(s.n) for s in scenarios],
        "p": [str(s.p) for s in scenarios],
        "mu": [s.mu.__name__ for s in scenarios],
        "tau": [s.tau.__name__ for s in scenarios],
        "sigma": [f"{s.sigma:g}" for s in scenarios],
    }
    symbols = {
        "n": "$n$",
        "p": "$p$",
        "mu": r"$\mu(\mathbf{x})$",
        "tau": r"$\tau(\mathbf{x})$",
        "sigma": r"$\sigma$",
    }
    rows, tidy = [], []
    for name, values in ours.items():
        printed = [paper.text("T6", name, f"scenario {i}") or "" for i in range(1, 5)]
        same = "agrees" if printed == values else "differs"
        latex = [function_name(value) for value in values]
        fields = (Text(v, x) for v, x in zip(values, latex, strict=True))
        rows.append((Text(name, symbols[name]), *fields, Text(same)))
        tidy += [
            {"parameter": name, "scenario": i, "ours": v, "paper": x, "verdict": same}
            for i, v, x in zip(range(1, 5), values, printed, strict=True)
        ]
    return Table(
        name="T6",
        title="T6: the simulated scenarios, as the code has them",
        header=texts(("Parameters", "1", "2", "3", "4", "against the paper")),
        rows=tuple(rows),
        notes=(
            "Variants `released` and `centred` replace f4 in scenarios 1 and 4 by its first line "
            "and sigma in scenario 3 by 2; `centred` codes the treatment as t - 1/2.",
        ),
        tidy=tuple(tidy),
        tidy_fields=("parameter", "scenario", "ours", "paper", "verdict"),
        label="tab:scenarios",
    )


def t7(published: Published, variant: str) -> Table:
    """18 models in 4 scenarios."""
    rows = paper.rows("T7")
    by_scenario = {name: _t7_column(published, name, variant) for name in SCENARIOS}
    best = {name: best_rows(found) for name, (_, found) in by_scenario.items()}
    body: list[tuple[Text, ...]] = []
    groups = (
        ("Our implementation of the paper's models", rows[:OWN_ROWS]),
        ("Open-source implementations", rows[OWN_ROWS:]),
        ("Bounds", tuple(BOUNDS)),
    )
    for heading, members in groups:
        body.append((Text(heading),))
        for row in members:
            size = paper.text("T7", row, "size (parameters without biases)") or ""
            fields = [_t7_field(by_scenario[n][1][row], row in best[n]) for n in SCENARIOS]
            body.append((model_name(row), Text(size), *fields))
    columns = [source for source, _ in by_scenario.values()]
    records = [r for _, found in by_scenario.values() for e in found.values() for r in e.records]
    return Table(
        name=file_name("T7", variant),
        title=f"T7: all models in all scenarios, variant {variant}",
        header=texts(("Model", "size", *(f"scenario {i}" for i in range(1, 5)))),
        rows=tuple(body),
        notes=(
            "Every field: ours ± standard error, then the paper's value and the verdict: "
            "a agrees, r same ranking, d differs.",
            *nearest_variants(published),
            *notes.footer(columns, records),
            notes.VERDICTS,
            notes.BEST,
        ),
        left=2,
        tidy=tuple(
            entry.tidy("T7", name, source)
            for name, (source, found) in by_scenario.items()
            for entry in found.values()
        ),
        label="tab:all_scenarios",
    )


def nearest_variants(published: Published) -> tuple[str, ...]:
    """Which variant is nearest to each printed column, by the mean gap of the rows all have."""
    lines = []
    for name in SCENARIOS:
        found = {variant: _t7_column(published, name, variant)[1] for variant in VARIANTS}
        gaps = {
            variant: {row: abs(e.difference) for row, e in own.items() if e.difference is not None}
            for variant, own in found.items()
            if any(e.difference is not None for e in own.values())
        }
        common = set.intersection(*map(set, gaps.values())) if len(gaps) > 1 else set()
        if not common:
            continue
        means = {
            v: sum(own[row] for row in sorted(common)) / len(common) for v, own in gaps.items()
        }
        least = min(means.values())
        nearest = " and ".join(v for v, mean in means.items() if mean == least)
        listing = ", ".join(f"{variant} {mean:z.2f}" for variant, mean in means.items())
        rows = count(len(common), "row")
        lines.append(
            f"{name}: nearest to the printed column is {nearest} (mean gap over the {rows} that "
            f"all variants have: {listing})."
        )
    return tuple(lines)


def model_name(row: str) -> Text:
    """A row's name, with the paper's typography in LaTeX."""
    latex = row.replace("Twin_NN", r"Twin$_{\mathrm{NN}}$").replace("Twin_mu", r"Twin$_{\mu}$")
    return Text(row, latex)


def function_name(name: str) -> str:
    """f7 as LaTeX has it; numbers stay."""
    return rf"$f_{name[1:]}(\mathbf{{x}})$" if name.startswith("f") else name


def _t7_column(published: Published, name: str, variant: str) -> tuple[Column, dict[str, Entry]]:
    source = published.column(name, variant)
    rows = paper.rows("T7")
    papers: Mapping[str, Printed | None] = {row: paper.scenario_value(row, name) for row in rows}
    return source, entries(source, {row: paper.method_of(row) for row in rows} | BOUNDS, papers)


def _t7_field(entry: Entry, bold: bool) -> Text:
    mark = SHORT.get(entry.verdict)
    ours = Text(entry.verdict) if entry.ours is None else entry.value(bold=bold)
    if entry.paper is None:
        return ours
    paper_side = f"{entry.paper.value:z.2f}" + (f" {mark}" if mark else "")
    return Text(
        f"{ours.markdown} / {paper_side}",
        rf"{ours.tex} / {entry.printed().tex}" + (rf"$^{{{mark}}}$" if mark else ""),
    )


def _standard(entry: Entry, bold: bool) -> tuple[Text, ...]:
    return (
        entry.value(bold=bold),
        entry.printed(),
        entry.change(),
        Text(entry.verdict),
        *texts(details(entry)),
    )


def _penalty(name: str) -> Text:
    return Text(name, {"L1": "$L_1$", "L2": "$L_2$"}.get(name, name))


def file_name(table: str, variant: str) -> str:
    """The first variant is the paper's own and needs no suffix."""
    return table if variant == VARIANTS[0] else f"{table}-{variant}"


def _footer(source: Column, found: Iterable[Entry]) -> tuple[str, ...]:
    return notes.footer([source], [record for entry in found for record in entry.records])
