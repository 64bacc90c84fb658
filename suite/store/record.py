"""One sealed record for each cell: what was run, what it rests on, what came out, what it took."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from suite.compute.cell import Result
from suite.compute.measures import Score, Truth
from suite.compute.outcome import Cost
from suite.compute.readings import Reading
from suite.plan.cell import Basis, Cell, key_of
from suite.strict import WrongType, build

FORMAT = 2


class BrokenRecord(ValueError):
    """A line that is no record, or whose parts contradict each other."""


@dataclass(frozen=True)
class Carried:
    """A record of the first format: what its line held that this format does not."""

    key: str
    digest: str
    checksum: str
    attested: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Origin:
    """Where a record comes from."""

    commit: str | None
    dirty: bool | None  # whether code differed from the commit
    versions: Mapping[str, str]
    cpu: str | None
    arithmetic: str | None  # what decided how numbers were rounded; None where not noted
    finished: str
    warnings: tuple[str, ...] = ()
    carried: Carried | None = None


@dataclass(frozen=True)
class Record:
    """Everything known about one cell."""

    key: str
    cell: Cell
    basis: Basis
    result: Result | None  # None: it failed
    error: str | None
    cost: Cost
    origin: Origin
    readings: Mapping[str, Reading] = field(default_factory=dict)  # of a probe

    @property
    def ok(self) -> bool:
        return self.result is not None

    @property
    def method(self) -> str:
        return self.cell.method

    @property
    def replicate(self) -> int:
        return self.cell.data.replicate

    @property
    def test(self) -> Score:
        return self.result.test

    @property
    def truth(self) -> Truth | None:
        return self.result.truth

    def numbers(self) -> tuple[Result, Mapping[str, Reading]]:
        """What must be the same when the cell is computed again."""
        return self.result.numbers(), self.readings

    def line(self) -> str:
        """The record as one line of JSON, whatever its texts are; the seal comes last."""
        body = {"format": FORMAT, **asdict(self)}
        if not self.readings:
            del body["readings"]  # lines were written before there were any
        return _dump({**body, "checksum": checksum(body)}) + "\n"

    @classmethod
    def parse(cls, line: str) -> Self:
        """The record of one line, or `BrokenRecord` with the reason."""
        try:
            return cls._parse(line)
        except BrokenRecord:
            raise
        except Exception as error:  # a line may hold anything
            raise BrokenRecord(f"not a record: {type(error).__name__}: {error!s:.100}") from None

    @classmethod
    def _parse(cls, line: str) -> Self:
        try:
            body = json.loads(line, parse_constant=_refuse)
            claimed = body.pop("checksum")
            form = body.pop("format", 1)
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            raise BrokenRecord("not a complete record") from None
        if form == 1:
            from suite.store.version1 import carried_over

            return carried_over(body, claimed, line)
        if form != FORMAT:
            raise BrokenRecord(f"format {form!s:.20}; this version reads up to {FORMAT}")
        sealed = {"format": FORMAT, **body}
        actual = checksum(sealed)
        # A digit beyond a float's precision changes no value: compare the text as well.
        if claimed != actual or _dump({**sealed, "checksum": claimed}) != line.strip("\r\n"):
            raise BrokenRecord(f"the checksum is {str(claimed)[:40]!r}, the fields give {actual}")
        try:
            record = build(cls, body)
        except WrongType as error:
            raise BrokenRecord(str(error)) from None
        if record.key != key_of(record.cell, record.basis):
            raise BrokenRecord("the key is not that of its cell and basis")
        if (record.result is None) == (record.error is None) or record.error == "":
            raise BrokenRecord("it must have a result or an error that says something, not both")
        return record


def checksum(body: Mapping[str, Any]) -> str:
    """The seal of a record's fields."""
    canonical = json.dumps(body, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _dump(body: Mapping[str, Any]) -> str:
    # ASCII: a line has no character that some reader takes for its end, or cannot encode.
    return json.dumps(body, allow_nan=False, separators=(", ", ": "))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
