"""What was found, in sentences written from the records."""

from collections import Counter

import numpy as np

from suite.compare.frame import frame_of
from suite.compare.judging import Outcome, judge_all
from suite.compare.strata import relative, stratified
from suite.compare.units import LEAST_DRAWS
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.show.overview import compared, overview_numbers
from suite.show.tables.audit import audit_table
from suite.site.ground import MEASURES, Ground, label
from suite.words import duration

Q, REGRET, CPU = (next(m for m in MEASURES if m.name == n) for n in ("q", "regret", "cpu"))


def findings(ground: Ground) -> list[tuple[str, str, str]]:
    """Five sentences, each with the page that has more and words for the link."""
    outcomes = [deciding(row) for row in judge_all(ground.scenario)]
    held = [o for o in outcomes if o.verdict.startswith("supported")]
    against = [o for o in outcomes if "contradicted" in o.verdict]
    others = Counter(plain_word(o) for o in outcomes if o not in held and o not in against)
    open_ = ", ".join(f"{n} {word}" for word, n in sorted(others.items(), key=lambda i: -i[1]))
    return [
        (
            f"{len(held)} of the paper's {len(outcomes)} claims hold by the true uplift where it "
            f"is known{_list(held)}.",
            *("claims", "Each claim"),
        ),
        (
            f"{len(against)} are contradicted{_list(against)}; {sum(others.values())} are open"
            f"{f' ({open_})' if open_ else ''}.",
            *("claims", "What would change that"),
        ),
        (_least_regret(ground), "leaderboard", "All methods"),
        (_campaign(ground), "docs/campaign", "From a campaign file to a decision"),
        (_generator(ground), "claims#audit", "The audit"),
    ]


def deciding(outcomes: list[Outcome]) -> Outcome:
    """The last measure: regret where the truth is known, else the claim's own."""
    return outcomes[-1]


def plain_word(outcome: Outcome) -> str:
    """The verdict without what stands in brackets."""
    return outcome.verdict.split(" (")[0].split(",")[0]


def regret_shares(ground: Ground) -> dict[str, tuple[float, float]]:
    """Regret as a share of what can be had, mean of the four scenarios, with its error."""
    frames = [ground.scenario(name) for name in SCENARIOS]
    everywhere = set.intersection(*(set(source.methods) for source in frames))
    found = {}
    for method in sorted(everywhere):
        runs = [source.shown(method) for source in frames]
        if min(map(len, runs)) < 2:
            continue
        scales = [float(np.mean([run.oracle_q for run in own])) for own in runs]
        estimate = stratified(relative([[run.regret for run in own] for own in runs], scales))
        found[method] = estimate.mean, estimate.error
    return found


def _least_regret(ground: Ground) -> str:
    """Scenario by scenario where enough rows and draws are there."""
    parts, waiting = [], []
    for panel in overview_numbers([ground.column(name, VARIANTS[0]) for name in SCENARIOS]):
        number, n = panel["scenario"][8:], len(panel["replicates"])
        if not compared(panel) or n < LEAST_DRAWS:
            waiting.append(number)
            continue
        column = ground.column(panel["scenario"], panel["variant"])
        others = [r["method"] for r in panel["rows"] if r["method"] in ground.best(column, REGRET)]
        others.remove(panel["least"])
        equals = f", not told apart from {', '.join(others)}" if others else ""
        parts.append(
            f"in scenario {number} {panel['least']} of {len(panel['rows'])} methods with "
            f"{panel['rows'][0]['regret']:.2f} per cent (n = {panel['n']}{equals})"
        )
    said = f"Least regret: {'; '.join(parts)}." if parts else "No scenario has rows to compare yet."
    if waiting:
        said += f" Too few rows have all common replicates in scenario {', '.join(waiting)}."
    return said


def _campaign(ground: Ground) -> str:
    """The method to try first: least regret over the four scenarios, or in the fullest one."""
    shares = regret_shares(ground)
    scenarios = [ground.column(name, VARIANTS[0]) for name in SCENARIOS]
    column = max(scenarios, key=lambda c: len(frame_of(c).methods))
    if shares:
        name = min(shares, key=lambda m: shares[m][0])
        mean, error = shares[name]
        why = (
            f"over the four scenarios it loses {100 * mean:.1f} ± {100 * error:.1f} per cent of "
            f"what the true uplift would gain, the least of {len(shares)} methods"
        )
    else:
        means = {m: ground.mean(column, m, REGRET).value for m in frame_of(column).methods}
        if not means:
            return "No method can be named yet that a campaign should use."
        name = min(means, key=lambda m: means[m])
        why = (
            f"it has the least regret in {label(column)} (no method has the replicates of all four "
            "scenarios yet)"
        )
    cost = ground.mean(column, name, CPU)
    price = f" and takes {duration(cost.value)} of one core, tuning included" if cost else ""
    return f"For a campaign of your own try {name} first: {why}{price}. {_real_data(ground)}"


def _real_data(ground: Ground) -> str:
    """Only where five splits are there: fewer decide nothing."""
    firsts, waiting = [], []
    for column in (c for c in ground.main_columns if c.variant is None):
        source = frame_of(column)
        means = {m: ground.mean(column, m, Q).value for m in source.methods}
        if len(source.common) < LEAST_DRAWS or len(means) < 2:
            waiting.append(label(column))
            continue
        top = max(means, key=lambda m: means[m])
        firsts.append(f"{top} on {label(column)} ({means[top]:.2f})")
    said = [f"Highest mean q on real data: {', '.join(firsts)}."] if firsts else []
    if waiting:
        said.append(f"Too few splits to name a best method on {', '.join(waiting)}.")
    return " ".join(said)


def _generator(ground: Ground) -> str:
    """From the audit: one finding for each scenario, in the paper's convention."""
    notes = [note for note in audit_table(ground.published).notes if "paper's convention" in note]
    by_finding: dict[str, list[str]] = {}
    for note in notes:
        where, _, said = note.partition(", paper's convention:")
        by_finding.setdefault(said.strip().rstrip("."), []).append(where.removeprefix("scenario"))
    parts = [f"scenario {', '.join(names)}: {said}" for said, names in by_finding.items()]
    return f"Which generator can have made the printed numbers? {'; '.join(parts)}."


def _list(outcomes: list[Outcome]) -> str:
    texts = [f"“{o.claim.text.rstrip('.')}”" for o in outcomes]
    return f": {', '.join(texts)}" if texts else ""
