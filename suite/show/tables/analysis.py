"""What the paper does not print: claims, paired comparisons, sensitivity and the audit."""

from collections.abc import Iterator
from itertools import combinations

from suite.compare import claims, stats
from suite.compare.means import Mean, by_method, mean_of, q_adj
from suite.measures import BINS, CONVENTIONS, MAIN
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Column, Published
from suite.show.tables import notes
from suite.show.tables.entries import BOUNDS, SHORT, Entry, compares, entries
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.simulated import file_name, model_name

AUDIT_ROWS = ("R-Learner (lasso)", "X-Learner (lasso)", "Logistic", "Twin_mu")
SIGNIFICANCE = 0.05


def claims_table(published: Published, variant: str) -> Table:
    """The paper's claims, each with its test and verdict."""
    rows, tidy, used = [], [], []
    for number, claim in enumerate(claims.CLAIMS, start=1):
        verdict = claims.judge(claim, published, variant)
        rows.append(
            (
                *texts((str(number), claim.text, *_claim_fields(verdict))),
                Text(verdict.verdict, bold=True),
            )
        )
        for finding in verdict.findings:
            contrast = finding.contrast
            where = "+".join(contrast.experiments)
            elsewhere = "+".join(contrast.low_experiments or contrast.experiments)
            tidy.append(
                {
                    "claim": number,
                    "high": contrast.high,
                    "high_experiment": where,
                    "low": contrast.low,
                    "low_experiment": elsewhere,
                    "measure": claim.measured,
                    "pairs": finding.n,
                    "difference": finding.difference,
                    "p_one_sided": finding.p,
                    "p_holm": finding.p_holm,
                    "verdict": verdict.verdict,
                }
            )
    for name in SCENARIOS:
        used.append(published.column(name, variant))
    return Table(
        name=file_name("claims", variant),
        title=f"The paper's claims, tested on our replicates, variant {variant}",
        header=texts(("", "claim", "contrasts", "held", "p (Holm)", "verdict")),
        rows=tuple(rows),
        notes=(
            "Test: Wilcoxon signed-rank over replicates, one-sided, Holm's correction within the "
            "claim (between CRITEO sizes, which are not paired: Mann-Whitney).",
            "Supported: every contrast is significant at 5 %; contradicted: a reverse contrast is; "
            "not shown: neither. A claim of no gain stands unless a gain is significant.",
            "Held: contrasts with the claimed sign (no significant gain, where that is the claim); "
            "p: of the weakest contrast (the strongest gain); the CSV file has them all.",
            "Too few replicates: with so many contrasts the test cannot reach 5 % yet; incomplete: "
            "some contrasts have no records yet.",
            *notes.footer(used, [record for source in used for record in source.records]),
        ),
        left=2,
        tidy=tuple(tidy),
        tidy_fields=(
            *("claim", "high", "high_experiment", "low", "low_experiment", "measure"),
            *("pairs", "difference", "p_one_sided", "p_holm", "verdict"),
        ),
    )


def _claim_fields(verdict: claims.Verdict) -> tuple[str, str, str]:
    total = len(verdict.findings) + verdict.missing
    run = f"{len(verdict.findings)} of {total} run" if verdict.missing else str(total)
    if not verdict.findings:
        return run, "", ""
    if verdict.claim.significant:
        held = sum(finding.difference > 0 for finding in verdict.findings)
        p = max(finding.p_holm for finding in verdict.findings)
    else:
        held = sum(finding.p_holm >= claims.LEVEL for finding in verdict.findings)
        p = min(finding.p_holm for finding in verdict.findings)
    return run, f"{held} of {len(verdict.findings)}", f"{p:.3f}"


def pairwise(source: Column) -> Table:
    """Every pair of methods: mean difference, win/tie/loss, Holm over all pairs."""
    groups = {
        name: {record.replicate: q_adj(record) for record in group if record.ok}
        for name, group in by_method(source.records).items()
    }
    means = {name: Mean.of(values.values()) for name, values in groups.items()}
    ranked = sorted((n for n in groups if means[n]), key=lambda n: (-means[n].value, n))
    pairs: dict[tuple[str, str], stats.Pair] = {}
    for a, b in combinations(ranked, 2):
        common = sorted(set(groups[a]) & set(groups[b]))
        pair = stats.compare_pair([groups[a][r] for r in common], [groups[b][r] for r in common])
        if pair is not None:
            pairs[a, b] = pair
    adjusted = dict(zip(pairs, stats.holm([pair.p for pair in pairs.values()]), strict=True))
    numbers = {name: str(i) for i, name in enumerate(ranked, start=1)}
    rows = []
    for a in ranked:
        fields = [Text(f"{numbers[a]} {a}"), Text(f"{means[a].value:z.2f}")]
        for b in ranked[1:]:
            pair = pairs.get((a, b))
            fields.append(
                Text("")
                if pair is None
                else Text(
                    f"{pair.mean:+z.2f} {pair.wins}/{pair.ties}/{pair.losses}",
                    bold=adjusted[a, b] < SIGNIFICANCE,
                )
            )
        rows.append(tuple(fields))
    return Table(
        name=f"pairwise-{source.folder}",
        title=f"Every pair of methods on {source.folder}",
        header=texts(("method", "q_adj", *(numbers[name] for name in ranked[1:]))),
        rows=tuple(rows),
        notes=(
            "Field: mean difference of test q_adj, row minus column, and wins/ties/losses over "
            "replicates; bold where significant at 5 % (Wilcoxon signed-rank, two-sided, Holm over "
            f"all {len(pairs)} pairs). The CSV file has p-values and bootstrap intervals.",
            *notes.footer([source], source.records),
        ),
        tidy=tuple(
            {
                "method": a,
                "against": b,
                "pairs": pair.n,
                "mean_difference": pair.mean,
                "low_95": None if pair.n < 2 else pair.low,
                "high_95": None if pair.n < 2 else pair.high,
                "wins": pair.wins,
                "ties": pair.ties,
                "losses": pair.losses,
                "p_wilcoxon": pair.p,
                "p_holm": adjusted[a, b],
            }
            for (a, b), pair in pairs.items()
        ),
        tidy_fields=(
            *("method", "against", "pairs", "mean_difference", "low_95", "high_95"),
            *("wins", "ties", "losses", "p_wilcoxon", "p_holm"),
        ),
    )


