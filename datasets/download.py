"""Downloads that survive bad networks: mirrors in turn, resumed, verified before they count."""

import hashlib
import os
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from filelock import FileLock

from datasets.files import CHUNK, DataFile, DataFileError, progress_bar, sha256_of

TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 4  # per mirror, each continuing where the one before was cut
SLOWEST = 10_000  # bytes per second over a whole attempt, after the first GRACE seconds
GRACE = 60.0
PAUSE = 1.0  # seconds before the second attempt, doubled for each one after


class _MirrorFailed(Exception):
    """This mirror gave nothing usable; the next one may."""


def download(file: DataFile, folder: Path, *, pause: float = PAUSE) -> Path:
    """Download `file` into `folder`; it appears under its name only once its checksum is right.

    What arrived before a cut stays beside it as `<name>.part` and is continued by the next
    attempt, on the same mirror or another, now or in a later call.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / file.name
    part = folder / f"{file.name}.part"
    # Two processes must not append to one partial file.
    with FileLock(folder / f".{file.name}.lock"):
        for whole in (target, part):
            if whole.is_file() and sha256_of(whole) in file.sha256:
                os.replace(whole, target)
                return target
        failures = []
        for url in file.urls:
            try:
                _from_mirror(url, file, part, pause)
            except _MirrorFailed as failure:
                failures.append(f"  {url}: {failure}")
                continue
            os.replace(part, target)
            return target
    kept = (
        f"{part.stat().st_size:,} bytes are kept; a new attempt continues there. "
        if part.exists()
        else ""
    )
    raise DataFileError(
        f"{file.name} could not be downloaded:\n" + "\n".join(failures) + f"\n{kept}"
        f"Try again later, or put the file into {folder} yourself; "
        f"its sha256 is {' or '.join(file.sha256)}."
    )


def _from_mirror(url: str, file: DataFile, part: Path, pause: float) -> None:
    """Fill `part` from `url` until it is complete and verified."""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        resumed = part.exists() and part.stat().st_size > 0
        last = attempt == ATTEMPTS - 1
        try:
            found = _stream(url, file, part)
        except HTTPError as error:
            if error.code in (408, 425, 429, 500, 502, 503, 504) and not last:
                continue
            if error.code == 416:  # the partial file is longer than the server's: not a part of it
                part.unlink(missing_ok=True)
                if not last:
                    continue
            raise _MirrorFailed(f"HTTP status {error.code} ({error.reason})") from error
        except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
            if isinstance(error, ConnectionError | HTTPException) and not last:
                continue
            raise _MirrorFailed(str(getattr(error, "reason", error))) from error
        if found in file.sha256:
            return
        part.unlink()
        if not resumed:
            raise _MirrorFailed(
                f"wrong content: sha256 {found}, expected {' or '.join(file.sha256)}; refused"
            )
        # The beginning may have come from a bad mirror: this one gets a chance from byte 0.
    raise _MirrorFailed("wrong content after resuming")


def _stream(url: str, file: DataFile, part: Path) -> str:
    """Append what is missing to `part`; the sha256 of the whole."""
    digest = hashlib.sha256()
    done = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"User-Agent": "twin-uplift-suite"})
    if done:
        request.add_header("Range", f"bytes={done}-")
    with urlopen(request, timeout=TIMEOUT) as response:
        # 200 in place of 206: the server does not resume and sends everything again.
        content_range = response.headers.get("Content-Range", "")
        continued = response.status == 206 and content_range.startswith(f"bytes {done}-")
        if continued:
            _digest_file(part, digest.update)
        else:
            done = 0
        length = response.headers.get("Content-Length")
        total = done + int(length) if length else file.size
        limit = file.size or total
        with (
            progress_bar(file.name, total) as advance,
            part.open("ab" if continued else "wb") as out,
        ):
            advance(done)
            started, before = time.monotonic(), done
            # read1 gives what has arrived, so that a slow server is noticed between two pieces.
            while piece := response.read1(CHUNK):
                if limit is not None and done + len(piece) > limit:
                    part.unlink(missing_ok=True)
                    raise _MirrorFailed(f"it sends more than the expected {limit:,} bytes")
                if time.monotonic() - started > GRACE + (done - before) / SLOWEST:
                    raise _MirrorFailed(f"it sends less than {SLOWEST:,} bytes per second")
                digest.update(piece)
                out.write(piece)
                done += len(piece)
                advance(len(piece))
            out.flush()
            os.fsync(out.fileno())
    if total is not None and done < total:
        raise ConnectionError(f"cut after {done:,} of {total:,} bytes")
    return digest.hexdigest()


def _digest_file(path: Path, update: Callable[[bytes], None]) -> None:
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK):
            update(piece)
