"""The plan: the cells of an experiment, each with its key, its seed and its digest."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import baselines
from baselines.contract import Method
from suite.compute.cell import MethodFile, Task, cell_digest
from suite.names import UserError, matching, unknown
from suite.plan.experiments import VARIANTS, Experiment


@dataclass(frozen=True)
class Cell:
    """(experiment, method, replicate), and what decides its number."""

    experiment: str
    folder: str
    method: str
    replicate: int
    source: str
    options: dict[str, Any]
    quick: bool
    seed: int
    digest: str
    key: str
    upstream: "Cell | None" = None
    file: MethodFile | None = None

    def task(self, upstream_result: dict[str, Any] | None) -> Task:
        """What a worker needs to compute it."""
        return Task(
            key=self.key,
            method=self.method,
            source=self.source,
            options=self.options,
            replicate=self.replicate,
            seed=self.seed,
            quick=self.quick,
            digest=self.digest,
            file=self.file,
            upstream=upstream_result,
        )


@dataclass(frozen=True)
class Plan:
    """The cells of one experiment, replicate by replicate."""

    experiment: Experiment
    variant: str | None
    quick: bool
    methods: dict[str, type[Method]]
    cells: tuple[Cell, ...]

    @property
    def folder(self) -> str:
        return self.experiment.folder(self.variant, self.quick)

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
    own = _own_methods(files)
    known = {**baselines.methods(), **{name: cls for name, (cls, _) in own.items()}}
    chosen = _chosen(experiment, methods, own, known)
    if replicates is None:
        replicates = range(experiment.quick_replicates if quick else experiment.replicates)
    data = {
        "source": experiment.source,
        "options": experiment.data_options(variant, quick),
    }
    folder = experiment.folder(variant, quick)

    def cell(name: str, replicate: int) -> Cell:
        cls, file = known[name], own[name][1] if name in own else None
        upstream = cell(cls.upstream, replicate) if cls.upstream else None
        seed = training_seed(name, experiment.name, replicate)
        digest = cell_digest(cls, experiment.source, file)
        decides = {
            **data,
            "method": name,
            "replicate": replicate,
            "quick": quick,
            "seed": seed,
            "digest": digest,
            "upstream": upstream.key if upstream else None,
        }
        return Cell(
            experiment=experiment.name,
            folder=folder,
            method=name,
            replicate=replicate,
            quick=quick,
            seed=seed,
            digest=digest,
            key=_hash(decides),
            upstream=upstream,
            file=file,
            **data,
        )

    cells = tuple(cell(name, replicate) for replicate in replicates for name in chosen)
    return Plan(experiment, variant, quick, {name: known[name] for name in chosen}, cells)


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


def _hash(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:20]


def _own_methods(files: Sequence[Path]) -> dict[str, tuple[type[Method], MethodFile]]:
    own = {}
    for path in files:
        try:
            found = baselines.load_file(path)
        except ValueError as error:
            raise UserError(str(error)) from error
        file = MethodFile(str(Path(path).resolve()), Path(path).read_text())
        for cls in found:
            if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", cls.name):
                raise UserError(
                    f"{path} calls a method {cls.name!r}; use letters, digits, '.', '_', '+' or '-'"
                )
            if cls.name in baselines.methods() or cls.name in own:
                raise UserError(f"{path} calls a method {cls.name!r}, which exists; rename it")
            own[cls.name] = (cls, file)
    return own


def _chosen(
    experiment: Experiment,
    patterns: Sequence[str],
    own: dict[str, Any],
    known: dict[str, type[Method]],
) -> list[str]:
    """The methods of the plan, upstream ones before what starts from them."""
    if patterns:
        wanted = dict.fromkeys([*matching("method", patterns, known), *own])
    else:
        wanted = dict.fromkeys([*experiment.default_methods(), *own])
    ordered: dict[str, None] = {}
    for name in wanted:
        chain = [name]
        while upstream := known[chain[-1]].upstream:
            if upstream not in known:
                raise unknown(f"upstream method of {chain[-1]}", upstream, known)
            chain.append(upstream)
        ordered |= dict.fromkeys(reversed(chain))
    return list(ordered)
