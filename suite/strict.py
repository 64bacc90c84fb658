"""Dataclasses from JSON, with every type checked: nothing is converted, nothing is left over."""

import math
import sys
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

_DEEPEST = 50
_LARGEST = sys.float_info.max


class WrongType(ValueError):
    """A value that is not what its field says; the message names the field."""


def build(kind: Any, value: Any, where: str = "") -> Any:
    """`value`, as JSON gives it, as an instance of `kind`."""
    origin = get_origin(kind)
    if kind is Any:
        return _writable(value, where)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, where)
    if origin is tuple:
        _demand(isinstance(value, list | tuple), value, "a list", where)
        return tuple(build(get_args(kind)[0], v, f"{where}[{i}]") for i, v in enumerate(value))
    if origin in (dict, Mapping):
        _demand(isinstance(value, Mapping), value, "a mapping", where)
        _demand(all(isinstance(name, str) for name in value), value, "named by texts", where)
        return {k: build(get_args(kind)[1], v, f"{where}.{k}") for k, v in value.items()}
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    return _plain(kind, value, where)


def _writable(value: Any, where: str, depth: int = 0) -> Any:
    """Anything that can be written as JSON again: finite, and not nested without end."""
    _demand(depth < _DEEPEST, "...", f"nested less than {_DEEPEST} deep", where)
    if isinstance(value, Mapping):
        _demand(all(isinstance(name, str) for name in value), value, "named by texts", where)
        return {k: _writable(v, where, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(v, where, depth + 1) for v in value]
    if isinstance(value, float):
        _demand(math.isfinite(value), value, "a finite number", where)
    else:
        _demand(value is None or isinstance(value, str | int), value, "JSON", where)
    return value


def _plain(kind: type, value: Any, where: str) -> Any:
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        number = number and -_LARGEST <= value <= _LARGEST  # nan is not, nor a whole number beyond
        _demand(number, value, "a finite number", where)
        return float(value)
    if kind is int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        _demand(whole, value, "a whole number", where)
    elif kind is type(None):
        _demand(value is None, value, "null", where)
    else:
        name = {str: "a text", bool: "true or false"}.get(kind, kind.__name__)
        _demand(isinstance(value, kind), value, name, where)
    return value


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    rest = [kind for kind in kinds if kind is not type(None)]
    return build(rest[0], value, where)


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _demand(isinstance(value, Mapping), value, "a mapping", where)
    hints = get_type_hints(kind)
    known = {item.name: item for item in fields(kind) if item.init}
    left_over = sorted(set(value) - set(known))
    if left_over:
        raise WrongType(f"{where or kind.__name__} has an unknown field {left_over[0]!r}")
    required = {
        name
        for name, item in known.items()
        if item.default is MISSING and item.default_factory is MISSING
    }
    missing = sorted(required - set(value))
    if missing:
        raise WrongType(f"{where or kind.__name__} lacks {missing[0]!r}")
    return kind(**{k: build(hints[k], v, f"{where}.{k}".strip(".")) for k, v in value.items()})


def _demand(holds: bool, value: Any, kind: str, where: str) -> None:
    if not holds:
        raise WrongType(f"{where or 'the value'} is {str(value)[:60]!r}; it must be {kind}")
