"""Scenarios and real data, split into training, validation and test rows.

`datasets.load("scenario4", variant="printed", replicate=0)` returns a `Dataset`.
"""

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from datasets.contract import Dataset, Source
from twin import checks

__all__ = ["Dataset", "OwnData", "Source", "load", "load_file", "load_from", "source", "sources"]


@cache
def sources() -> dict[str, Source]:
    """Every data set by name: whatever the files of this folder list in `SOURCES`."""
    found: dict[str, Source] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        for item in getattr(import_module(f"{__name__}.{module.name}"), "SOURCES", ()):
            found[item.name] = item
    return dict(sorted(found.items()))


def source(name: str) -> Source:
    """The data set called `name`."""
    found = sources()
    if name not in found:
        raise checks.unknown_name("data set", name, found)
    return found[name]


def load(name: str, *, replicate: int = 0, **options: Any) -> Dataset:
    """Replicate `replicate` of the data set `name`; `python -m datasets` lists its `options`."""
    return load_from(source(name), replicate=replicate, **options)


def load_from(item: Source, *, replicate: int = 0, **options: Any) -> Dataset:
    """`load` for a source in hand, such as one of `load_file`."""
    if isinstance(replicate, bool) or not isinstance(replicate, int) or replicate < 0:
        raise ValueError(f"replicate is {replicate!r}; it must be a whole number from 0 up")
    unknown = sorted(set(options) - set(item.options))
    if unknown:
        raise ValueError(
            f"{item.name} has no option {unknown[0]!r}; it has: {', '.join(item.options) or 'none'}"
        )
    return item.load(replicate, **options)


def load_file(path: str | Path) -> list[Source]:
    """The data sets of a user's own file; `python -m datasets new my_data.py` writes one."""
    return import_module("datasets.own").load_file(path, taken=sources())


def __getattr__(name: str) -> Any:
    """`OwnData`, imported on first use: no row of the data sets here depends on it."""
    if name == "OwnData":
        return import_module("datasets.own").OwnData
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
