"""The methods that a plan can name: the project's, and those of users' own files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import baselines
from suite.names import UserError, matching, unknown
from suite.plan.cell import MethodCode
from suite.plan.describe import described, own_file
from suite.plan.experiment import Experiment
from suite.strict import WrongType, build


@cache
def registered() -> dict[str, MethodCode]:
    """Every method of the project that any experiment can have."""
    return {name: _code(cls) for name, cls in baselines.methods().items()}


def methods_of(experiment: Experiment) -> dict[str, MethodCode]:
    """The methods that `experiment` can have: with a module, those that it lists alone."""
    if not experiment.module:
        return registered()
    own = methods_in(experiment.module)
    every = registered() | {name: _code(cls, experiment.module) for name, cls in own.items()}
    return {name: every[name] for name in experiment.default_methods()}


@cache
def methods_in(module: str) -> dict[str, type[baselines.Method]]:
    """The methods that a module of the project defines and names."""
    found = vars(import_module(module)).values()
    own = (cls for cls in found if isinstance(cls, type) and cls.__module__ == module)
    return {
        cls.name: cls for cls in own if issubclass(cls, baselines.Method) and "name" in vars(cls)
    }


def _code(cls: type[baselines.Method], module: str = "") -> MethodCode:
    return MethodCode(
        name=cls.name,
        upstream=cls.upstream,
        paper_row=None if module else cls.paper_row,
        missing=cls.missing(),
        reads_truth=cls.reads_truth,
        module=module,
    )


def own_methods(files: Sequence[Path]) -> dict[str, MethodCode]:
    """The methods of users' own files."""
    own: dict[str, MethodCode] = {}
    for path in files:
        file = own_file(path)
        for found in described(path, "methods"):
            name = found["name"]
            if name in registered() or name in own:
                raise UserError(f"{path} calls a method {name!r}, which exists; rename it")
            try:
                own[name] = replace(build(MethodCode, found, name), file=file)
            except WrongType as error:
                raise UserError(f"{path}: {error}") from None
    return own


def chosen(
    defaults: Sequence[str],
    patterns: Sequence[str],
    own: Mapping[str, MethodCode],
    known: Mapping[str, MethodCode],
) -> list[str]:
    """The methods of a plan, upstream ones before what starts from them."""
    names = matching("method", patterns, known) if patterns else defaults
    ordered: dict[str, None] = {}
    for name in dict.fromkeys([*names, *own]):
        chain = [name]
        while upstream := known[chain[-1]].upstream:
            if upstream not in known:
                raise unknown(f"upstream method of {chain[-1]}", upstream, known)
            if upstream in chain:
                raise UserError(
                    f"{' starts from '.join([*chain, upstream])}: a ring has no beginning; "
                    "mend `upstream`"
                )
            chain.append(upstream)
        ordered |= dict.fromkeys(reversed(chain))
    return list(ordered)
