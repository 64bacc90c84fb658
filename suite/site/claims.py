"""Each claim of the paper with its verdict and the contrasts behind it, and the audit."""

import html
import math

from suite.compare import power
from suite.compare.claims import REGRET, Contrast
from suite.compare.judging import Finding, Outcome, judge_all
from suite.compare.units import LEAST_DRAWS
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.show.tables.audit import audit_table
from suite.show.tables.claims import claims_table
from suite.site.ground import Ground, made_from
from suite.site.page import Page
from suite.site.table import Cell, verdict


def claims_page(ground: Ground) -> Page:
    """The page."""
    page = Page("claims", "Claims and audit")
    page.md(
        "Each sentence of the paper, tested on the variant `printed`. A contrast is a paired "
        "difference on common replicates, above 0 where the first is the better; a claim holds if "
        "every contrast does. Judged on the paper's measure, and on regret where the truth is "
        "known."
    )
    outcomes = judge_all(ground.scenario)
    _summary(page, outcomes)
    for number, measures in enumerate(outcomes, start=1):
        page.section(f"{number}. {measures[0].claim.text}", f"claim-{number}")
        for outcome in measures:
            page.html(
                f"<p>On {_measure(outcome)}: {verdict(outcome.verdict).markup}. "
                f"{html.escape(change(outcome))}</p>"
            )
        _forest(page, number, measures)
    page.section("Audit: which generator made the printed numbers", "audit")
    page.suite_table(audit_table(ground.published), "tables/audit")
    page.section("All numbers, other variants", "variants")
    for variant in VARIANTS:
        table = claims_table(ground.published, variant)
        page.suite_table(table, f"tables/{table.name}")
    used = [ground.column(s, v) for s in SCENARIOS for v in VARIANTS]
    page.made_from(made_from(used))
    return page


def _summary(page: Page, outcomes: list[list[Outcome]]) -> None:
    rows = []
    for number, measures in enumerate(outcomes, start=1):
        by_truth = {outcome.measure is REGRET: outcome for outcome in measures}
        words = [by_truth[t].verdict if t in by_truth else "" for t in (False, True)]
        text = measures[0].claim.text
        markup = f'<a href="#claim-{number}">{number}. {html.escape(text)}</a>'
        rows.append([Cell(text, markup=markup), *map(verdict, words)])
    head = ["claim", "on the paper's measure", "on regret"]
    page.table("claims-summary", "The paper's claims and their verdicts", head, rows)


def _measure(outcome: Outcome) -> str:
    return "regret" if outcome.measure is REGRET else html.escape(outcome.measure.name)


def _gain(outcome: Outcome) -> str:
    """What a contrast is a difference of; positive if the first one is the better."""
    return "regret saved" if outcome.measure is REGRET else f"{outcome.measure.name} gained"


def change(outcome: Outcome) -> str:
    """What would change the verdict."""
    decides = outcome.weakest
    if decides is None or outcome.verdict.startswith("too few"):
        lacking = sorted({name for c in outcome.missing for name in c.experiments})
        have = min(f.n for f in outcome.findings)
        where = f" in {', '.join(map(_place, lacking))}" if lacking else ""
        return (
            f"It takes {LEAST_DRAWS} common replicates for every contrast{where}; the contrast "
            f"with the fewest has {have}."
        )
    estimate, margin = decides.estimate, outcome.measure.margin
    n = decides.n
    spread = estimate.error * math.sqrt(n)
    where = _name(decides.contrast)
    text = f"It turns on {where}: {estimate.mean:+z.2f}, n = {n}."
    if outcome.claim.kind == "superior":
        if estimate.mean <= 0:
            return f"{text} It would have to be above 0."
        needed = power.replicates(estimate.mean, spread)
    else:
        if estimate.mean >= margin:
            return f"{text} It would have to be surely below {margin:g}."
        needed = power.replicates(margin - estimate.mean, spread)
    if needed is None or needed <= n:
        return f"{text} Only another difference would change it, not more replicates."
    return f"{text} If that is its true size, {needed} replicates show it with 80 % power."


def _place(name: str) -> str:
    return f"scenario {name[8:]}" if name in SCENARIOS else name


def _forest(page: Page, number: int, measures: list[Outcome]) -> None:
    """Every contrast with its interval; each measure has its own scale."""
    head = ["contrast", "n", *("mean", "95 % interval") * len(measures)]
    scales = [_scale(outcome) for outcome in measures]
    rows = []
    for findings in zip(*(outcome.findings for outcome in measures), strict=True):
        row = [Cell(_name(findings[0].contrast)), Cell(str(findings[0].n), findings[0].n)]
        for finding, scale in zip(findings, scales, strict=True):
            row += _interval(finding, scale)
        rows.append(row)
    table = f"Contrasts of claim {number}"
    long = len(rows) > 20
    if long:
        page.html(f"<details><summary>All {len(rows)} contrasts as a forest plot</summary>")
    groups = [("", 1), *((_gain(outcome), 2) for outcome in measures)]
    page.table(f"claims/claim-{number}", table, head, rows, sortable=True, groups=groups)
    if long:
        page.html("</details>")


def _scale(outcome: Outcome) -> float:
    ends = [abs(end) for f in outcome.tested for end in f.estimate.interval()]
    return max(ends, default=1.0) or 1.0


def _interval(finding: Finding, scale: float) -> list[Cell]:
    """The number, and a bar on a common scale with a line at 0."""
    if finding.estimate is None:
        return [Cell("not tested", "", style="missing"), Cell("")]
    low, high = finding.estimate.interval()
    mean = finding.estimate.mean
    places = [50 + 48 * value / scale for value in (low, mean, high)]
    kind = "above" if low > 0 else "below" if high < 0 else "across"
    bar = (
        f'<svg class="bar {kind}" aria-hidden="true"><line class="zero" x1="50%" x2="50%" y1="0" '
        f'y2="100%"/><line x1="{places[0]:.1f}%" x2="{places[2]:.1f}%" y1="50%" y2="50%"/>'
        f'<circle cx="{places[1]:.1f}%" cy="50%" r="4"/></svg>'
    )
    text = f"{low:+z.2f} to {high:+z.2f}"
    return [Cell(f"{mean:+z.2f}", mean), Cell(text, markup=f"{bar}<span>{text}</span>")]


def _name(contrast: Contrast) -> str:
    where = " with ".join(map(_place, contrast.experiments))
    if contrast.low_experiment is not None:
        return f"{contrast.high}: {where} - {_place(contrast.low_experiment)}"
    return f"{contrast.high} - {contrast.low} ({where})"
