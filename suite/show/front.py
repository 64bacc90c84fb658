"""`results/README.md`, opened first: what was found, one picture, and where everything is."""

from collections.abc import Iterable, Sequence

from suite.compare.frame import frame_of
from suite.compare.judging import Outcome, judge_all
from suite.plan.experiments import VARIANTS
from suite.publish import sample, verify
from suite.publish.columns import Column, Published, columns
from suite.show.findings import frames, sentences
from suite.show.tables.model import Table

Versions = Iterable[Sequence[Table]]  # of every table: its variants, the paper's own first


def front_page(
    published: Published, paper: Versions, findings: Versions, compared: Iterable[Column]
) -> str:
    """The whole page."""
    outcomes = judge_all(lambda name: frames(published, name))
    found = sentences(published, outcomes)
    lines = [
        "# What was found",
        "",
        "Written from the records by `python -m suite tables`; CI checks it. q and its relatives "
        "are in per cent, ± is a standard error. [docs/suite.md](../docs/suite.md) has the rules "
        "by which tables judge, [docs/measure.md](../docs/measure.md) what q, q_adj and regret "
        "are.",
        "",
        *(f"{number}. {text}" for number, text in enumerate(found, start=1)),
        "",
        "![Regret of every method in every scenario](findings/overview.svg)",
        "",
        "## The paper's claims",
        "",
        "By regret where data are simulated, else by the measure of the claim.",
        "",
        *_table(("", "claim", "verdict", "by q_adj alone"), _claims(outcomes)),
        "",
        "## Tables of the paper",
        "",
        *_listing("paper", paper),
        "- [F4: Qini curves of the true uplift](paper/F4.svg)",
        "",
        "Numbers in full stand beside each page as CSV, LaTeX in [paper/latex](paper/latex).",
        "",
        "## Beyond the paper",
        "",
        *_listing("findings", findings),
        "- [What the paper leaves open, settled by experiment](study/study.md)",
        "- [Speed beside other programs](perf/peers.md)",
        "",
        "## Every experiment",
        "",
        "Pictures, every pair of methods, and what conventions of the measure change.",
        "",
        *_table(("experiment", "methods", "replicates in common", "planned"), _columns(compared)),
        "",
        _records(published),
    ]
    return "\n".join(lines) + "\n"


def _claims(outcomes: Iterable[Sequence[Outcome]]) -> Iterable[tuple[str, ...]]:
    for number, measures in enumerate(outcomes, start=1):
        on_q_adj = measures[0].verdict if len(measures) > 1 else ""
        yield str(number), measures[0].claim.text, measures[-1].verdict, on_q_adj


def _listing(folder: str, tables: Versions) -> list[str]:
    """A line for each page, and its variants."""
    lines = []
    for versions in tables:
        first, *others = versions
        title = first.title.partition(", variant ")[0]
        also = ", ".join(table.name.removeprefix(f"{first.name}-") for table in others)
        more = f" ({VARIANTS[0]}; also {also})" if also else ""
        lines.append(f"- [{title}]({folder}/{first.name}.md){more}")
    return lines


def _columns(compared: Iterable[Column]) -> Iterable[tuple[str, ...]]:
    for column in compared:
        source = frame_of(column)
        yield (
            f"[{column.name}](columns/{column.name}/README.md)",
            str(len(source.runs)),
            str(len(source.common)),
            str(column.experiment.planned(column.variant)),
        )


def _records(published: Published) -> str:
    """How many records there are, and what they rest on."""
    records = [r for e, v in columns() for r in published.column(e.name, v).records]
    carried = sum(record.origin.carried is not None for record in records)
    rest = f", {carried:,} of them carried over from an earlier form of record" if carried else ""
    said = f"The tables rest on {len(records):,} records in [records](records){rest}."
    drawn = sample.read(published.root.parent / "findings" / sample.FILE.name)
    results = [line["result"] for line in drawn if line["result"] != sample.WAITING]
    if not results:
        return said
    same = sum(result == verify.IDENTICAL for result in results)
    return (
        f"{said} Of {len(drawn)} cells drawn by a digest of the records, {len(results)} were "
        f"computed again, {same} of them identical to the last bit "
        f"([list](findings/{sample.FILE.name}))."
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    marks = ["---"] * len(heads)
    return ["| " + " | ".join(row) + " |" for row in (heads, marks, *rows)]
