"""Analysis C: what the luck of training is, beside that of data and outcomes."""

import math
from collections.abc import Iterator

from suite.compare.frame import frame_of
from suite.compare.runs import Run
from suite.compare.seeds import Split, split
from suite.plan.experiments import EXPERIMENTS, SCENARIOS, VARIANTS
from suite.plan.side import SEED_METHODS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, texts

PAPER_RUNS = 20
HEADS = (
    *("scenario", "method", "draws x seeds", "n", "sd of one run", "training", "outcome noise"),
    *("data", "share of training", "s.e. of a mean of 20", "sd in true q", "training"),
)
TIDY = (
    *("experiment", "method", "draws", "seeds", "replicates", "variance", "training", "noise"),
    *("data", "variance_true_q", "training_true_q"),
)


def splits(published: Published) -> Iterator[tuple[str, str, Split]]:
    """Every scenario and method that was run with several seeds."""
    for scenario in SCENARIOS:
        own = frame_of(published.column(scenario, VARIANTS[0]))
        others = [
            frame_of(published.column(e.name))
            for e in EXPERIMENTS.values()
            if e.group == "seeds" and e.source == scenario
        ]
        for method in SEED_METHODS:
            repeated: dict[int, list[Run]] = {}
            for source in others:
                for replicate, run in source.runs.get(method, {}).items():
                    repeated.setdefault(replicate, []).append(run)
            for replicate, runs in repeated.items():
                first = own.runs.get(method, {}).get(replicate)
                runs += [] if first is None else [first]
            found = split(repeated, own.shown(method))
            if found is not None:
                yield scenario, method, found


def seeds_table(published: Published) -> Table | None:
    """One line for each scenario and method; None where nothing was repeated."""
    found = list(splits(published))
    if not found:
        return None
    used = [published.column(s, VARIANTS[0]) for s in dict.fromkeys(s for s, *_ in found)]
    methods = {method for _, method, _ in found}
    runs = [run for c in used for run in frame_of(c).every_run if run.method in methods]
    return Table(
        name="seeds",
        title="The luck of training: the same data, other seeds",
        header=texts(HEADS),
        rows=tuple(texts((s, m, *_fields(one))) for s, m, one in found),
        notes=(
            "Standard deviations of test q_adj of one run, in per cent. Sd of one run: over n "
            "replicates. Training: over seeds on the same draw, that is luck of starting weights, "
            "order of rows and what then is chosen. Outcome noise: the outcomes of the test rows "
            "drawn again from the rates of their bins, predictions kept. Data: what is left of the "
            "variance. The parts overlap (another model meets other outcomes by luck), so data can "
            "come out as 0.",
            "S.e. of a mean of 20 runs on 20 draws: what a printed standard error has to be at "
            "least. Share of training: of the variance of one run, its own estimate being as "
            "uncertain as a variance over (draws x (seeds - 1)) values is.",
            "The last two: the same of q without outcome noise.",
            *notes.footer(used, runs, ""),
        ),
        left=2,
        tidy=tuple(_line(*item) for item in found),
        tidy_fields=TIDY,
    )


def _fields(one: Split) -> tuple[str, ...]:
    total = one.total
    return (
        *(f"{one.draws} x {one.seeds}", str(one.replicates)),
        *(_sd(total), _sd(one.training), _sd(one.noise), _sd(one.data)),
        f"{one.training / total:.0%}" if total else "",
        _sd(total / PAPER_RUNS) if total else "",
        *(_sd(one.total_true_q), _sd(one.training_true_q)),
    )


def _sd(variance: float | None) -> str:
    return "" if variance is None else f"{math.sqrt(max(variance, 0.0)):.2f}"


def _line(scenario: str, method: str, one: Split) -> dict[str, object]:
    values = (
        *(scenario, method, one.draws, one.seeds, one.replicates, one.total, one.training),
        *(one.noise, one.data, one.total_true_q, one.training_true_q),
    )
    return dict(zip(TIDY, values, strict=True))
