"""Records of the first format, read into the present one without loss.

They were made at commit 1be97de or before, where a digest of code had three parts of twelve
digits. `version1.json` says what each part's file gives as a digest of today's kind; it was
written by reading the tree of that commit. `old_line` gives the old line back, seal and all.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

import datasets
from suite.compute.cell import Result
from suite.compute.outcome import Cost
from suite.plan.cell import Basis, Cell, Data, key_of
from suite.plan.experiments import EXPERIMENTS
from suite.store.record import BrokenRecord, Carried, Origin, Record, checksum
from suite.strict import WrongType, build

_RESULT = (
    *("train", "valid", "test", "truth", "bins", "curve", "sensitivity", "settings"),
    *("candidates", "m", "m_hat", "updates", "rows", "p", "note"),
)
_ORDER = (
    *("key", "experiment", "method", "replicate", "source", "options", "quick", "seed", "digest"),
    *("status", "error", "train", "valid", "test", "truth", "m_hat", "m", "updates", "settings"),
    *("candidates", "bins", "curve", "sensitivity", "rows", "p", "note", "warnings", "seconds"),
    *("cpu_seconds", "peak_memory_mb", "commit", "dirty", "versions", "cpu", "finished"),
    "attested",
)


@cache
def known_digests() -> dict[str, dict[str, Any]]:
    """Old parts of digests -> the digest and the libraries that their file has now."""
    return json.loads(resources.files("suite.store").joinpath("version1.json").read_text())


def carried_over(body: Mapping[str, Any], claimed: str, line: str) -> Record:
    """The record of an old line, its seal checked first."""
    if claimed != checksum(body) or _old_text(body, claimed) != line.strip("\r\n"):
        raise BrokenRecord(f"the checksum is {str(claimed)[:40]!r}; the fields give another")
    try:
        cell = build(Cell, _cell(body))
        result = None
        if body["status"] == "ok":
            result = build(Result, {name: body[name] for name in _RESULT})
        elif body["status"] != "failed":
            raise BrokenRecord(f"status is {str(body['status'])[:20]!r}; it must be ok or failed")
        basis = _basis(body, cell)
        cost = {name: body[name] for name in ("seconds", "cpu_seconds", "peak_memory_mb")}
        return Record(
            key=key_of(cell, basis),
            cell=cell,
            basis=basis,
            result=result,
            error=body["error"],
            cost=build(Cost, cost, "cost"),
            origin=build(Origin, _origin(body, claimed), "origin"),
        )
    except (WrongType, KeyError, TypeError) as error:
        raise BrokenRecord(f"{type(error).__name__}: {error}") from None


def _cell(body: Mapping[str, Any]) -> dict[str, Any]:
    variant = body["options"].get("variant")
    experiment = EXPERIMENTS.get(body["experiment"])
    column = body["experiment"]
    if experiment is not None:
        column = experiment.column(variant if experiment.has_variants else None, body["quick"])
    data = {name: body[name] for name in ("source", "options", "replicate")}
    named = {name: body[name] for name in ("method", "seed", "quick")}
    return {"column": column, "data": data, **named}


def _basis(body: Mapping[str, Any], cell: Cell) -> Basis:
    parts = body["digest"].split("-")
    known = known_digests()
    if len(parts) != 3 or not all(part in known for part in parts):
        raise BrokenRecord(f"the digest {body['digest'][:50]!r} is of code that is not known here")
    names = {"numpy", "scipy"}.union(*(known[part]["libraries"] for part in parts))
    versions = body["versions"]
    major, minor, *_ = versions["python"].split(".")
    libraries = {"python": f"{major}.{minor}"} | {n: versions[n] for n in sorted(names)}
    return Basis(
        *(known[part]["digest"] for part in parts),
        content=_content(cell.data),
        libraries=libraries,
    )


def _content(data: Data) -> str | None:
    """What the old loaders enforced: published checksums; unknown for files without one."""
    source = datasets.sources().get(data.source)
    return None if source is None else _published(source, tuple(sorted(data.options.items())))


@cache
def _published(source: Any, options: tuple[tuple[str, Any], ...]) -> str | None:
    files = getattr(source, "files", lambda **_: ())(**dict(options))
    return None if any(not file.sha256 for file in files) else source.content(**dict(options))


def _origin(body: Mapping[str, Any], claimed: str) -> dict[str, Any]:
    carried = Carried(body["key"], body["digest"], claimed, body["attested"])
    names = ("commit", "dirty", "versions", "cpu", "finished", "warnings")
    return {**{n: body[n] for n in names}, "arithmetic": None, "carried": vars(carried)}


def old_line(record: Record) -> str:
    """The old line of a record that was carried over."""
    body = asdict(record)
    cell, origin, carried = body["cell"], body["origin"], body["origin"]["carried"]
    variant = cell["data"]["options"].get("variant")
    result = body["result"] or dict.fromkeys(_RESULT)
    old_bins = [
        {name: value for name, value in b.items() if not name.endswith("_responses")}
        for b in result["bins"]
    ]
    fields = {
        **{name: result[name] for name in _RESULT},
        "bins": old_bins,
        "curve": {name: list(values) for name, values in result["curve"].items()},
        **{name: carried[name] for name in ("key", "digest", "attested")},
        "experiment": cell["column"].removesuffix("-quick").removesuffix(f"-{variant}"),
        **{name: cell[name] for name in ("method", "quick", "seed")},
        **cell["data"],
        "status": "ok" if record.ok else "failed",
        "error": record.error,
        **body["cost"],
        **{name: origin[name] for name in ("commit", "dirty", "versions", "cpu", "finished")},
        "warnings": list(origin["warnings"]),
    }
    ordered = {name: fields[name] for name in _ORDER}
    return _old_text(ordered, carried["checksum"]) + "\n"


def _old_text(body: Mapping[str, Any], claimed: str) -> str:
    whole = {**body, "checksum": claimed}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
