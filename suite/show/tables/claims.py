"""The paper's claims with their verdicts, on its own measure and on the truth."""

from suite.compare.claims import REGRET, Contrast
from suite.compare.frame import frame_of
from suite.compare.judging import Finding, Outcome, judge_all
from suite.compare.paired import LEVEL
from suite.compare.runs import Frame
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.simulated import file_name

HEADS = (
    *("", "claim", "contrasts", "n", "measure", "deciding contrast", "difference"),
    *("5 % bound", "p for it", "p against it", "verdict"),
)
TIDY = (
    *(
        "variant",
        "claim",
        "kind",
        "measure",
        "margin",
        "high",
        "high_experiment",
        "low",
        "low_experiment",
    ),
    *("replicates_in_common", "difference", "standard_error", "df", "lower_95", "upper_95"),
    *("p_one_sided", "p_wilcoxon", "scenarios_ahead", "claim_p", "claim_p_holm"),
    *("against_p_holm", "verdict"),
)


def claims_table(published: Published, variant: str) -> Table:
    """One line per claim and measure; the CSV file has every contrast."""

    def source(name: str) -> Frame:
        return frame_of(published.column(name, variant if name in SCENARIOS else None))

    outcomes = judge_all(source)
    rows, tidy, missing = [], [], []
    for number, measures in enumerate(outcomes, start=1):
        for outcome in measures:
            first = outcome is measures[0]
            name = (str(number), outcome.claim.text) if first else ("", "")
            rows.append((*texts((*name, *_fields(outcome))), Text(outcome.verdict, bold=True)))
            lines = [_line(number, outcome, finding) for finding in outcome.findings]
            tidy += [{"variant": variant, **line} for line in lines]
        lacking = [_where(f.contrast) for f in measures[0].findings if f.n == 0]
        if lacking:
            missing.append(f"{number}: {', '.join(dict.fromkeys(lacking))}")
    used = [published.column(name, variant) for name in SCENARIOS]
    declared = variant == VARIANTS[0]
    return Table(
        name=file_name("claims", variant),
        title=f"The paper's claims, tested on our replicates, variant {variant}"
        + ("" if declared else " (exploratory)"),
        header=texts(HEADS),
        rows=tuple(rows),
        notes=(
            "A contrast is a paired difference on common replicates. A claim holds if every "
            f"contrast does, so its p is the largest of theirs; supported: p < {LEVEL:g}. "
            "Contradicted: a reverse contrast is significant after Holm over the claim. All p are "
            "then corrected (Holm) over the claims of a measure. Not shown or undecided: neither.",
            "A claim of no gain is supported if the upper bound of every gain is below the margin: "
            "0.2 in q_adj, 0.1 in regret (2 to 5 % of the oracle's q). The bound is the lower one "
            "where a gain is claimed, the upper one where none is.",
            "Judged on q_adj, the paper's measure, and on regret, the truth where data are "
            "simulated: a gain in regret is what it falls by. Where the two differ, regret says "
            "what is so, q_adj what could be seen with it.",
            "Over several scenarios together differences are shares of each one's oracle q; it is "
            "a statement about these four, and a sign test over four cannot go below 1/16. Sizes "
            "of CRITEO are re-splits of one sample: their errors are Nadeau and Bengio's.",
            "Incomplete: some contrasts have no records yet, and those that have do not "
            "contradict; too few draws: some have fewer than 5 common replicates; interim: fewer "
            "than planned."
            + ("" if declared else " Exploratory: the claims are judged on the printed variant."),
            *([f"Contrasts without records, by claim: {'; '.join(missing)}."] if missing else []),
            *notes.footer(used, [run for column in used for run in frame_of(column).every_run], ""),
        ),
        left=2,
        tidy=tuple(tidy),
        tidy_fields=TIDY,
    )


def _fields(outcome: Outcome) -> tuple[str, ...]:
    total, tested = len(outcome.findings), len(outcome.tested)
    run = str(total) if tested == total else f"{tested} of {total}"
    measure = "regret (true q)" if outcome.measure is REGRET else outcome.measure.name
    decides = outcome.weakest
    if decides is None:
        return run, "", measure, "", "", "", "", ""
    estimate, superior = decides.estimate, outcome.claim.kind == "superior"
    bound = estimate.lower() if superior else estimate.upper()
    limit = "" if superior else f" (margin {outcome.measure.margin:g})"
    return (
        *(run, str(decides.n), measure),
        f"{decides.contrast.high} - {decides.contrast.low}, {_where(decides.contrast)}"
        f"{_ahead(decides)}",
        *(f"{estimate.mean:+z.2f}", f"{bound:+z.2f}{limit}"),
        *(f"{outcome.p:.3f}", f"{outcome.p_against:.3f}"),
    )


def _ahead(finding: Finding) -> str:
    total = len(finding.contrast.experiments)
    return "" if finding.ahead is None else f" (ahead in {finding.ahead} of {total})"


def _where(contrast: Contrast) -> str:
    several = f"{len(contrast.experiments)} scenarios"
    where = several if contrast.experiments == SCENARIOS else " with ".join(contrast.experiments)
    return (
        where if contrast.low_experiment is None else f"{where} against {contrast.low_experiment}"
    )


def _line(number: int, outcome: Outcome, finding: Finding) -> dict[str, object]:
    contrast, estimate = finding.contrast, finding.estimate
    numbers = {}
    if estimate is not None:
        numbers = {
            "difference": estimate.mean,
            "standard_error": estimate.error,
            "df": estimate.df,
            "lower_95": estimate.lower(),
            "upper_95": estimate.upper(),
            "p_one_sided": estimate.p_above(),
            "p_wilcoxon": finding.p_wilcoxon,
            "scenarios_ahead": finding.ahead,
        }
    return {
        "claim": number,
        "kind": outcome.claim.kind,
        "measure": outcome.measure.name,
        "margin": outcome.measure.margin if outcome.claim.kind != "superior" else None,
        "high": contrast.high,
        "high_experiment": "+".join(contrast.experiments),
        "low": contrast.low,
        "low_experiment": contrast.low_experiment or "+".join(contrast.experiments),
        "replicates_in_common": finding.n,
        **numbers,
        "claim_p": outcome.judged and outcome.judged.p,
        "claim_p_holm": outcome.p,
        "against_p_holm": outcome.p_against,
        "verdict": outcome.verdict,
    }
