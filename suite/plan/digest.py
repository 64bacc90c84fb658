"""Digests of the code that decides a number: a file, and what it imports of this project.

The closure is found by reading, not by importing: `import`, `from ... import` and the lazy names
of a package (`_HOME` in its `__init__`). Comments, docstrings, layout and the texts of errors do
not count, so that only a change that can move a number makes a record stale.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("twin", "baselines", "datasets", "suite")
# Libraries that read files, measure or show: no arithmetic of theirs is in a number.
_NO_ARITHMETIC = {
    *("pandas", "pyarrow", "rdata", "filelock", "rich", "psutil", "threadpoolctl"),
    "llvmlite",  # it comes with numba
}

_DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # where a library's name is not its module's


class Code:
    """The project's code as it lies under `root`: this checkout, or the tree of a commit."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root.resolve()

    def digest(self, path: str | Path) -> str:
        """The digest of `path` (from `root`) and of every file of its closure."""
        joined = hashlib.sha256()
        for file in sorted(self.closure(path), key=self._label):
            joined.update(f"{self._label(file)} {_file_digest(file, _stamp(file))}\n".encode())
        return joined.hexdigest()[:16]

    def closure(self, path: str | Path) -> set[Path]:
        """`path` and every file of the project, or beside a user's own file, that it imports."""
        waiting, found = [(self.root / path).resolve()], set()
        while waiting:
            file = waiting.pop()
            if file not in found:
                found.add(file)
                waiting.extend(filter(None, (self._file(m, file) for m in self._modules(file))))
        return found

    def foreign_modules(self, path: str | Path) -> set[str]:
        """The modules of libraries that the closure of `path` imports, wherever it does so."""
        return {
            module
            for file in self.closure(path)
            for module in self._modules(file)
            if module.partition(".")[0] not in (*PACKAGES, *sys.stdlib_module_names)
            and self._file(module, file) is None
        }

    def libraries(self, *paths: str | Path) -> dict[str, str]:
        """Versions of the libraries whose arithmetic can be in a number, Python's among them."""
        tops = {name.partition(".")[0] for path in paths for name in self.foreign_modules(path)}
        names = {"numpy", "scipy"} | {_DISTRIBUTIONS.get(top, top) for top in tops}
        found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
        return found | {name: _version(name) for name in sorted(names - _NO_ARITHMETIC)}

    def module_file(self, module: str) -> Path | None:
        """The file of a dotted module name of the project, None for anything else."""
        if module.split(".")[0] not in PACKAGES:
            return None
        return _file_of(self.root.joinpath(*module.split(".")))

    def _inside(self, file: Path) -> bool:
        return file.is_relative_to(self.root) and file.relative_to(self.root).parts[0] in PACKAGES

    def _label(self, file: Path) -> str:
        # A user's own file counts by its content, wherever it lies.
        own = self._inside(file)
        return file.relative_to(self.root).as_posix() if own else f"user's {file.name}"

    def _file(self, module: str, importer: Path) -> Path | None:
        """The file that an import means; a user's own file may import its neighbours."""
        found = self.module_file(module)
        if found is None and not self._inside(importer):
            found = _file_of(importer.parent.joinpath(*module.split(".")))
        return found

    def _modules(self, file: Path) -> Iterator[str]:
        """The dotted names that `file` imports, a lazy name as the module where it lives."""
        package = file.parent.relative_to(self.root).parts if self._inside(file) else ()
        for module, level, name in _imports(file, _stamp(file)):
            base = ".".join(package[: len(package) - level + 1]) if level else ""
            module = ".".join(filter(None, (base, module)))
            lazy = self._lazy_names(module)
            if name is None or name == "*":
                yield module
                yield from lazy.values()
            elif self._file(f"{module}.{name}", file):
                yield f"{module}.{name}"
            else:
                yield lazy.get(name, module)

    def _lazy_names(self, module: str) -> dict[str, str]:
        """`_HOME` of a package that imports its names on first use: name -> module."""
        file = self.module_file(module)
        return {} if file is None else _home(file, _stamp(file))


def hashed(value: Any) -> str:
    """A short digest of anything that JSON can hold, the same in every process."""
    text = json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def canonical(node: Any) -> Any:
    """A syntax tree as plain tuples that no version of Python prints otherwise.

    `ast.dump` shows fields that newer versions add or leave out; here what is empty is left out.
    What a `raise` says moves no number: texts of errors may be mended. Its condition counts.
    """
    if isinstance(node, ast.Raise):
        return ("Raise",)
    if isinstance(node, ast.AST):
        fields = ((name, canonical(value)) for name, value in ast.iter_fields(node))
        kept = ((name, value) for name, value in fields if value not in (None, [], ()))
        return (type(node).__name__, *kept)
    return [canonical(item) for item in node] if isinstance(node, list) else node


def _file_of(base: Path) -> Path | None:
    for file in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None


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
    return hashlib.sha256(repr(canonical(tree)).encode()).hexdigest()


@cache
def _imports(file: Path, stamp: tuple[int, int]) -> tuple[tuple[str, int, str | None], ...]:
    """(module, level, name) of every import statement, wherever it stands in the file."""
    found = []
    for node in _run_nodes(ast.parse(file.read_bytes(), filename=str(file))):
        if isinstance(node, ast.Import):
            found += [(alias.name, 0, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", node.level, alias.name) for alias in node.names]
    return tuple(found)


def _run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those under `if TYPE_CHECKING:`, which never runs."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


@cache
def _home(file: Path, stamp: tuple[int, int]) -> dict[str, str]:
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME":
            return ast.literal_eval(node.value)
    return {}


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
