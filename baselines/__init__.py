"""Every method of the comparison, one file each; `baselines.methods()` finds them.

A method is found by being a file in this folder; `load_file` takes one from anywhere else.
"""

import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from baselines import contract
from baselines.contract import Method
from twin import checks

__all__ = ["Method", "load_file", "method", "methods"]


@cache
def methods() -> dict[str, type[Method]]:
    """Every method of this folder by name, installed or not."""
    found: dict[str, type[Method]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_") or module.name == "contract":
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
        raise checks.unknown_name("method", name, found)
    return found[name]


def load_file(path: str | Path) -> list[type[Method]]:
    """The methods of a user's own file."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no method file at {path}; give the path of a Python file")
    name = f"user_method_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ValueError(f"{path} is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its objects can be pickled
    try:
        spec.loader.exec_module(module)
        found = _methods_in(module)
        if not found:
            raise TypeError("it holds no subclass of baselines.Method with a `name`")
    except (Exception, SystemExit) as error:  # a file that ends the program is no method file
        del sys.modules[name]
        raise ValueError(
            f"{path} cannot be used as a method file: {type(error).__name__}: {error}\n\n"
            f"{inspect.getdoc(contract)}"
        ) from error
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
        _check(cls)
        found.append(cls)
    return found


def _check(cls: type[Method]) -> None:
    """Every piece of the contract is there and of its kind."""
    if not (isinstance(cls.name, str) and cls.name):
        raise TypeError(f"{cls.__name__}.name is {cls.name!r}; give a text such as 'my-method'")
    if cls.__abstractmethods__:
        missing = " and ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"{cls.__name__} does not define {missing}")
    for kind in ("grid", "quick_grid"):
        grid = getattr(cls, kind)
        if not isinstance(grid, Mapping):
            raise TypeError(f"{cls.__name__}.{kind} is {grid!r}; give a dictionary of sequences")
        for key, values in grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise TypeError(
                    f"{cls.__name__}.{kind}[{key!r}] is {values!r}; give a sequence of values"
                )
    unknown = sorted(set(cls.quick_grid) - set(cls.grid))
    if unknown:
        raise TypeError(f"{cls.__name__}.quick_grid names {unknown[0]!r}, which grid does not have")
