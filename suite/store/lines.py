"""Side experiments as lines of JSON: one for each unit, as it ends."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suite.names import UserError
from suite.store.disk import append_line, explained


def read(path: Path) -> list[dict[str, Any]]:
    """Every unit; a last line torn by a power cut is left out, any other is an error."""
    if not path.is_file():
        return []
    *lines, _ = path.read_bytes().decode(errors="replace").split("\n")
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            record["key"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UserError(
                f"{path}, line {number} is no record; take the line out, and its unit is run again"
            ) from None
        found.append(record)
    return found


def append(path: Path, record: Mapping[str, Any]) -> None:
    """One more unit, on a line of its own whatever was torn before it."""
    line = json.dumps(record, allow_nan=False).encode() + b"\n"
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.is_file() else b""
        if not content.endswith(b"\n") and content:
            os.truncate(path, content.rfind(b"\n") + 1)
        append_line(path, line)
