"""The study's report: paired comparisons on the test rows of its replicates, as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean
from typing import Any

import numpy as np

from suite.compare.stats import bootstrap_interval
from suite.plan.experiments import SCENARIOS
from suite.study.plan import (
    DEFAULT_START,
    FIRST_REPLICATE,
    LINEAR_START,
    NODES,
    STARTS,
    units,
)
from suite.study.unit import COMMITTEES

Record = dict[str, Any]
SINGLE = "best epoch, single"
COMMITTEE = "halving, best epoch, 10 best"
LEAST_PAIRS = 6  # fewer pairs make no claim: their bootstrap interval is too short


@dataclass(frozen=True)
class Series:
    """One rule of selection of one kind of unit, by the data it was computed on."""

    label: str
    values: dict[tuple, dict[str, float]]


def render(records: Sequence[Record]) -> str:
    """The whole report."""
    parts = [
        "# What the paper leaves open, settled by experiment",
        f"Rendered by `python -m suite study` from {len(records)} of {len(units())} units. "
        f"Replicates {FIRST_REPLICATE} and up of scenarios 1 to 4 in their three variants; models "
        "are selected on validation rows and compared on test rows, in pairs on the same rows. "
        f"Networks have scaling factors, {NODES['network']} nodes where no other number is given, "
        "and search the paper's grid of 216 settings; models without hidden layer search 36. "
        "Differences: mean and 95 % bootstrap interval over n data sets. "
        "q_adj carries the noise of the test outcomes; `true q` is computed from the true uplift "
        "in predicted order and does not.",
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
    values = {}
    for record in records:
        unit = record["unit"]
        if unit["kind"] != kind or (unit["weight_start"], unit["scale_start"]) != start:
            continue
        for row in record["rows"]:
            if row["rule"] == rule:
                values[unit["scenario"], unit["variant"], unit["replicate"]] = row
    return Series(label, values)


def _starts(records: Sequence[Record]) -> str:
    lines = []
    rules = {"": f"halving, {SINGLE}", ", committee of 10": COMMITTEE}
    for (kind, nodes), (members, rule) in product(NODES.items(), rules.items()):
        base = series(records, "", kind, rule, STARTS[0])
        for start in STARTS:
            other = series(records, "", kind, rule, start)
            left = [other.values[key]["nodes"] for key in other.values.keys() & base.values.keys()]
            if left:
                label = Series(f"{nodes} nodes{members}: {' / '.join(start)}", other.values)
                extra = ["-" if members else f"{mean(left):.0f} ({min(left)}-{max(left)})"]
                lines.append(_line(label, base, extra=extra))
    for kind in ("twin-mu", "logistic"):
        base = series(records, "", kind, f"full, {SINGLE}")
        start = ("independent", "ones")
        other = series(records, f"{kind}: independent", kind, f"full, {SINGLE}", start)
        lines.append(_line(other, base, extra=["-"]))
    text = (
        "## Starts\n\n`parts`: u, v = theta+, theta-; `independent`: u and v both |U|. "
        "`ones`: s = 1; `normal`: a and b both |N(0, 1)|. Each row against its parts / ones "
        "(parts for the models without hidden layer).\n\n"
    )
    return text + _table(lines, extra=["nodes left, mean (range)"])


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
            lines.append(_line(other, full, extra=extra))
    return "## Halving, and which epoch is kept\n\n" + _table(lines, extra=["nodes left"])


def _committees(records: Sequence[Record]) -> str:
    lines = []
    for kind in ("network", "twin-mu"):
        single = series(records, "", kind, f"halving, {SINGLE}")
        for name in list(COMMITTEES)[1:]:
            rule = f"halving, best epoch, {name}"
            for scenario in (None, *SCENARIOS):
                where = scenario or "all"
                other = series(records, f"{kind}, {name}, {where}", kind, rule)
                lines.append(_line(other, single, scenario=scenario))
    return (
        "## Committees\n\nThe mean prediction of the best settings (at most 20 within 10 or 20 per "
        "cent of the best validation q_adj), each at its best epoch, against the single best "
        "setting; all after halving.\n\n" + _table(lines)
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
            named = Series(f"{label}, {scenario or 'all'}", one.values)
            lines.append(_line(named, other, scenario=scenario))
    return "## Models\n\n" + _table(lines)


def _line(
    one: Series,
    other: Series,
    *,
    scenario: str | None = None,
    extra: Sequence[str] = (),
) -> list[str]:
    """Differences `one` - `other` over the data both have, of one scenario or of all."""
    keys = sorted(
        key for key in one.values.keys() & other.values.keys() if scenario in (None, key[0])
    )
    cells = [one.label, str(len(keys))]
    for measure in ("q_adj", "true_q"):
        differences = np.array([one.values[k][measure] - other.values[k][measure] for k in keys])
        if not keys:
            cells += ["not yet run", ""]
            continue
        low, high = bootstrap_interval(differences)
        apart = " *" if len(keys) >= LEAST_PAIRS and (low > 0 or high < 0) else ""
        interval = f"[{low:+.2f}, {high:+.2f}]{apart}" if len(keys) > 1 else "-"
        cells += [f"{differences.mean():+.2f}", interval]
    return [*cells, *extra]


def _table(lines: Sequence[Sequence[str]], extra: Sequence[str] = ()) -> str:
    head = ["comparison", "n", "q_adj", "95 %", "true q", "95 %", *extra]
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in rows)
        + f"\n\n\\* the interval of {LEAST_PAIRS} or more pairs excludes 0."
    )
