"""Every pair of methods, and what convention and number of bins change."""

from collections.abc import Mapping

from suite.compare.frame import frame_of
from suite.compare.means import mean_of
from suite.compare.paired import LEVEL
from suite.compare.pairs import Pair, all_pairs
from suite.compare.runs import Run, by_score
from suite.compute.measures import BINS, CONVENTIONS, MAIN
from suite.publish.columns import Column
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts

Pairs = Mapping[tuple[str, str], Pair]
RESPLITS = (
    "Replicates split one data set again and again: errors of differences are Nadeau and Bengio's, "
    "which is careful, and Wilcoxon's test does not apply."
)
PAIR_FIELDS = (
    *("measure", "method", "against", "replicates_in_common", "mean_difference", "low_95"),
    *("high_95", "wins", "ties", "losses", "p_t", "p_holm", "p_wilcoxon"),
)


def pairwise(source: Column) -> Table:
    """Every pair of methods: q_adj above the diagonal, truth below it."""
    frame = frame_of(source)
    names = by_score(frame)

    def series(number: str) -> dict[str, dict[int, float]]:
        return {
            name: {r: getattr(run, number) for r, run in frame.runs[name].items()} for name in names
        }

    simulated = all(run.true_q is not None for own in frame.runs.values() for run in own.values())
    found: dict[str, Pairs] = {"q_adj": all_pairs(series("q_adj"), resplits=not simulated)}
    if simulated:
        found["true q"] = all_pairs(series("true_q"))
    numbers = {name: str(i) for i, name in enumerate(names, start=1)}
    rows = []
    for a in names:
        mean = mean_of(frame.shown(a), lambda run: run.q_adj)
        fields = [Text(f"{numbers[a]} {a}")]
        have = f"{frame.count(a)} of {len(frame.common)}"
        fields.append(Text(have if mean is None else f"{mean.value:z.2f}"))
        fields += [_field(a, b, names, found) for b in names]
        rows.append(tuple(fields))
    tested = {
        measure: sum(p.p is not None for p in pairs.values()) for measure, pairs in found.items()
    }
    below = "below it the same of q without outcome noise (the fall of regret); " * simulated
    return Table(
        name=f"pairwise-{source.name}",
        title=f"Every pair of methods on {source.name}",
        header=texts(("method", "q_adj", *(numbers[name] for name in names))),
        rows=tuple(rows),
        notes=(
            "Above the diagonal: mean difference of test q_adj, row minus column, on the pair's "
            f"common replicates, and wins/ties/losses; {below}bold where significant at 5 % "
            "(paired t, two-sided, Holm over the pairs that are tested: "
            + ", ".join(f"{n} in {measure}" for measure, n in tested.items())
            + "). Pairs with fewer than 5 common replicates are not tested and do not count. The "
            "CSV file has t intervals and Wilcoxon's p.",
            *(() if simulated else (RESPLITS,)),
            *notes.footer([source], _shown(source)),
        ),
        tidy=tuple(
            _pair_line(measure, names_, pair)
            for measure, pairs in found.items()
            for names_, pair in pairs.items()
        ),
        tidy_fields=PAIR_FIELDS,
    )


def _shown(source: Column) -> list[Run]:
    frame = frame_of(source)
    return [run for name in frame.runs for run in frame.shown(name)]


def _field(a: str, b: str, names: list[str], found: Mapping[str, Pairs]) -> Text:
    above = names.index(a) < names.index(b)
    pairs = found.get("q_adj" if above else "true q", {})
    pair = pairs.get((a, b) if above else (b, a))
    if pair is None:
        return Text("")
    mean, wins = (pair.mean, pair.wins) if above else (-pair.mean, pair.losses)
    losses = pair.losses if above else pair.wins
    significant = pair.p_holm is not None and pair.p_holm < LEVEL
    return Text(f"{mean:+z.2f} {wins}/{pair.ties}/{losses}", bold=significant)


def _pair_line(measure: str, names: tuple[str, str], pair: Pair) -> dict[str, object]:
    return {
        "measure": measure,
        "method": names[0],
        "against": names[1],
        "replicates_in_common": pair.n,
        "mean_difference": pair.mean,
        "low_95": pair.low,
        "high_95": pair.high,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "p_t": pair.p,
        "p_holm": pair.p_holm,
        "p_wilcoxon": pair.p_wilcoxon,
    }


def sensitivity(source: Column) -> Table:
    """q_adj of every method by convention and number of bins."""
    rows, tidy = [], []
    settings = [(convention, bins) for convention in CONVENTIONS for bins in BINS]
    frame = frame_of(source)
    for name in by_score(frame):
        runs = frame.shown(name)
        if not runs:
            continue
        fields = [Text(name)]
        for key in settings:
            for measure in ("q", "rho", "q_adj"):
                mean = mean_of(runs, lambda r, k=key, m=measure: getattr(r.by_convention[k], m))
                tidy.append(
                    {
                        "method": name,
                        "convention": key[0],
                        "bins": key[1],
                        "measure": measure,
                        "mean": mean.value,
                        "standard_error": mean.error,
                        "replicates": mean.n,
                    }
                )
            fields.append(Text(f"{mean.value:z.2f}", bold=key == MAIN))
        rows.append(tuple(fields))
    return Table(
        name=f"sensitivity-{source.name}",
        title=f"q_adj by convention and number of bins J on {source.name}",
        header=texts(("method", *(f"{convention} J={bins}" for convention, bins in settings))),
        rows=tuple(rows),
        notes=(
            "Bold: what the other tables show. The same predictions in every column.",
            *notes.footer([source], _shown(source), "in per cent, test rows"),
        ),
        tidy=tuple(tidy),
        tidy_fields=(
            *("method", "convention", "bins", "measure", "mean", "standard_error", "replicates"),
        ),
    )
