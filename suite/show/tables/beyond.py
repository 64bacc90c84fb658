"""Methods that the paper does not have, beside the best of its own rows."""

import baselines
from suite.plan import paper
from suite.plan.experiments import SCENARIOS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.entries import BOUNDS, DETAIL_HEADS, Entry, best_rows, details, entries
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.simulated import STANDARD_NOTES, file_name


def beyond(published: Published, variant: str) -> Table:
    """One block a scenario: our additions, the best row of the paper's, the bounds."""
    known = baselines.methods()
    added = {n: n for n, cls in known.items() if cls.paper_row is None and n not in BOUNDS.values()}
    own = {row: paper.method_of(row) for row in paper.rows("T7")}
    body: list[tuple[Text, ...]] = []
    tidy, sources, records = [], [], []
    for name in SCENARIOS:
        source = published.column(name, variant)
        found = entries(source, {**added, **own, **BOUNDS}, {})
        best = best_rows({row: found[row] for row in own})
        shown = {row: found[row] for row in (*added, *sorted(best), *BOUNDS)}
        body.append((Text(f"Scenario {name.removeprefix('scenario')}"),))
        for row, entry in shown.items():
            label = f"{row} (best of the paper's rows)" if row in best else row
            body.append((Text(label), *_fields(entry)))
        tidy += [entry.tidy("beyond", name, source) for entry in shown.values()]
        sources.append(source)
        records += [record for entry in shown.values() for record in entry.records]
    return Table(
        name=file_name("beyond", variant),
        title=f"Beyond the paper: what the suite adds, variant {variant}",
        header=texts(("Method", "q_adj", *DETAIL_HEADS)),
        rows=tuple(body),
        notes=(*notes.footer(sources, records), *STANDARD_NOTES[1:]),
        tidy=tuple(tidy),
    )


def _fields(entry: Entry) -> tuple[Text, ...]:
    ours = Text(entry.verdict) if entry.ours is None else entry.value()
    return (ours, *texts(details(entry)))
