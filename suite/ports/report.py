"""The tables of docs/baselines.md, from the units of the ports."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

from suite.plan.digest import ROOT
from suite.plan.experiments import EXPERIMENTS
from suite.publish.side import provenance

PAGE = ROOT / "docs" / "baselines.md"
Record = dict[str, Any]


def page(text: str, units: Sequence[Record]) -> str:
    """The page's text with each table replaced between its marks."""
    by_kind = defaultdict(list)
    for unit in units:
        by_kind[unit["kind"]].append(unit)
    uncut = [name.removesuffix("-uncut") for name in EXPERIMENTS["ports-cuts"].methods]
    for kind, table in (
        ("reference", reference_table(by_kind["reference"])),
        ("noise", noise_table(by_kind["noise"], by_kind["reference"])),
        ("sanity", sanity_table(by_kind["sanity"])),
        ("cuts", cuts_table(by_kind["cuts"], by_kind["sanity"], uncut)),
    ):
        begin, end = f"<!-- {kind}: begin -->\n", f"<!-- {kind}: end -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{table}\n{provenance(by_kind[kind])}\n{end}{after}"
    return text


def reference_table(records: Iterable[Record]) -> str:
    """One line a port and draw, and the means over the draws of every port."""
    lines = []
    for method, group in _grouped(records, "method").items():
        for r in sorted(group, key=lambda r: r["data"]):
            lines.append(
                (
                    method,
                    r["predictor"],
                    r["data"].replace("_", " "),
                    f"{r['spearman']:.3f}",
                    f"{r['halves']:.3f}" if r.get("halves") is not None else "",
                    f"{r['q']:.2f}",
                    f"{r['q_of_r']:.2f}",
                    f"{r['q'] - r['q_of_r']:+.2f}",
                    f"{r['truth']:.2f}",
                    f"{r['truth_of_r']:.2f}",
                )
            )
        difference = mean(r["q"] - r["q_of_r"] for r in group)
        means = f"**{_mean(group, 'spearman'):.3f}**", *[""] * 3, f"**{difference:+.2f}**"
        lines.append((f"**{method}**", "", "mean", *means, "", ""))
    head = ("port", "R", "draw", "Spearman", "halves", "q", "q of R", "difference")
    head += ("u*: port", "u*: R")
    return _markdown(head, lines)


def noise_table(full: Iterable[Record], reference: Iterable[Record]) -> str:
    """Forests of R's size beside the smaller ones of the table above."""
    small = {(r["method"], r["data"]): r for r in reference}
    lines = []
    for r in sorted(full, key=lambda r: (r["data"], r["method"])):
        pair = r, small[r["method"], r["data"]]
        numbers = [f"{x[name]:.3f}" for name in ("spearman", "halves") for x in pair]
        lines.append((r["method"], r["data"].replace("_", " "), *numbers))
    head = ("port", "draw", "Spearman, 2000 trees", "500 trees", "halves, 2000 trees", "500 trees")
    return _markdown(head, lines)


def sanity_table(records: Iterable[Record]) -> str:
    """One line a method: means over replicates."""
    lines = []
    groups = _grouped(records, "method")
    for method, group in sorted(groups.items(), key=lambda item: -_mean(item[1], "q")):
        seconds = {part: mean(r["seconds"][part] for r in group) for part in group[0]["seconds"]}
        lines.append(
            (
                method,
                str(len(group)),
                *(f"{_mean(group, measure):.2f}" for measure in ("q", "rho", "q_adj")),
                f"{_mean(group, 'candidates'):.0f}",
                f"{seconds['tune']:.1f}",
                f"{seconds['fit']:.1f}",
                f"{seconds['predict']:.2f}",
                f"{_mean(group, 'cpu_seconds'):.1f}",
                f"{max(r['memory_mb'] for r in group):.0f}",
            )
        )
    head = ("method", "n", "q", "ρ", "q_adj", "candidates")
    head += ("tune s", "fit s", "predict s", "CPU s", "memory MB")
    return _markdown(head, lines)


def cuts_table(uncut: Iterable[Record], cut: Iterable[Record], methods: Sequence[str]) -> str:
    """The larger search beside the one in force, on the replicates that have both."""
    in_force = {r["key"].removeprefix("sanity/"): r for r in cut}
    lines = []
    groups = _grouped(uncut, "method")
    for method in methods:
        group = groups.get(method, [])
        pairs = [
            (r, in_force[key]) for r in group if (key := r["key"].removeprefix("cuts/")) in in_force
        ]
        if not pairs:
            lines.append((method, "0", "not yet run", "", "", "", "", ""))
            continue
        difference = mean(small["q_adj"] - large["q_adj"] for large, small in pairs)
        lines.append(
            (
                method,
                str(len(pairs)),
                f"{mean(large['q_adj'] for large, _ in pairs):.2f}",
                f"{mean(small['q_adj'] for _, small in pairs):.2f}",
                f"{difference:+.2f}",
                f"{mean(small['q'] - large['q'] for large, small in pairs):+.2f}",
                f"{mean(large['cpu_seconds'] for large, _ in pairs):.0f}",
                f"{mean(small['cpu_seconds'] for _, small in pairs):.0f}",
            )
        )
    head = ("method", "n", "q_adj uncut", "q_adj", "difference", "difference in q")
    return _markdown((*head, "CPU s uncut", "CPU s"), lines)


def _grouped(records: Iterable[Record], name: str) -> dict[str, list[Record]]:
    groups = defaultdict(list)
    for record in records:
        groups[record[name]].append(record)
    return groups


def _mean(records: Sequence[Record], name: str) -> float:
    return mean(record[name] for record in records)


def _markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
