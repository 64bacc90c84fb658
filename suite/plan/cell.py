"""What a number is called, and what it rests on. These fields are spelled here, nowhere else."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from suite.plan.digest import hashed


@dataclass(frozen=True)
class Data:
    """Rows to be loaded: a name of `datasets.sources()`, keywords of `load`, the replicate."""

    source: str
    options: Mapping[str, Any]
    replicate: int


@dataclass(frozen=True)
class Cell:
    """One number to be computed: a method on a replicate of data, in a column of the tables."""

    column: str  # "scenario4-printed": also the folder of its records
    method: str
    data: Data
    seed: int  # of training; the seed of the data is the replicate alone
    quick: bool = False


@dataclass(frozen=True)
class Basis:
    """What a cell's number rests on: code, data files and libraries."""

    method: str  # digest of the method's code
    data: str  # digest of the code that loads its data
    cell: str  # digest of what a cell does beside these, the measures among it
    content: str | None  # of the files that are read; "" for drawn rows, None where not known
    libraries: Mapping[str, str]  # versions of what the three import
    upstream: str | None = None  # key of the cell that it starts from

    @property
    def code(self) -> tuple[str, str, str]:
        """The three digests of code."""
        return self.method, self.data, self.cell


@dataclass(frozen=True)
class OwnFile:
    """A user's own Python file with its text, and those of the neighbours that it imports."""

    path: str
    texts: Mapping[str, str]  # by name, of the file itself and of its neighbours

    def matches(self) -> bool:
        """Whether the files are here, unchanged since the plan was made."""
        folder = Path(self.path).parent
        return all(_is(folder / name, text) for name, text in self.texts.items())


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes().decode("latin-1") == text


@dataclass(frozen=True)
class MethodCode:
    """A method as the plan knows it: without running a line of a user's own file here."""

    name: str
    upstream: str | None = None
    paper_row: str | None = None
    missing: tuple[str, ...] = ()  # libraries to install first
    reads_truth: bool = False  # the oracle
    module: str = ""  # of an experiment's own methods; "": a method of `baselines`
    file: OwnFile | None = None  # None: a method of the project


@dataclass(frozen=True)
class Planned:
    """A cell, its basis, and where a worker finds its code."""

    cell: Cell
    basis: Basis
    code: MethodCode
    imports: tuple[str, ...] = ()  # modules of libraries that its process will need
    own_data: OwnFile | None = None
    upstream: "Planned | None" = None

    @cached_property
    def key(self) -> str:
        """What tells one number from another."""
        return key_of(self.cell, self.basis)

    @property
    def method(self) -> str:
        return self.cell.method

    @property
    def replicate(self) -> int:
        return self.cell.data.replicate

    def message(self) -> dict[str, Any]:
        """What another process needs of it, as JSON holds it."""
        return {
            "cell": asdict(self.cell),
            "code": asdict(self.code),
            "own_data": None if self.own_data is None else asdict(self.own_data),
            "imports": list(self.imports),
            "basis": asdict(self.basis),
        }

    @classmethod
    def of_message(cls, message: Mapping[str, Any]) -> Self:
        """The planned cell of a `message`, without its upstream."""
        cell, code, own_data = message["cell"], message["code"], message["own_data"]
        return cls(
            cell=Cell(**{**cell, "data": Data(**cell["data"])}),
            basis=Basis(**message["basis"]),
            code=MethodCode(
                **{
                    **code,
                    "missing": tuple(code["missing"]),
                    "file": None if code["file"] is None else OwnFile(**code["file"]),
                }
            ),
            imports=tuple(message["imports"]),
            own_data=None if own_data is None else OwnFile(**own_data),
        )


def key_of(cell: Cell, basis: Basis) -> str:
    """The key of a cell on a basis."""
    return hashed({"cell": asdict(cell), "basis": asdict(basis)})
