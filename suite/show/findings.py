"""What was found, in sentences whose numbers come from the records."""

from collections import Counter

from suite.compare import audit
from suite.compare.contrasts import CONTRADICTED, INCOMPLETE, SUPPORTED
from suite.compare.frame import frame_of
from suite.compare.judging import Outcome
from suite.compare.runs import Frame
from suite.compare.verdicts import AGREES, HIGHER, LOWER, NOT_YET_RUN, TOO_FEW, UNDECIDED
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings_numbers import (
    calibration,
    cost_of_all,
    measures,
    real_data,
    rounding_luck,
    selection,
    training_luck,
)
from suite.show.tables.audit import MAIN_KEY, ROWS, fit_of, variants
from suite.show.tables.entries import entries

PRINTED = VARIANTS[0]


def sentences(published: Published, outcomes: list[list[Outcome]]) -> list[str]:
    """What can be said with the records there are."""
    found = (
        cells(published),
        claims(outcomes),
        first_claim(outcomes[0]),
        generators(published),
        measures(published),
        selection(published),
        rounding_luck(published),
        training_luck(published),
        real_data(published),
        calibration(published),
        cost_of_all(published),
    )
    return [text for text in found if text is not None]


def frames(published: Published, name: str) -> Frame:
    """The column that a claim looks at: scenarios in the paper's own variant."""
    return frame_of(published.column(name, PRINTED if name in SCENARIOS else None))


def cells(published: Published) -> str | None:
    """How many cells of T7 agree."""
    words: Counter[str] = Counter()
    for name in SCENARIOS:
        rows = {row: paper.method_of(row) for row in paper.rows("T7")}
        papers = {row: paper.scenario_value(row, name) for row in rows}
        found = entries(published.column(name, PRINTED), rows, papers)
        words.update(entry.word for entry in found.values())
    judged = sum(words[word] for word in (AGREES, HIGHER, LOWER, UNDECIDED))
    waiting = words.total() - judged
    if not judged:
        return None
    rest = f"; {waiting} have too few draws yet" if waiting else ""
    return (
        f"Of the {judged} cells of [T7](paper/T7.md) that can be judged on the printed formulas "
        f"{words[AGREES]} agree with the paper's number, {words[HIGHER]} are higher, "
        f"{words[LOWER]} lower and {words[UNDECIDED]} undecided{rest}."
    )


def claims(outcomes: list[list[Outcome]]) -> str:
    """How many claims stand; on the truth where it is known."""
    kinds = Counter(_kind(one[-1].verdict) for one in outcomes)
    on_q_adj = Counter(_kind(one[0].verdict) for one in outcomes)
    return (
        f"The paper's {len(outcomes)} [claims](findings/claims.md), judged on regret where data "
        f"are simulated: {_listing(kinds)}; judged on q_adj, its own measure: {_listing(on_q_adj)}."
    )


def _kind(verdict: str) -> str:
    for word in (SUPPORTED, CONTRADICTED):
        if verdict.startswith(word):
            return word
    waiting = verdict.startswith((TOO_FEW, NOT_YET_RUN, INCOMPLETE))
    return "waiting for replicates" if waiting else "undecided or not shown"


def _listing(kinds: Counter[str]) -> str:
    order = (SUPPORTED, CONTRADICTED, "undecided or not shown", "waiting for replicates")
    return ", ".join(f"{kinds[kind]} {kind}" for kind in order if kinds[kind])


def first_claim(outcomes: list[Outcome]) -> str | None:
    """Whether the structured network is the best, by its worst contrast on the truth."""
    outcome = outcomes[-1]
    decides = outcome.weakest
    if decides is None:
        return None
    estimate = decides.estimate
    low, high = estimate.interval()
    side = "behind" if estimate.mean < 0 else "ahead of"
    return (
        f"The paper's best model, the structured network with 512 nodes, is in scenario 4 {side} "
        f"{decides.contrast.low} by {abs(estimate.mean):.2f} in q without outcome noise (95 % "
        f"interval of the difference {low:+.2f} to {high:+.2f}, {decides.n} replicates): that it "
        f"beats all others is [{outcome.verdict}](findings/claims.md)."
    )


def generators(published: Published) -> str | None:
    """Which variant of the generator fits, by scenario."""
    parts = []
    for name in SCENARIOS:
        papers = [paper.scenario_value(row, name).value for row in ROWS]
        fits = {v.name: fit_of(v, MAIN_KEY, papers) for v in variants(published, name)}
        if any(fit is not None for fit in fits.values()):
            parts.append(f"{name}: {audit.judge(fits).finding}")
    if not parts:
        return None
    return (
        "Which data generator can have produced the printed numbers, by two methods that have "
        f"nothing to choose ([audit](findings/audit.md)): {'; '.join(parts)}."
    )
