"""The study's report: paired comparisons on the test rows of its replicates, as Markdown."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import mean

from suite.plan.experiments import SCENARIOS
from suite.publish import side
from suite.study.pairs import Record, Series, compare, data_digest, table
from suite.study.probes import COMMITTEES

FIRST_REPLICATE = 100
NODES = {"network": 64, "wide": 512}
STARTS = tuple((w, s) for w in ("parts", "independent") for s in ("ones", "normal"))
DEFAULT_START = ("parts", "normal")  # (weight_start, scale_start) of `twin`
LINEAR_START = ("parts", "ones")  # models without hidden layer have no scaling factors
SINGLE = "best epoch, single"
COMMITTEE = "halving, best epoch, 10 best"


def render(records: Sequence[Record]) -> str:
    """The whole report."""
    parts = [
        "# What the paper leaves open, settled by experiment",
        f"{len(records)} of {side.planned('study')} units of `python -m suite.run study`, rendered "
        f"by `python -m suite tables`. {side.provenance(records)} "
        f"Replicates {FIRST_REPLICATE} and up of scenarios 1 to 4 in their three variants; models "
        "are selected on validation rows and compared on test rows, in pairs on the same rows. "
        f"Networks have scaling factors, {NODES['network']} nodes where no other number is given, "
        "and search the paper's grid of 216 settings; models without hidden layer search 36. "
        "Differences: mean and 95 % t interval over draws (scenario and replicate): the variants "
        "of a draw share their random numbers and are averaged, equal data count once, scenarios "
        "are strata (Satterthwaite), or their spread counts where one has a single draw. No "
        "interval below four draws. `true q`, computed from the true uplift in predicted order, is "
        "the measure to look at first; q_adj carries the noise of the test outcomes.",
        _starts(records),
        _schedules(records),
        _committees(records),
        _models(records),
    ]
    return "\n\n".join(parts) + "\n"


def series(
    records: Sequence[Record],
    label: str,
    kind: str,
    rule: str,
    start: tuple[str, str] | None = None,
) -> Series:
    """The measures of one rule; `start` is (weight_start, scale_start), None the default's."""
    start = start or (DEFAULT_START if kind in NODES else LINEAR_START)
    values, data = {}, {}
    for record in records:
        unit = record["unit"]
        if unit["kind"] != kind or (unit["weight_start"], unit["scale_start"]) != start:
            continue
        for row in record["rows"]:
            if row["rule"] == rule:
                cell = unit["scenario"], unit["replicate"], unit["variant"]
                values[cell], data[cell] = row, data_digest(record)
    return Series(label, values, data)


def _starts(records: Sequence[Record]) -> str:
    lines = []
    rules = {"": f"halving, {SINGLE}", ", committee of 10": COMMITTEE}
    for (kind, nodes), (members, rule) in product(NODES.items(), rules.items()):
        base = series(records, "", kind, rule, STARTS[0])
        for start in STARTS:
            other = series(records, "", kind, rule, start)
            left = [other.values[key]["nodes"] for key in other.values.keys() & base.values.keys()]
            if left:
                label = replace(other, label=f"{nodes} nodes{members}: {' / '.join(start)}")
                extra = ["-" if members else f"{mean(left):.0f} ({min(left)}-{max(left)})"]
                lines.append(compare(label, base, extra=extra))
    for kind in ("twin-mu", "logistic"):
        base = series(records, "", kind, f"full, {SINGLE}")
        start = ("independent", "ones")
        other = series(records, f"{kind}: independent", kind, f"full, {SINGLE}", start)
        lines.append(compare(other, base, extra=["-"]))
    text = (
        "## Starts\n\n`parts`: u, v = theta+, theta-; `independent`: u and v both |U|. "
        "`ones`: s = 1; `normal`: a and b both |N(0, 1)|. Each row against its parts / ones "
        "(parts for the models without hidden layer).\n\n"
    )
    return text + table(lines, extra=["nodes left, mean (range)"])


def _schedules(records: Sequence[Record]) -> str:
    lines = []
    for kind in ("network", "twin-mu", "logistic"):
        full = series(records, "", kind, f"full, {SINGLE}")
        for label, rule in (
            (f"{kind}: halving against full training", f"halving, {SINGLE}"),
            (f"{kind}: last epoch against best", "full, last epoch, single"),
        ):
            other = series(records, label, kind, rule)
            extra = ["-"]
            if kind == "network":
                common = other.values.keys() & full.values.keys()
                pairs = [[s.values[key]["nodes"] for s in (other, full)] for key in common]
                nodes = zip(*pairs, strict=True) if pairs else ()
                extra = [" against ".join(f"{mean(n):.0f}" for n in nodes)]
            lines.append(compare(other, full, extra=extra))
    return "## Halving, and which epoch is kept\n\n" + table(lines, extra=["nodes left"])


def _committees(records: Sequence[Record]) -> str:
    lines = []
    for kind in ("network", "twin-mu"):
        single = series(records, "", kind, f"halving, {SINGLE}")
        for name in list(COMMITTEES)[1:]:
            rule = f"halving, best epoch, {name}"
            for scenario in (None, *SCENARIOS):
                where = scenario or "all"
                other = series(records, f"{kind}, {name}, {where}", kind, rule)
                lines.append(compare(other, single, scenario=scenario))
    return (
        "## Committees\n\nThe mean prediction of the best settings (at most 20 within 10 or 20 per "
        "cent of the best validation q_adj), each at its best epoch, against the single best "
        "setting; all after halving.\n\n" + table(lines)
    )


def _models(records: Sequence[Record]) -> str:
    logistic = series(records, "", "logistic", f"full, {SINGLE}")
    twin_mu = series(records, "", "twin-mu", f"full, {SINGLE}")
    network = series(records, "", "network", f"halving, {SINGLE}")
    committee = series(records, "", "network", COMMITTEE)
    nodes = NODES["network"]
    rows = [("Twin_mu against Logistic", twin_mu, logistic)]
    rows += [(f"Twin_NN {nodes} structured against Logistic", network, logistic)]
    rows += [(f"Twin_NN {nodes} structured against Twin_mu", network, twin_mu)]
    rows += [(f"committee of 10 Twin_NN {nodes} against Logistic", committee, logistic)]
    ones = ("parts", "ones")
    single_ones = series(records, "", "network", f"halving, {SINGLE}", ones)
    committee_ones = series(records, "", "network", COMMITTEE, ones)
    label = f"committee of 10 Twin_NN {nodes} from s = 1 against"
    rows += [(f"{label} its single best", committee_ones, single_ones)]
    rows += [(f"{label} Logistic", committee_ones, logistic)]
    for rule in ("uplift, penalised", "uplift, refit"):
        exact = series(records, "", "exact", rule)
        rows.append((f"Twin_mu optimised exactly ({rule}) against SGD", exact, twin_mu))
    for rule in ("binomial, penalised", "binomial, refit"):
        exact = series(records, "", "exact", rule)
        rows.append((f"Logistic optimised exactly ({rule}) against SGD", exact, logistic))
    penalised = series(records, "", "exact", "uplift, penalised")
    binomial = series(records, "", "exact", "binomial, penalised")
    rows.append(("exact: uplift against binomial loss", penalised, binomial))
    lines = []
    for label, one, other in rows:
        for scenario in (None, *SCENARIOS):
            named = replace(one, label=f"{label}, {scenario or 'all'}")
            lines.append(compare(named, other, scenario=scenario))
    return "## Models\n\n" + table(lines)
