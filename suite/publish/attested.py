"""Changes of code that were seen to change no number, kept beside the records.

Records are never rewritten. Where code changes, one cell of each method is computed again; if it
gives every number of its record, a line here says that the two states of the code are equal, and
with it every record of the old state is good for the new one.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from suite.plan.digest import ROOT
from suite.store.record import checksum
from suite.strict import WrongType, build

FILE = ROOT / "results" / "attested.jsonl"

Code = tuple[str, str, str]  # digests of method, data and cell


class BrokenAttestation(ValueError):
    """A line of the file that cannot be trusted."""


@dataclass(frozen=True)
class Attestation:
    """Code `old` and `new` gave the same numbers for one cell."""

    method: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    column: str  # the cell that showed it
    replicate: int
    key: str  # of its record
    commit: str  # that holds the new code
    arithmetic: str

    def line(self) -> str:
        """As one sealed line of JSON."""
        body = json.loads(json.dumps(asdict(self)))
        return json.dumps({**body, "checksum": checksum(body)}) + "\n"


class Attested:
    """Which states of the code are known to be equal."""

    def __init__(self, attestations: Iterable[Attestation] = ()) -> None:
        self._later: dict[tuple[str, Code], set[Code]] = {}
        for item in attestations:
            self.add(item)

    def add(self, item: Attestation) -> None:
        """One more pair of equal states."""
        self._later.setdefault((item.method, tuple(item.old)), set()).add(tuple(item.new))

    def equal(self, method: str, old: Code, new: Code) -> bool:
        """Whether a chain of a method's attestations leads from one state of the code to the other.

        Methods of one file share its code, but each has its own way through it.
        """
        seen, waiting = {old}, [old]
        while waiting:
            state = waiting.pop()
            if state == new:
                return True
            later = self._later.get((method, state), set()) - seen
            seen |= later
            waiting.extend(later)
        return False


def read(path: Path = FILE) -> list[Attestation]:
    """Every attestation; a line that is none is an error that names it."""
    found = []
    lines = path.read_text().splitlines() if path.is_file() else []
    for number, line in enumerate(lines, start=1):
        try:
            body = json.loads(line)
            if body.pop("checksum") != checksum(body):
                raise ValueError("the checksum does not match")
            found.append(build(Attestation, body))
        except (WrongType, ValueError, KeyError, AttributeError, TypeError) as error:
            raise BrokenAttestation(f"{path}, line {number}: {error}") from None
    return found


def add(attestation: Attestation, path: Path = FILE) -> None:
    """Keep one more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(attestation.line())
