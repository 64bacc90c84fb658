"""A digest of the code that decides a number: one file and what it imports of this project.

The closure is found by reading, not by importing: `import`, `from ... import` and the lazy names
of a package (`_HOME` in its `__init__`). Comments, docstrings and layout do not count, so that
only a change that can move a number makes a record stale.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("twin", "baselines", "datasets", "suite")


def code_digest(path: str | Path) -> str:
    """The digest of `path` and of every project file that it imports, directly or not."""
    joined = hashlib.sha256()
    for file in sorted(closure(path), key=_label):
        joined.update(f"{_label(file)} {_file_digest(file, _stamp(file))}\n".encode())
    return joined.hexdigest()[:16]


def closure(path: str | Path) -> set[Path]:
    """`path` and every project file that it imports, directly or not."""
    waiting, found = [Path(path).resolve()], set()
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting.extend(_imported_files(file, _stamp(file)))
    return found


def module_file(module: str) -> Path | None:
    """The project file of a dotted module name, None for anything outside the project."""
    if module.split(".")[0] not in PACKAGES:
        return None
    base = ROOT.joinpath(*module.split("."))
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None


def _label(file: Path) -> str:
    # A user's own file counts by its content, wherever it lies.
    return str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else "user's method file"


def _stamp(file: Path) -> tuple[int, int]:
    """Part of the caches' keys, so that an edit is seen by the next digest of the same process."""
    status = file.stat()
    return status.st_mtime_ns, status.st_size


@cache
def _file_digest(file: Path, stamp: tuple[int, int]) -> str:
    tree = ast.parse(file.read_bytes(), filename=str(file))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def _imported_files(file: Path, stamp: tuple[int, int]) -> frozenset[Path]:
    files = (module_file(module) for module in _imported_modules(file))
    return frozenset(found for found in files if found is not None)


def _imported_modules(file: Path) -> Iterator[str]:
    package = _package_of(file)
    for node in ast.walk(ast.parse(file.read_bytes(), filename=str(file))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
                yield from _lazy_names(alias.name).values()
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            lazy = _lazy_names(module)
            for alias in node.names:
                if alias.name == "*":
                    yield module
                    yield from lazy.values()
                elif module_file(f"{module}.{alias.name}"):
                    yield f"{module}.{alias.name}"
                else:
                    yield lazy.get(alias.name, module)


def _package_of(file: Path) -> tuple[str, ...]:
    return file.parent.relative_to(ROOT).parts if file.is_relative_to(ROOT) else ()


def _lazy_names(module: str) -> dict[str, str]:
    """`_HOME` of a package that imports its names on first use: name -> module."""
    file = module_file(module)
    return {} if file is None else _home(file, _stamp(file))


@cache
def _home(file: Path, stamp: tuple[int, int]) -> dict[str, str]:
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME":
            return ast.literal_eval(node.value)
    return {}
