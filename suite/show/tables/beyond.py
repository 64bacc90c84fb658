"""Methods that the paper does not have, beside the one of its own rows with the least regret."""

import baselines
from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.paired import Estimate
from suite.compare.verdicts import NOT_YET_RUN
from suite.plan import paper
from suite.plan.experiments import SCENARIOS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.details import DETAIL_HEADS, details
from suite.show.tables.entries import BOUNDS, Entry, entries
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.simulated import file_name


def beyond(published: Published, variant: str) -> Table:
    """One block per scenario: our additions, the best of the paper's rows, the bounds."""
    known = baselines.methods()
    added = {n: n for n, cls in known.items() if cls.paper_row is None and n not in BOUNDS.values()}
    own = {row: paper.method_of(row) for row in paper.rows("T7")}
    body: list[tuple[Text, ...]] = []
    tidy, sources, runs, waiting = [], [], [], []
    for name in SCENARIOS:
        source = published.column(name, variant)
        papers = {row: paper.scenario_value(row, name) for row in own}
        found = entries(source, {**added, **own, **BOUNDS}, papers)
        best = _least_regret({row: found[row] for row in own})
        wanted = (*added, *([best] if best else []), *BOUNDS)
        rows = [row for row in wanted if found[row].verdict != NOT_YET_RUN]
        if lacking := [row for row in wanted if row not in rows]:
            waiting.append(f"{name.replace('rio', 'rio ')} {', '.join(lacking)}")
        if rows:
            body.append((Text(f"Scenario {name.removeprefix('scenario')}"),))
        for row in rows:
            entry = found[row]
            label = f"{row} (least regret of the paper's rows)" if row == best else row
            ours = entry.value() if entry.count else Text(entry.verdict)
            reference = found[best] if best and row in added else None
            body.append(
                (
                    *(Text(label), ours, _against(entry, reference)),
                    *texts(details(entry, frame_of(source))),
                )
            )
        tidy += [found[row].tidy("beyond", name, source) for row in rows]
        sources.append(source)
        runs += [run for row in rows for run in found[row].runs]
    return Table(
        name=file_name("beyond", variant),
        title=f"Beyond the paper: what the suite adds, variant {variant}",
        header=texts(("Method", "q_adj", "gain in true q", *DETAIL_HEADS)),
        rows=tuple(body),
        notes=(
            *notes.footer(sources, runs),
            "Gain in true q: what regret falls by against the one of the paper's rows that has the "
            "least, paired, with its 95 % interval; that row is the best by luck too, which is in "
            "its favour.",
            *(notes.TRUTH, notes.CALIBRATION, notes.SELECTION),
            *([f"Not yet run: {'; '.join(waiting)}."] if waiting else []),
        ),
        tidy=tuple(tidy),
    )


def _least_regret(found: dict[str, Entry]) -> str | None:
    regret = {row: mean_of(entry.runs, lambda run: run.regret) for row, entry in found.items()}
    ran = {row: mean.value for row, mean in regret.items() if mean is not None}
    return min(ran, key=lambda row: ran[row]) if ran else None


def _against(entry: Entry, reference: Entry | None) -> Text:
    """The paired gain in q without outcome noise, from five replicates up."""
    if reference is None or len(entry.runs) < 2:
        return Text("")
    gains = [a.true_q - b.true_q for a, b in zip(entry.runs, reference.runs, strict=True)]
    found = Estimate.of(gains)
    low, high = found.interval()
    return Text(f"{found.mean:+.2f} ({low:+.2f} to {high:+.2f})")
