"""One record a cell: a frozen dataclass, one line of JSON, sealed by a checksum of its fields."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self


class BrokenRecord(ValueError):
    """A line that is no record, or whose checksum does not match its fields."""


@dataclass(frozen=True)
class Score:
    """The three measures of one set of rows, in per cent (rho: -1 to 1)."""

    q: float
    rho: float
    q_adj: float


@dataclass(frozen=True)
class Truth:
    """Measures without outcome noise, on test rows of simulated data."""

    q: float  # from the true uplift, rows in predicted order
    oracle_q: float  # the same, rows in the order of the true uplift
    spearman: float  # rank correlation of predicted and true uplift
    pehe: float  # root mean squared error of the uplift


@dataclass(frozen=True)
class Record:
    """Everything known about one cell: (experiment, method, replicate)."""

    # What was run.
    key: str
    experiment: str
    method: str
    replicate: int
    source: str
    options: dict[str, Any]
    quick: bool
    seed: int
    digest: str  # of the code that decides the number
    # What came out.
    status: str  # "ok" or "failed"
    error: str | None = None
    train: Score | None = None
    valid: Score | None = None
    test: Score | None = None
    truth: Truth | None = None
    m_hat: int | None = None
    m: int | None = None
    updates: int | None = None  # the training budget of a network
    settings: dict[str, Any] = field(default_factory=dict)
    candidates: int | None = None
    bins: list[dict[str, Any]] = field(default_factory=list)
    curve: dict[str, list[float]] = field(default_factory=dict)
    sensitivity: dict[str, dict[str, Score]] = field(default_factory=dict)  # convention -> J
    rows: dict[str, int] = field(default_factory=dict)
    p: int | None = None
    note: str = ""
    warnings: list[str] = field(default_factory=list)
    # What it cost, and where.
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: float | None = None  # unlike seconds, not stretched on a busy machine
    peak_memory_mb: float | None = None
    commit: str | None = None
    dirty: bool | None = None
    versions: dict[str, str] = field(default_factory=dict)
    cpu: str | None = None
    finished: str | None = None
    attested: dict[str, Any] | None = None  # later code that was seen to give the same numbers

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    def line(self) -> str:
        """The record as one line of JSON, checksum last."""
        body = asdict(self)
        return _dump({**body, "checksum": _checksum(body)}) + "\n"

    @classmethod
    def parse(cls, line: str) -> Self:
        """The record of one line, or `BrokenRecord` with the reason."""
        try:
            body = json.loads(line)
            claimed = body.pop("checksum")
        except (ValueError, TypeError, AttributeError, KeyError):
            raise BrokenRecord("not a complete record") from None
        actual = _checksum(body)
        name = "/".join(str(body.get(part)) for part in ("experiment", "method", "replicate"))
        # A digit beyond a float's precision changes no value: compare the text as well.
        if claimed != actual or _dump({**body, "checksum": claimed}) != line.strip():
            raise BrokenRecord(f"{name}: the checksum is {claimed}, the fields give {actual}")
        unknown = set(body) - {item.name for item in fields(cls)}
        if unknown:
            raise BrokenRecord(f"{name}: unknown fields {', '.join(sorted(unknown))}")
        return _with_types(cls(**body))

    def numbers(self) -> dict[str, Any]:
        """What must be the same wherever and however often the cell is computed."""
        names = ("status", "train", "valid", "test", "truth", "m_hat", "settings", "candidates")
        return {name: asdict(self)[name] for name in (*names, "bins", "curve", "sensitivity")}


def _with_types(record: Record) -> Record:
    def score(value: dict[str, float] | None) -> Score | None:
        return None if value is None else Score(**value)

    return replace(
        record,
        train=score(record.train),
        valid=score(record.valid),
        test=score(record.test),
        truth=None if record.truth is None else Truth(**record.truth),
        sensitivity={
            convention: {bins: score(value) for bins, value in by_bins.items()}
            for convention, by_bins in record.sensitivity.items()
        },
    )


def _dump(body: dict[str, Any]) -> str:
    # allow_nan=False: a record holds numbers or null, never NaN that other readers reject.
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def _checksum(body: dict[str, Any]) -> str:
    canonical = json.dumps(body, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
