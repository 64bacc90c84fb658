"""What was found, in sentences written from the records."""

from collections import Counter

import numpy as np

import baselines
from suite.compare.frame import frame_of
from suite.compare.judging import Outcome, judge_all
from suite.compare.runs import BOUNDS
from suite.compare.strata import relative, stratified
from suite.plan.experiments import SCENARIOS
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
        f"Of the {len(outcomes)} claims of the paper that records can test, judged by the true "
        f"uplift where it is known: {counts}.",
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
    shares = regret_shares(ground)
    if not shares:
        return "No method has the common replicates of all four scenarios yet."
    name = min(shares, key=lambda m: shares[m][0])
    mean, error = shares[name]
    cost = ground.mean(ground.column("scenario4", "printed"), name, CPU)
    price = f" and costs {duration(cost.value)} of one core in scenario 4" if cost else ""
    return (
        f"Of the {len(shares)} methods with all common replicates of the four scenarios, "
        f"{name} loses least: {100 * mean:.0f} ± {100 * error:.0f} per cent of what knowing the "
        f"true uplift would gain (mean and standard error over the scenarios){price}; for a "
        "campaign it is the first one to try."
    )


def _real_data(ground: Ground) -> str:
    real = [c for c in ground.main_columns if c.variant is None]
    firsts, clear = [], 0
    for column in real:
        means = {m: ground.mean(column, m, Q) for m in frame_of(column).methods}
        means = {m: mean.value for m, mean in means.items() if mean is not None}
        if len(means) > 1:
            top = max(means, key=lambda m: means[m])
            firsts.append(f"{top} on {label(column)}")
            clear += bool(ground.best(column, Q))
    if not firsts:
        return "No real data set has two methods on common replicates yet."
    known = baselines.methods()
    bounds = f" ({', '.join(b for b in BOUNDS if b in known)} left aside)" if known else ""
    return (
        f"On real data the highest mean q{bounds} has {', '.join(firsts)}; these are splits of one "
        "data set each, which share their rows, so that a difference needs the page of the data "
        "set to be judged."
    )


def _generator(ground: Ground) -> str:
    """From the audit: one finding for each scenario, in the paper's convention."""
    notes = [note for note in audit_table(ground.published).notes if "paper's convention" in note]
    parts = [note.replace(", paper's convention:", ":").rstrip(".") for note in notes]
    return f"Which data generator can have made the printed numbers? {'; '.join(parts)}."


def _list(word: str, texts: list[str]) -> str:
    if not texts:
        return f"{word}: none."
    return f"{word}: " + "; ".join(f"“{text}”" for text in texts) + "."
