"""What was found, in sentences written from the records."""

from collections import Counter

import numpy as np

from suite.compare.frame import frame_of
from suite.compare.judging import Outcome, judge_all
from suite.compare.strata import relative, stratified
from suite.compare.units import LEAST_DRAWS
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.show.tables.audit import audit_table
from suite.site.ground import MEASURES, Ground, label
from suite.words import duration

Q, REGRET, CPU = (next(m for m in MEASURES if m.name == n) for n in ("q", "regret", "cpu"))


def findings(ground: Ground) -> list[str]:
    """Five sentences: claims for, claims against, the least regret, real data, the generator."""
    outcomes = [deciding(row) for row in judge_all(ground.scenario)]
    words = Counter(plain_word(outcome) for outcome in outcomes)
    counts = ", ".join(f"{n} {word}" for word, n in sorted(words.items(), key=lambda i: -i[1]))
    against = [o.claim.text.rstrip(".") for o in outcomes if "contradicted" in o.verdict]
    supported = [o.claim.text.rstrip(".") for o in outcomes if o.verdict.startswith("supported")]
    return [
        f"Of {len(outcomes)} claims of the paper, judged by the true uplift where it is known: "
        f"{counts}.",
        _list("Contradicted", against) + " " + _list("Supported", supported),
        _least_regret(ground),
        _real_data(ground),
        _generator(ground),
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
    """Scenario by scenario where five draws are there, and over all four; what to try first."""
    parts = []
    for name in SCENARIOS:
        column = ground.column(name, VARIANTS[0])
        n = len(frame_of(column).common)
        means = {m: ground.mean(column, m, REGRET).value for m in frame_of(column).methods}
        if n < LEAST_DRAWS or len(means) < 2:
            continue
        top = min(means, key=lambda m: means[m])
        others = sorted(ground.best(column, REGRET) - {top}, key=lambda m: means[m])
        equals = f", not told apart from {', '.join(others)}" if others else ""
        rows = f"{len(means)} methods, n = {n}"
        parts.append(f"scenario {name[8:]}: {top} {means[top]:.2f} ({rows}{equals})")
    text = f"Least regret, per cent: {'; '.join(parts)}." if parts else "No scenario has 5 draws."
    shares = regret_shares(ground)
    if not shares:
        return f"{text} No method has the common replicates of all four scenarios yet."
    name = min(shares, key=lambda m: shares[m][0])
    mean, error = shares[name]
    cost = ground.mean(ground.column("scenario4", VARIANTS[0]), name, CPU)
    price = f" and costs {duration(cost.value)} of one core in scenario 4" if cost else ""
    return (
        f"{text} Over the four, of {len(shares)} methods with all common replicates, {name} loses "
        f"least: {100 * mean:.0f} ± {100 * error:.0f} per cent of what knowing the true uplift "
        f"would gain (mean and standard error){price}: the first one to try on a campaign."
    )


def _real_data(ground: Ground) -> str:
    """Only where five splits are there: fewer decide nothing."""
    firsts, waiting = [], []
    for column in (c for c in ground.main_columns if c.variant is None):
        source = frame_of(column)
        means = {m: ground.mean(column, m, Q).value for m in source.methods}
        if len(source.common) < LEAST_DRAWS or len(means) < 2:
            waiting.append(f"{label(column)} ({len(source.common)})")
            continue
        top = max(means, key=lambda m: means[m])
        firsts.append(f"{top} on {label(column)} ({means[top]:.2f})")
    said = f"Highest mean q on real data: {', '.join(firsts)}." if firsts else ""
    if waiting:
        said += f" Real data with too few splits to name a best method: {', '.join(waiting)}."
    return said.strip() or "No real data set has been run yet."


def _generator(ground: Ground) -> str:
    """From the audit: one finding for each scenario, in the paper's convention."""
    notes = [note for note in audit_table(ground.published).notes if "paper's convention" in note]
    parts = [note.replace(", paper's convention:", ":").rstrip(".") for note in notes]
    return f"Which data generator can have made the printed numbers? {'; '.join(parts)}."


def _list(word: str, texts: list[str]) -> str:
    if not texts:
        return f"{word}: none."
    return f"{word}: " + "; ".join(f"“{text}”" for text in texts) + "."
