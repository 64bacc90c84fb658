"""What kind of file it is: parquet or text, its encoding, separator and decimal sign."""

import codecs
import csv
import difflib
import hashlib
import io
import re
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from suite.campaign.errors import UserError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
DECIMALS = {"point": ".", "comma": ","}
HEAD = 1 << 20  # bytes looked at to guess separator and decimal sign
_CHUNK = 1 << 22
_OF_ZIP = (zipfile.BadZipFile, RuntimeError, NotImplementedError)  # damaged, a password, unknown
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_POINT = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)\.\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")  # 2,189: says nothing of the decimal sign


@dataclass(frozen=True)
class Shape:
    """How to read a file. `separator` None: parquet (or a folder of parquet files)."""

    path: Path
    sha256: str
    separator: str | None = None
    encoding: str = "utf8"
    decimal: str = "."
    member: str | None = None  # of a zip

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.name

    def open(self) -> pa.NativeFile:
        """The bytes of the table, uncompressed."""
        if self.member is not None:
            return pa.PythonFile(zipfile.ZipFile(self.path).open(self.member), mode="r")
        if _first_bytes(self.path)[:2] == b"\x1f\x8b":
            return pa.input_stream(str(self.path), compression="gzip")
        return pa.input_stream(str(self.path), compression=None)


def sniff(path: str | Path) -> Shape:
    """How `path` is to be read; a UserError if it is not there or no table."""
    path = Path(path)
    if path.is_dir() and any(path.rglob("*.parquet")):
        return Shape(path, _sha256_of_folder(path))
    if not path.is_file():
        raise UserError(_no_file(path))
    start = _first_bytes(path)
    if not start:
        raise UserError(f"{path.name} has no rows")
    if start[:4] == b"PAR1":
        with path.open("rb") as file:
            return Shape(path, hashlib.file_digest(file, "sha256").hexdigest())
    member = _only_member(path) if start[:2] == b"PK" else None
    if start[:2] == b"PK" and member is None:
        raise UserError(_no_table(path, start))
    bare = Shape(path, "", member=member)
    try:
        encoding = _encoding(bare)
        head = _head(bare, encoding)
    except (OSError, EOFError, pa.ArrowException, *_OF_ZIP) as error:
        text = f"{path.name} cannot be unpacked ({error}); unpack it yourself, or pack it again"
        raise UserError(text) from None
    if "\0" in head:
        raise UserError(_no_table(path, start))
    separator, decimal = _separator(head)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Shape(path, digest, separator, encoding, decimal, member)


def decimal_sign(said: str) -> str:
    """What `--decimal` says."""
    if said not in DECIMALS:
        raise UserError(f"--decimal {said}: say {' or '.join(DECIMALS)}")
    return DECIMALS[said]


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)


def _no_file(path: Path) -> str:
    folder = path.parent
    names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1)
    hint = f"; did you mean {folder / near[0]}?" if near else ""
    return f"no file at {path}{hint}"


def _no_table(path: Path, start: bytes) -> str:
    shown = "".join(chr(b) if 32 < b < 127 else "" for b in start) or start[:4].hex(" ")
    return f"{path.name} is not a csv or parquet file (it begins with {shown}); unpack or export it"


def _only_member(path: Path) -> str | None:
    """The csv of a zip that holds nothing else."""
    try:
        with zipfile.ZipFile(path) as file:
            names = [n for n in file.namelist() if not n.endswith("/") and "__MACOSX" not in n]
    except zipfile.BadZipFile:
        return None
    text = [n for n in names if n.lower().endswith((".csv", ".tsv", ".txt"))]
    return text[0] if len(names) == len(text) == 1 else None


def _encoding(shape: Shape) -> str:
    """UTF-8 (with or without mark), UTF-16 with mark, or cp1252 where the bytes are no UTF-8."""
    with shape.open() as file:
        marked = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    for encoding in ("utf-16",) if marked else ("utf8", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with shape.open() as file:
                while chunk := file.read(_CHUNK):
                    decoder.decode(chunk)
        except UnicodeDecodeError:
            continue
        return encoding
    raise UserError(
        f"{shape.name} is neither UTF-8 nor cp1252; "
        "save it again, in Excel as 'CSV UTF-8 (comma delimited)'"
    )


def _head(shape: Shape, encoding: str) -> str:
    """The first megabyte as text, cut after its last whole line."""
    with shape.open() as file:
        raw = file.read(HEAD)
    codec = {"utf8": "utf-8-sig"}.get(encoding, encoding)
    text = codecs.getincrementaldecoder(codec)("replace").decode(raw)
    return text[: text.rfind("\n") + 1] if len(raw) == HEAD else text


def _separator(head: str) -> tuple[str, str]:
    """The sign that cuts most lines into as many cells as the header, and the decimal sign."""
    best: tuple[float, int] = (0.0, 1)
    chosen, rows = ",", []
    for sign in SEPARATORS:
        try:
            lines = [row for row in csv.reader(io.StringIO(head), delimiter=sign) if row][:2000]
        except csv.Error:
            continue
        width = len(lines[0]) if lines else 0
        if width < 2:
            continue
        # Nearly all lines agree with the header: the more cells the better.
        agree = Counter(map(len, lines))[width] / len(lines)
        if (agree > 0.5, width) > best:
            best, chosen, rows = (agree > 0.5, width), sign, lines
    cells = [cell.strip() for row in rows[1:] for cell in row]
    commas = sum(bool(_COMMA.fullmatch(cell) and not _THOUSANDS.fullmatch(cell)) for cell in cells)
    points = sum(bool(_POINT.fullmatch(cell)) for cell in cells)
    return chosen, "," if commas > points else "."


def _sha256_of_folder(path: Path) -> str:
    digest = hashlib.sha256()
    for part in sorted(path.rglob("*.parquet")):
        digest.update(str(part.relative_to(path)).encode())
        with part.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def open_text(shape: Shape) -> BinaryIO:
    """The file as UTF-8 text lines for the csv module, used to find the line of a mistake."""
    codec = {"utf8": "utf-8-sig"}.get(shape.encoding, shape.encoding)
    return io.TextIOWrapper(shape.open(), encoding=codec, errors="replace", newline="")
