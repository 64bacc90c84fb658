"""What a ranking by the outcome alone is worth on real data, which never saw the treatment."""

from suite.compare.frame import frame_of
from suite.plan import paper
from suite.publish.columns import Column, Published
from suite.show.tables.entries import Entry, entries
from suite.show.tables.row_pairs import Differences

TWIN, FOREST = "Twin_NN 512 structured", "Causal Forest (Honest)"
ALONE = "outcome-ranking"
PREFERRED = ("criteo-100k", "criteo-200k", "criteo-sample", "hillstrom", "insurance", "charity")


def outcome_alone(published: Published) -> str | None:
    """The sentence, on the data nearest to the paper's; None where the ranking was not run."""
    for name in PREFERRED:
        column = published.column(name)
        by_q, by_q_adj = (_rows(column, measure) for measure in ("q", "q_adj"))
        if by_q[ALONE].ours is None or by_q[ALONE].ours.error is None:
            continue
        q, q_adj, size = by_q[ALONE].ours, by_q_adj[ALONE].ours, frame_of(column).size
        return (
            "Ranking customers by how likely they respond, by a model that never saw who was "
            f"treated, has q {q.value:.2f} ± {q.error:.2f} and q_adj {q_adj.value:.2f} ± "
            f"{q_adj.error:.2f} on {name} ({size} re-splits){_printed(column)}"
            f"{_twin(by_q, Differences(published, column, by_q[ALONE]))}"
        )
    return None


def _rows(column: Column, measure: str) -> dict[str, Entry]:
    methods = {TWIN: paper.method_of(TWIN), ALONE: ALONE}
    return entries(column, methods, {}, lambda run: getattr(run, measure))


def _printed(column: Column) -> str:
    """The paper's numbers on these data."""
    row = column.experiment.paper_row
    values = [paper.real_data_value(name, row) if row else None for name in (TWIN, FOREST)]
    if None in values:
        return ""
    twin, forest = (value.value for value in values)
    return f"; the paper prints a q_adj of {twin:g} for its network and {forest:g} for the forest"


def _twin(by_q: dict[str, Entry], paired: Differences) -> str:
    """The network's gain over it, with the error of pooled rows where it is known."""
    found = paired.estimate(by_q[TWIN])
    if found is None:
        return "."
    low, high = found[0].interval()
    verdict = "above" if low > 0 else "below" if high < 0 else "not told apart from"
    return (
        f". Our structured network is {verdict} it there: difference in q {found[0].mean:+.2f} "
        f"(95 % interval {low:+.2f} to {high:+.2f})."
    )
