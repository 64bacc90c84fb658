"""T6 and T7: the four simulated scenarios."""

from collections.abc import Mapping

import datasets
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.plan.paper import Printed
from suite.publish.columns import Column, Published
from suite.show.tables import notes
from suite.show.tables.entries import BOUNDS, SHORT, Entry, best_rows, entries
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.under import judged, order

OWN_ROWS = 9  # so many of T7's rows are the authors' own; the others are open source


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
        same = "as printed" if printed == values else "differs"
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
    everything = [entry for _, found in by_scenario.values() for entry in found.values()]
    return Table(
        name=file_name("T7", variant),
        title=f"T7: all models in all scenarios, variant {variant}",
        header=texts(("Model", "size", *(f"scenario {i}" for i in range(1, 5)))),
        rows=tuple(body),
        notes=(
            "Every field: ours ± standard error, then the paper's value and the verdict: a agrees, "
            "h higher, l lower, u undecided, f too few draws.",
            *notes.footer(columns, [run for entry in everything for run in entry.runs]),
            notes.verdicts(sum(judged(found) for _, found in by_scenario.values())),
            *(line for name, (_, found) in by_scenario.items() for line in order(found, name)),
            notes.BEST,
            *(
                f"{name}: {luck}."
                for name, (_, found) in by_scenario.items()
                if (luck := notes.luck_of_best([found[row] for row in rows]))
            ),
        ),
        left=2,
        tidy=tuple(
            entry.tidy("T7", name, source)
            for name, (source, found) in by_scenario.items()
            for entry in found.values()
        ),
        label="tab:all_scenarios",
    )


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
    mark = SHORT.get(entry.word)
    ours = entry.value(bold=bold) if entry.count else Text(entry.verdict)
    if entry.paper is None:
        return ours
    paper_side = f"{entry.paper.value:z.2f}" + (f" {mark}" if mark else "")
    return Text(
        f"{ours.markdown} / {paper_side}",
        rf"{ours.tex} / {entry.printed().tex}" + (rf"$^{{{mark}}}$" if mark else ""),
    )


def file_name(table: str, variant: str) -> str:
    """The first variant is the paper's own and needs no suffix."""
    return table if variant == VARIANTS[0] else f"{table}-{variant}"
