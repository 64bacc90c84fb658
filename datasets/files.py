"""Where data files live, and whether a file is the one that was published.

A file is looked for in the directory named by the environment variable UPLIFT_DATA, then in the
user's cache directory; in each, in the data set's own folder and at the top.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "UPLIFT_DATA"
CHUNK = 1 << 20


@dataclass(frozen=True)
class DataFile:
    """A published file: its name, the folder it belongs in, its checksums and its sources.

    Several checksums stand for equivalent files, such as the two line endings of a csv; none
    means that the content itself must be checked. `urls` are tried in turn.
    """

    name: str
    folder: str
    sha256: tuple[str, ...] = ()
    size: int | None = None
    urls: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()


class DataFileError(ValueError):
    """A data file is missing, damaged or not what it should be; the message says what to do."""


def given_directory() -> Path | None:
    """The directory named by UPLIFT_DATA, None without one."""
    value = os.environ.get(VARIABLE)
    return Path(value).expanduser() if value else None


def cache_directory() -> Path:
    """Where downloads and prepared data go: UPLIFT_DATA if it can be written to, else the cache."""
    given = given_directory()
    if given is not None and _writable(given):
        return given
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "twin-uplift-suite"


def find(file: DataFile) -> Path | None:
    """The first place that holds `file` by name, unchecked."""
    given = given_directory()
    if given is not None and not given.is_dir():
        raise DataFileError(
            f"{VARIABLE} is {given}, which is not a directory; create it, or unset {VARIABLE} "
            "to use the cache directory"
        )
    for root in dict.fromkeys((given or cache_directory(), cache_directory())):
        for place in (root / file.folder, root):
            for name in (file.name, *file.other_names):
                if (place / name).is_file():
                    return place / name
    return None


def find_checked(file: DataFile) -> Path | None:
    """`find`, and the checksum compared; a wrong one is refused."""
    path = find(file)
    if path is not None and file.sha256:
        found = sha256_of(path)
        if found not in file.sha256:
            raise DataFileError(
                f"{path} is damaged or another file: its sha256 is {found}, expected "
                f"{' or '.join(file.sha256)}; delete it and fetch it again"
            )
    return path


def sha256_of(path: Path, advance: Callable[[int], None] | None = None) -> str:
    """The checksum of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
            if advance:
                advance(len(piece))
    return digest.hexdigest()


def how_to_get(name: str, files: tuple[DataFile, ...], arguments: str = "") -> str:
    """What to do about missing files, with and without a network; `arguments` are of `fetch`."""
    folder = cache_directory() / files[0].folder
    lines = [
        f"{name} needs {' and '.join(file.name for file in files)}, not found here.",
        f"With a network:    python -m datasets fetch {name}{arguments}",
        f"Without a network: put into {folder}",
        f"                   (or into a directory of your own, named by {VARIABLE} or --data-dir)",
    ]
    for file in files:
        lines.append(f"  {file.name}  sha256 {' or '.join(file.sha256)}")
        lines.extend(f"    from {url}" for url in file.urls)
    return "\n".join(lines)


@contextmanager
def progress_bar(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; silent where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)


def _writable(directory: Path) -> bool:
    # The permission bits too: a directory that nobody may write to is meant to stay as it is,
    # even where the superuser could.
    return (
        directory.is_dir()
        and os.access(directory, os.W_OK)
        and bool(directory.stat().st_mode & 0o222)
    )
