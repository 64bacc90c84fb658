"""The plan: the cells of an experiment, each with what its number rests on."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import baselines
import datasets
from suite.names import UserError, unknown
from suite.plan.cell import Basis, Cell, Data, MethodCode, OwnFile, Planned
from suite.plan.digest import Code
from suite.plan.experiments import VARIANTS, Experiment
from suite.plan.methods import chosen, own_methods, registered

CELL = "suite/compute/cell.py"  # read, not imported: what a cell does is decided there


@dataclass(frozen=True)
class Plan:
    """The cells of one experiment, replicate by replicate."""

    experiment: Experiment
    variant: str | None
    quick: bool
    methods: Mapping[str, MethodCode]
    cells: tuple[Planned, ...]

    @property
    def column(self) -> str:
        return self.experiment.column(self.variant, self.quick)

    @property
    def title(self) -> str:
        parts = [self.experiment.name, f"variant {self.variant}" if self.variant else ""]
        return ", ".join(filter(None, [*parts, "QUICK: not comparable" if self.quick else ""]))


def make_plan(
    experiment: Experiment,
    *,
    variant: str | None = None,
    replicates: Sequence[int] | None = None,
    methods: Sequence[str] = (),
    files: Sequence[Path] = (),
    quick: bool = False,
) -> Plan:
    """The plan of `experiment`; `methods` are names or globs, `files` are users' own methods."""
    variant = check_variant(experiment, variant)
    own = own_methods(files)
    known = {**registered(), **own}
    names = chosen(experiment.default_methods(), methods, own, known)
    if replicates is None:
        replicates = range(experiment.quick_replicates if quick else experiment.replicates)
    cells = tuple(
        planned(experiment, variant, known[name], replicate, known, quick)
        for replicate in replicates
        for name in names
    )
    return Plan(experiment, variant, quick, {name: known[name] for name in names}, cells)


def planned(
    experiment: Experiment,
    variant: str | None,
    method: MethodCode,
    replicate: int,
    known: Mapping[str, MethodCode],
    quick: bool = False,
) -> Planned:
    """One cell with what its number rests on today."""
    upstream = (
        planned(experiment, variant, known[method.upstream], replicate, known, quick)
        if method.upstream
        else None
    )
    data = Data(experiment.source, experiment.data_options(variant, quick), replicate)
    paths = (method_path(method), source_path(data.source, experiment.own_data), CELL)
    code = Code()
    basis = Basis(
        *(code.digest(path) for path in paths),
        content=_content(experiment, data),
        libraries=code.libraries(*paths),
        upstream=upstream.key if upstream else None,
    )
    seed = training_seed(method.name, experiment.name, replicate)
    cell = Cell(experiment.column(variant, quick), method.name, data, seed, quick)
    imports = tuple(sorted({name for path in paths for name in code.foreign_modules(path)}))
    return Planned(cell, basis, method, imports, experiment.own_data, upstream)


def method_path(method: MethodCode) -> Path:
    """The file that defines a method."""
    if method.file is not None:
        return Path(method.file.path)
    return Code().module_file(baselines.method(method.name).__module__)


def source_path(source: str, own: OwnFile | None = None) -> Path:
    """The file that loads a data set."""
    if own is not None:
        return Path(own.path)
    return Code().module_file(type(datasets.source(source)).__module__)


def check_variant(experiment: Experiment, variant: str | None) -> str | None:
    """The variant in force, None for data without variants."""
    if not experiment.has_variants:
        if variant is not None:
            raise UserError(f"{experiment.name} has no variants; leave --variant out")
        return None
    if variant is not None and variant not in VARIANTS:
        raise unknown("variant", variant, VARIANTS)
    return variant or VARIANTS[0]


def training_seed(method: str, experiment: str, replicate: int) -> int:
    """Seeds of training differ between methods; seeds of data depend on the replicate alone."""
    digest = hashlib.sha256(f"{method}/{experiment}/{replicate}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1  # 31 bits: every library takes it


def _content(experiment: Experiment, data: Data) -> str | None:
    if experiment.own_data is not None:
        return None  # what a user's own file reads is known when its rows are
    return _content_of(data.source, tuple(sorted(data.options.items())))


@cache
def _content_of(source: str, options: tuple[tuple[str, object], ...]) -> str | None:
    return datasets.source(source).content(**dict(options))
