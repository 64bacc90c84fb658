"""Every method of the comparison, one file each; `baselines.methods()` finds them.

A method is found by being a file in this folder; `load_file` takes one from anywhere else.
"""

import difflib
import importlib.util
import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from baselines import contract
from baselines.contract import Method

__all__ = ["Method", "load_file", "method", "methods"]


@cache
def methods() -> dict[str, type[Method]]:
    """Every method of this folder by name, installed or not."""
    found: dict[str, type[Method]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_") or module.name in {"contract"}:
            continue
        for cls in _methods_in(import_module(f"{__name__}.{module.name}")):
            if cls.name in found:
                raise ValueError(
                    f"two methods are called {cls.name!r}: {found[cls.name].__module__} and "
                    f"{cls.__module__}; rename one"
                )
            found[cls.name] = cls
    return dict(sorted(found.items()))


def method(name: str) -> type[Method]:
    """The method called `name`."""
    found = methods()
    if name not in found:
        near = difflib.get_close_matches(name, found, n=3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise ValueError(f"unknown method {name!r}; {hint}there are: {', '.join(found)}")
    return found[name]


def load_file(path: str | Path) -> list[type[Method]]:
    """The methods of a user's own file."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no method file at {path}; give the path of a Python file")
    spec = importlib.util.spec_from_file_location(f"user_method_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found = _methods_in(module)
    except Exception as error:
        raise ValueError(
            f"{path} cannot be used as a method file: {error}\n\n{inspect.getdoc(contract)}"
        ) from error
    if not found:
        raise ValueError(
            f"{path} holds no subclass of baselines.Method\n\n{inspect.getdoc(contract)}"
        )
    return found


def _methods_in(module: ModuleType) -> list[type[Method]]:
    """The `Method` subclasses that `module` itself defines and names, complete or an error."""
    found = []
    for cls in vars(module).values():
        if not (isinstance(cls, type) and issubclass(cls, Method)):
            continue
        # A class without a name of its own is a shared parent, not a method.
        if cls.__module__ != module.__name__ or "name" not in vars(cls):
            continue
        if cls.__abstractmethods__:
            missing = ", ".join(sorted(cls.__abstractmethods__))
            raise TypeError(f"{cls.__name__} does not define {missing}")
        found.append(cls)
    return found
