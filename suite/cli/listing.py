"""What there is (`list`) and what a run would do (`--dry-run`)."""

import math
import re

from rich import box
from rich.console import Console
from rich.table import Table

import baselines
import datasets
from suite.plan.experiments import EXPERIMENTS, GROUPS, VARIANTS, Experiment
from suite.publish.columns import PUBLISHED
from suite.store.estimate import Estimate
from suite.store.session import Progress
from suite.store.store import Store
from suite.words import count, duration


def unavailable(experiment: Experiment) -> str | None:
    """Why its data cannot be loaded now, None where they can."""
    try:
        return datasets.source(experiment.source).available(**experiment.options)
    except (ValueError, RuntimeError) as error:
        return str(error)


def how_to_get(reason: str | None) -> str:
    """The command in a long explanation."""
    if reason is None:
        return "ready"
    command = re.search(r"python -m datasets .*", reason)
    return command[0] if command else reason.splitlines()[0]


def show(output: Console) -> None:
    """Experiments and methods, installed or not."""
    published = Store(PUBLISHED)
    experiments = Table(title="experiments", **STYLE)
    for column in ("name", "what", "methods", "published", "data"):
        experiments.add_column(column, no_wrap=column == "name")
    for item in (each for each in EXPERIMENTS.values() if not each.group):
        variants = VARIANTS if item.has_variants else (None,)
        counts = [_published(published, item, variant) for variant in variants]
        experiments.add_row(
            item.name,
            item.summary,
            str(len(item.default_methods())),
            " ".join(f"{v or ''} {n}".strip() for v, n in zip(variants, counts, strict=True) if n),
            how_to_get(unavailable(item)),
        )
    for group in GROUPS:
        items = [item for item in EXPERIMENTS.values() if item.group == group]
        reasons = filter(None, map(unavailable, items))
        experiments.add_row(
            group,
            f"{len(items)} side experiments, {items[0].name} to {items[-1].name}",
            str(len({name for item in items for name in item.default_methods()})),
            str(sum(_published(published, item) for item in items) or ""),
            how_to_get(next(reasons, None)),
        )
    output.print(experiments)
    methods = Table(title="methods", **STYLE)
    for column in ("name", "row in the paper", "grid", "state"):
        methods.add_column(column, no_wrap=column == "name")
    for name, cls in baselines.methods().items():
        missing = cls.missing()
        size = math.prod(len(values) for values in cls.grid.values())
        methods.add_row(
            name,
            cls.paper_row or "",
            f"{size} settings" if cls.grid else "",
            f"not installed: pip install {' '.join(missing)}" if missing else "ready",
        )
    output.print(methods)


def _published(store: Store, item: Experiment, variant: str | None = None) -> int:
    return len({(r.method, r.replicate) for r in store.records(item.column(variant))})


def show_plan(output: Console, progress: Progress, estimate: Estimate, jobs: int) -> None:
    """The cells by method: recorded, to do, and how long they will take."""
    plan = progress.plan
    output.print(f"plan of {plan.title}", style="bold", markup=False)
    table = Table(**STYLE)
    table.add_column("method", no_wrap=True)
    for column in ("recorded", "to do", "each", "together"):
        table.add_column(column, justify="right")
    for name in plan.methods:
        cells = [cell for cell in progress.to_do if cell.method == name]
        done = sum(record.method == name for record in progress.plan_records())
        one = estimate.of(cells[0]) if cells else None
        table.add_row(
            name,
            str(done),
            str(len(cells)),
            duration(one) if one is not None else "" if not cells else "never run",
            duration(one * len(cells)) if one is not None else "",
        )
    output.print(table)
    seconds, guessed = estimate.total(progress.to_do)
    unknown = f" ({guessed} cells are guessed from the others)" if guessed else ""
    to_do = f"{count(len(progress.to_do), 'cell')} to do"
    if seconds:
        output.print(
            f"{to_do}, about {duration(seconds / jobs)} with {count(jobs, 'job')}{unknown}"
        )
    elif progress.to_do:
        output.print(f"{to_do}; nothing is recorded yet to estimate their time from")
    else:
        output.print("nothing to do: every cell is recorded")


STYLE = {"box": box.SIMPLE_HEAD, "title_justify": "left", "title_style": "bold"}
