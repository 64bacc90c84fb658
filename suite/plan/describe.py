"""What a user's own Python file holds, found out in a process that may hang, exit or crash.

`described` starts this module as a program, which writes JSON into a file that it is given: what
the user's own file prints is not read.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from suite.names import UserError, check_new
from suite.plan.cell import OwnFile
from suite.plan.digest import ROOT, Code
from suite.words import printable

SECONDS = 60.0
_PRINTED = 1 << 24  # bytes at most
_KINDS = {"methods": "method", "sources": "data set"}


def own_file(path: Path) -> OwnFile:
    """A user's file with its text and those of the neighbours that it imports."""
    path = Path(path).resolve()
    if not path.is_file():
        raise UserError(f"no file at {path}; give the path of a Python file")
    try:
        closure = Code().closure(path)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is no Python file: {error}") from None
    here = {file for file in closure if file.is_relative_to(path.parent)}
    own = [file for file in here if file == path or not _of_project(file)]
    # As bytes are: a file in any encoding comes back as it was.
    texts = {str(f.relative_to(path.parent)): f.read_bytes().decode("latin-1") for f in own}
    return OwnFile(str(path), texts)


def _of_project(file: Path) -> bool:
    return file.is_relative_to(ROOT) and Code().module_file(".".join(_parts(file))) == file


def _parts(file: Path) -> tuple[str, ...]:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def described(path: Path, kind: str) -> list[dict[str, Any]]:
    """What `path` holds: its methods (`kind` "methods") or its data sets ("sources")."""
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-P", "-m", "suite.plan.describe", kind, str(path)]
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        try:
            done = subprocess.run(
                [*command, str(answer.fileno())],
                pass_fds=[answer.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                timeout=SECONDS,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UserError(
                f"{path} did not finish loading within {SECONDS:g} s; "
                "a method file defines classes and computes nothing by itself"
            ) from None
        answer.seek(0)
        text, words = answer.read(), _end(errors).splitlines()[-3:]
    try:
        found = json.loads(text)
    except ValueError:
        raise UserError(
            f"{path} ended its process with exit code {done.returncode} while it was loaded; "
            f"it must define classes and nothing else\n{os.linesep.join(words)}".strip()
        ) from None
    if isinstance(found, str):
        raise UserError(printable(found))
    for item in found:
        check_new(item["name"], f"{path} calls a {_KINDS[kind]}")
    return found


def _end(file: IO[bytes]) -> str:
    """The end of what a process printed."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - _PRINTED))
    return printable(file.read().decode(errors="replace")).strip()


def _methods(path: str) -> list[dict[str, Any]]:
    import baselines

    return [
        {
            "name": cls.name,
            "upstream": cls.upstream,
            "paper_row": cls.paper_row,
            "missing": list(cls.missing()),
        }
        for cls in baselines.load_file(path)
    ]


def _sources(path: str) -> list[dict[str, Any]]:
    import datasets

    return [
        {"name": source.name, "summary": source.summary, "options": dict(source.options)}
        for source in datasets.load_file(path)
    ]


def main(kind: str, path: str, descriptor: str) -> None:
    """Write what the file holds, or the text of the error."""
    # What it prints as errors goes to a disk that others use as well.
    resource.setrlimit(resource.RLIMIT_FSIZE, (_PRINTED, _PRINTED))
    try:
        found: Any = {"methods": _methods, "sources": _sources}[kind](path)
        text = json.dumps(found)
    except Exception as error:
        text = json.dumps(str(error))
    with open(int(descriptor), "w") as answer:
        answer.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
