"""The plan: the cells of an experiment, each with what its number rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import baselines
import datasets
from suite.names import UserError, unknown
from suite.plan.cell import Basis, Cell, Data, MethodCode, OwnFile, Planned
from suite.plan.digest import Code
from suite.plan.experiments import VARIANTS, Experiment
from suite.plan.methods import chosen, methods_of, own_methods

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
    known = {**methods_of(experiment), **own}
    names = chosen(experiment.default_methods(), methods, own, known)
    replicates = experiment.numbers(quick) if replicates is None else replicates
    if min(replicates) < experiment.first:
        numbers = experiment.numbers(quick)
        raise UserError(
            f"the replicates of {experiment.name} begin with {experiment.first}; "
            f"give --replicates {numbers[0]}-{numbers[-1]}, or a part of these"
        )
    planner = Planner(experiment, variant, known, quick)
    cells = tuple(
        planner.cell(name, replicate)
        for replicate in replicates
        for name in names
        if experiment.has(name, replicate)
    )
    return Plan(experiment, variant, quick, {name: known[name] for name in names}, cells)


class Planner:
    """Gives the cells of one experiment what their numbers rest on today."""

    def __init__(
        self,
        experiment: Experiment,
        variant: str | None,
        known: Mapping[str, MethodCode],
        quick: bool = False,
        facts: dict[tuple[str, Path], "CodeFacts"] | None = None,
    ) -> None:
        self._experiment, self._variant, self._quick = experiment, variant, quick
        self._known = known
        self._options = experiment.data_options(variant, quick)
        self._content = _content(experiment, self._options)
        self._source = source_path(experiment.source, experiment.own_data)
        self._facts = {} if facts is None else facts  # shared where many columns are planned

    def cell(self, name: str, replicate: int) -> Planned:
        """One cell, with the one that it starts from."""
        method, experiment = self._known[name], self._experiment
        upstream = self.cell(method.upstream, replicate) if method.upstream else None
        facts = self._facts.get((name, self._source))
        if facts is None:
            facts = code_facts(method, experiment.source, experiment.own_data)
            self._facts[name, self._source] = facts
        basis = Basis(
            *facts.digests,
            content=self._content,
            libraries=facts.libraries,
            upstream=upstream.key if upstream else None,
        )
        return Planned(
            Cell(
                experiment.column(self._variant, self._quick),
                name,
                Data(experiment.source, self._options, replicate),
                experiment.training_seed(name, replicate),
                self._quick,
            ),
            basis,
            method,
            facts.imports,
            experiment.own_data,
            upstream,
        )


class CodeFacts(NamedTuple):
    """What the code of a cell is, by reading it."""

    digests: tuple[str, str, str]  # method, data, cell
    libraries: Mapping[str, str]
    imports: tuple[str, ...]  # modules of libraries that the method needs


def code_facts(method: MethodCode, source: str, own_data: OwnFile | None = None) -> CodeFacts:
    """The facts of a method on a data set, as the files are now."""
    code = Code()
    paths = (method_path(method), source_path(source, own_data), CELL)
    imports = sorted(code.foreign_modules(paths[0]))
    digests = tuple(code.digest(path) for path in paths)
    return CodeFacts(digests, code.libraries(*paths), tuple(imports))


def method_path(method: MethodCode) -> Path:
    """The file that defines a method."""
    if method.file is not None:
        return Path(method.file.path)
    module = method.module or baselines.method(method.name).__module__
    return Code().module_file(module)


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


def _content(experiment: Experiment, options: Mapping[str, Any]) -> str | None:
    if experiment.own_data is not None:
        return None  # what a user's own file reads is known when its rows are
    return datasets.source(experiment.source).content(**options)
