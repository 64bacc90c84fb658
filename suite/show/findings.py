"""What was found, in sentences whose numbers come from the records."""

from collections import Counter
from collections.abc import Sequence

from suite.compare import audit
from suite.compare.claims import Q_ADJ, REGRET
from suite.compare.contrasts import CONTRADICTED, INCOMPLETE, SUPPORTED
from suite.compare.frame import frame_of
from suite.compare.judging import Outcome
from suite.compare.runs import Frame
from suite.compare.verdicts import (
    AGREES,
    HIGHER,
    INTERIM,
    LOWER,
    NOT_YET_RUN,
    TOO_FEW,
    UNDECIDED,
)
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings_boost import twin_boost
from suite.show.findings_luck import price_of_choosing, training_luck
from suite.show.findings_numbers import (
    calibration,
    cost_of_all,
    measures,
    outcome_ranking,
    real_data,
    rounding_luck,
    selection,
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
        twin_boost(published),
        generators(published),
        measures(published),
        selection(published),
        rounding_luck(published),
        training_luck(published),
        price_of_choosing(published),
        real_data(published),
        outcome_ranking(published),
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
    interim = 0
    for name in SCENARIOS:
        rows = {row: paper.method_of(row) for row in paper.rows("T7")}
        papers = {row: paper.scenario_value(row, name) for row in rows}
        found = entries(published.column(name, PRINTED), rows, papers)
        words.update(entry.word for entry in found.values())
        interim += sum(entry.verdict.endswith(INTERIM) for entry in found.values())
    judged = sum(words[word] for word in (AGREES, HIGHER, LOWER, UNDECIDED))
    waiting = words.total() - judged
    if not judged:
        return None
    stay = "stays" if words[UNDECIDED] == 1 else "stay"
    rest = f"; {waiting} more wait for further data sets" if waiting else ""
    if interim:
        rest += f"; {interim} of the verdicts are interim, on fewer data sets than planned"
    return (
        f"Computed again from the printed formulas, {words[AGREES]} of {judged} numbers of the "
        f"paper's main table ([T7](paper/T7.md)) agree with the printed one, {words[HIGHER]} come "
        f"out higher, {words[LOWER]} lower, {words[UNDECIDED]} {stay} undecided{rest}."
    )


def claims(outcomes: list[list[Outcome]]) -> str:
    """How many claims stand, by each measure that they can be judged on."""
    every = [outcome for measures in outcomes for outcome in measures]
    on_truth = [outcome for outcome in every if outcome.measure is REGRET]
    on_q_adj = [outcome for outcome in every if outcome.measure is Q_ADJ]
    others = [outcome for outcome in every if outcome.measure not in (REGRET, Q_ADJ)]
    return (
        f"Of the paper's {len(outcomes)} [claims](findings/claims.md), {len(on_truth)} can be "
        "judged by how far a ranking stays behind the true one (regret): "
        f"{_listing(on_truth)}. Judged by q_adj, the paper's own and noisier measure, which "
        f"{len(on_q_adj)} are about, {_listing(on_q_adj)}. Of {len(others)} about other numbers, "
        f"{_listing(others)}."
    )


def _kind(outcome: Outcome) -> str:
    verdict = outcome.verdict
    for word in (SUPPORTED, CONTRADICTED):
        if verdict.startswith(word):
            return word
    waiting = verdict.startswith((TOO_FEW, NOT_YET_RUN, INCOMPLETE))
    return "waiting for replicates" if waiting else "undecided or not shown"


def _listing(outcomes: Sequence[Outcome]) -> str:
    kinds = Counter(map(_kind, outcomes))
    early = Counter(_kind(outcome) for outcome in outcomes if outcome.verdict.endswith(INTERIM))
    order = (SUPPORTED, CONTRADICTED, "undecided or not shown", "waiting for replicates")
    said = [
        f"{kinds[kind]} {_be(kinds[kind])} {kind}"
        + (f" ({early[kind]} of them interim)" if early[kind] else "")
        for kind in order
        if kinds[kind]
    ]
    return ", ".join(said)


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


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
        "The paper's best model, the twin network with structured sparsity, is in scenario 4 "
        f"{side} {decides.contrast.low} by {abs(estimate.mean):.2f} on {decides.n} data sets, "
        f"measured against the true uplift (95 % interval of the difference {low:+.2f} to "
        f"{high:+.2f}): that it beats all others is [{outcome.verdict}](findings/claims.md)."
    )


def generators(published: Published) -> str | None:
    """Which variant of the generator fits, by scenario."""
    parts = []
    for name in SCENARIOS:
        papers = [paper.scenario_value(row, name).value for row in ROWS]
        fits = {v.name: fit_of(v, MAIN_KEY, papers) for v in variants(published, name)}
        if any(fit is not None for fit in fits.values()):
            parts.append(f"{name.replace('rio', 'rio ')}: {audit.judge(fits).finding}")
    if not parts:
        return None
    return (
        "The paper prints one data generator, its authors released another, and a third centres "
        "the treatment. Which can have given the printed numbers, judged by two methods that leave "
        "nothing to choose "
        f"([audit](findings/audit.md))? {'; '.join(parts)}."
    )