def sensitivity(source: Column) -> Table:
    """q_adj of every method by convention and number of bins."""
    rows, tidy = [], []
    settings = [(convention, str(bins)) for convention in CONVENTIONS for bins in BINS]
    groups = by_method(source.records)
    means = {name: mean_of(group, q_adj) for name, group in groups.items()}
    for name in sorted((n for n in groups if means[n]), key=lambda n: (-means[n].value, n)):
        fields = [Text(name)]
        for convention, bins in settings:
            cell = mean_of(groups[name], lambda r, c=convention, b=bins: r.sensitivity[c][b].q_adj)
            is_main = (convention, int(bins)) == MAIN
            fields.append(Text(f"{cell.value:z.2f}", bold=is_main))
            for measure in ("q", "rho", "q_adj"):
                mean = mean_of(
                    groups[name],
                    lambda r, c=convention, b=bins, m=measure: getattr(r.sensitivity[c][b], m),
                )
                tidy.append(
                    {
                        "method": name,
                        "convention": convention,
                        "bins": bins,
                        "measure": measure,
                        "mean": mean.value,
                        "standard_error": mean.error,
                        "replicates": mean.n,
                    }
                )
        rows.append(tuple(fields))
    return Table(
        name=f"sensitivity-{source.folder}",
        title=f"q_adj by convention and number of bins J on {source.folder}",
        header=texts(("method", *(f"{convention} J={bins}" for convention, bins in settings))),
        rows=tuple(rows),
        notes=(
            "Bold: what the other tables show. The same predictions in every column.",
            *notes.footer([source], source.records, "in per cent, test rows"),
        ),
        tidy=tuple(tidy),
        tidy_fields=(
            *("method", "convention", "bins", "measure", "mean", "standard_error", "replicates"),
        ),
    )


def audit(published: Published) -> Table:
    """Which variant of the generator can have produced the printed numbers?"""
    body: list[tuple[Text, ...]] = []
    tidy, used, records = [], [], []
    oracle = next(iter(BOUNDS))
    for name in SCENARIOS:
        papers = {row: paper.scenario_value(row, name) for row in AUDIT_ROWS}
        printed = [Text("" if p is None else f"{p.value:z.2f}") for p in papers.values()]
        body.append((Text(name), Text("paper"), Text(""), Text(""), *printed, Text("")))
        for variant in VARIANTS:
            source = published.column(name, variant)
            methods = {row: paper.method_of(row) for row in AUDIT_ROWS} | {oracle: "oracle"}
            found = entries(source, methods, papers)
            oracle_q = mean_of(found[oracle].records, lambda record: record.test.q)
            gaps = [abs(e.difference) for e in found.values() if e.difference is not None]
            body.append(
                (
                    *texts((name, variant, "" if oracle_q is None else f"{oracle_q.value:z.2f}")),
                    _audit_field(found[oracle]),
                    *(_audit_field(found[row]) for row in AUDIT_ROWS),
                    Text(f"{sum(gaps) / len(gaps):z.2f}" if gaps else ""),
                )
            )
            tidy += [entry.tidy("audit", "q_adj", source) for entry in found.values()]
            used.append(source)
            records += [record for entry in found.values() for record in entry.records]
    return Table(
        name="audit",
        title="Audit: which variant of the data generator can have produced the printed numbers",
        header=(
            *texts(("scenario", "variant", "oracle q", "oracle q_adj")),
            *map(model_name, AUDIT_ROWS),
            Text("mean gap"),
        ),
        rows=tuple(body),
        notes=(
            "q_adj ± standard error, and whether it agrees with the line `paper` above it: "
            "a agrees, r same ranking (among these rows), d differs. No method can beat the "
            "oracle's q on average: a printed q_adj above it rules a variant out.",
            *notes.footer(used, records),
        ),
        left=2,
        tidy=tuple(tidy),
    )


def _audit_field(entry: Entry) -> Text:
    if entry.ours is None:
        return Text(entry.verdict)
    mark = SHORT.get(entry.verdict)
    return Text(entry.value().plain + (f" {mark}" if mark else ""))


def analyses(published: Published, sources: Iterator[Column]) -> Iterator[Table]:
    """All of them: per experiment where it has records, the claims and the audit always."""
    for variant in VARIANTS:
        if variant == VARIANTS[0] or any(compares(published.column(s, variant)) for s in SCENARIOS):
            yield claims_table(published, variant)
    yield audit(published)
    for source in sources:
        yield pairwise(source)
        yield sensitivity(source)
