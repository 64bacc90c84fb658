"""CRITEO's csv, read once: checked row by row, kept as Parquet and as arrays to memory-map.

One pass with bounded memory writes a folder of the cache: `rows.parquet` (all 16 columns, float32
covariates), the raw arrays `X.float32`, `treatment.int8` and `visit.int8` that loads draw from, and
`about.json` with the statistics. The folder appears under its name only when it is complete.
"""

import gzip
import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from datasets.files import DataFileError, cache_directory, progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

FEATURES = tuple(f"f{j}" for j in range(12))
LABELS = ("treatment", "conversion", "visit", "exposure")
COLUMNS = (*FEATURES, *LABELS)

# The most frequent value of these covariates fills nearly all rows of the real data.
MOST_FREQUENT = {
    "f1": 10.059654474774549,
    "f4": 10.280525225748212,
    "f5": 4.115453421277861,
    "f7": 4.833814577796811,
    "f10": 5.300374864042156,
    "f11": -0.1686792210005612,
}

_BLOCK = 1 << 20  # bytes of csv parsed at once; several blocks are read ahead
_BYTES_A_ROW = {"X.float32": 4 * len(FEATURES), "treatment.int8": 1, "visit.int8": 1}
_GROUP = 1 << 18  # rows of a Parquet row group, and of a memory-mapped piece


@dataclass
class Statistics:
    """Counts and sums over all rows, to be compared with the published ones."""

    rows: int = 0
    treated: int = 0
    visits_treated: int = 0
    visits_control: int = 0
    conversions: int = 0
    exposures: int = 0
    feature_sums: list[float] = field(default_factory=lambda: [0.0] * len(FEATURES))
    most_frequent: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MOST_FREQUENT, 0))

    def add(self, X: NDArray[np.float32], labels: dict[str, NDArray[np.int8]]) -> None:
        treated = labels["treatment"] == 1
        self.rows += len(X)
        self.treated += int(treated.sum())
        self.visits_treated += int(labels["visit"][treated].sum())
        self.visits_control += int(labels["visit"][~treated].sum())
        self.conversions += int(labels["conversion"].sum())
        self.exposures += int(labels["exposure"].sum())
        for j, total in enumerate(X.sum(axis=0, dtype=np.float64)):
            self.feature_sums[j] += float(total)
        for name, value in MOST_FREQUENT.items():
            count = np.count_nonzero(X[:, FEATURES.index(name)] == np.float32(value))
            self.most_frequent[name] += int(count)

    @property
    def control(self) -> int:
        return self.rows - self.treated


@dataclass(frozen=True, eq=False)
class Prepared:
    """The arrays of a converted file; the operating system keeps one copy for all processes."""

    home: Path
    sha256: str
    statistics: Statistics

    @classmethod
    def open(cls, home: Path) -> Self | None:
        """What is in the folder `home`, None unless all of it is there."""
        try:
            about = json.loads((home / "about.json").read_text())
            sizes = [(home / name).stat().st_size for name in _BYTES_A_ROW]
        except (OSError, ValueError):
            return None
        found = cls(home, about["sha256"], Statistics(**about["statistics"]))
        whole = sizes == [found.statistics.rows * count for count in _BYTES_A_ROW.values()]
        return found if whole else None

    @property
    def treatment(self) -> NDArray[np.int8]:
        return self._labels("treatment")

    @property
    def visit(self) -> NDArray[np.int8]:
        return self._labels("visit")

    def _labels(self, name: str) -> NDArray[np.int8]:
        return np.memmap(self.home / f"{name}.int8", np.int8, "r")

    def covariates(self, index: NDArray[np.intp]) -> NDArray[np.float32]:
        """The covariates of the rows at `index`, copied once.

        The file is mapped piece by piece from front to back, so that a draw from 14 million rows
        needs little more memory than the rows that it keeps.
        """
        out = np.empty((len(index), len(FEATURES)), np.float32)
        order = np.argsort(index)
        ascending = index[order]
        starts = np.arange(0, self.statistics.rows, _GROUP)
        edges = np.searchsorted(ascending, [*starts, self.statistics.rows])
        for start, low, high in zip(starts, edges[:-1], edges[1:], strict=True):
            if low == high:
                continue
            count = min(_GROUP, self.statistics.rows - int(start))
            piece = np.memmap(
                self.home / "X.float32",
                np.float32,
                "r",
                offset=int(start) * out.itemsize * len(FEATURES),
                shape=(count, len(FEATURES)),
            )
            out[order[low:high]] = piece[ascending[low:high] - start]
        return out


def prepare(path: Path, sha256: str = "") -> Prepared:
    """Convert `path` (csv or csv.gz), or open what an earlier call has converted.

    `sha256` is the file's verified checksum, noted so that the preparation outlives the file.
    """
    state = path.stat()
    home = _preparations() / f"{path.name}-{state.st_size}-{state.st_mtime_ns}"
    home.parent.mkdir(parents=True, exist_ok=True)
    # One process converts, the others wait for it.
    with FileLock(home.with_name(f".{home.name}.lock")):
        prepared = Prepared.open(home)
        if prepared is not None:
            return prepared
        unfinished = home.with_name(f".{home.name}.unfinished")
        for remains in (unfinished, home):  # of a process or a machine that was stopped
            shutil.rmtree(remains, ignore_errors=True)
        unfinished.mkdir()
        try:
            statistics = _convert(path, unfinished)
            about = {"source": path.name, "sha256": sha256, "statistics": asdict(statistics)}
            (unfinished / "about.json").write_text(json.dumps(about, indent=1))
            unfinished.rename(home)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return Prepared(home, sha256, statistics)


def find_prepared(sha256: tuple[str, ...]) -> Prepared | None:
    """A preparation of the file with this checksum, whether or not the file still exists."""
    for home in sorted(_preparations().glob("[!.]*")):
        prepared = Prepared.open(home)
        if prepared is not None and prepared.sha256 in sha256:
            return prepared
    return None


def _preparations() -> Path:
    return cache_directory() / "criteo" / "prepared"


def _convert(path: Path, folder: Path) -> Statistics:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [pa.field(name, pa.float32()) for name in FEATURES]
        + [pa.field(name, pa.int8()) for name in LABELS]
    )
    statistics = Statistics()
    with (
        (folder / "X.float32").open("wb") as x_file,
        (folder / "treatment.int8").open("wb") as treatment_file,
        (folder / "visit.int8").open("wb") as visit_file,
        pq.ParquetWriter(folder / "rows.parquet", schema, compression="zstd") as parquet,
        progress_bar(f"reading {path.name}", path.stat().st_size) as advance,
    ):
        for group in _groups(_batches(path, schema, advance)):
            X, labels = _checked(group, path, statistics.rows)
            X.tofile(x_file)
            labels["treatment"].tofile(treatment_file)
            labels["visit"].tofile(visit_file)
            parquet.write_table(group, row_group_size=_GROUP)
            statistics.add(X, labels)
    if statistics.rows == 0:
        raise DataFileError(f"{path} has a header but no rows; {_REMEDY}")
    return statistics


_REMEDY = "the file is damaged or another one: delete it and get it again"


def _batches(
    path: Path, schema: "pa.Schema", advance: Callable[[int], None]
) -> "Iterator[pa.RecordBatch]":
    """Parsed pieces of the csv; every fault of the file becomes an error that names it."""
    import pyarrow as pa
    from pyarrow import csv

    with _opened(path) as (raw, text):
        try:
            line = text.readline().decode(errors="replace")
            header = [name.strip(' "') for name in line.strip().split(",")]
            _check_header(header, path)
            reader = csv.open_csv(
                text,
                csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=header),
                convert_options=csv.ConvertOptions(
                    column_types={field.name: field.type for field in schema},
                    include_columns=schema.names,
                ),
            )
            seen = 0
            for batch in reader:
                advance(raw.tell() - seen)
                seen = raw.tell()
                yield batch
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataFileError(
                f"{path} is a truncated or damaged gzip ({error}); {_REMEDY}"
            ) from None
        except pa.ArrowInvalid as error:
            raise DataFileError(f"{path} is not valid csv: {error}; {_REMEDY}") from None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file as it is on disk (for the progress bar), and its text."""
    with path.open("rb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw) as text:
                yield raw, text  # type: ignore[misc]
        else:
            yield raw, raw


def _check_header(header: list[str], path: Path) -> None:
    missing = [name for name in COLUMNS if name not in header]
    unknown = [name for name in header if name not in COLUMNS]
    if missing or unknown or len(header) != len(COLUMNS):
        found = f"lacks {', '.join(missing)}" if missing else "has columns that do not belong"
        other = f" and has {', '.join(name[:20] for name in unknown[:16])}" if unknown else ""
        raise DataFileError(
            f"the header of {path} {found}{other}; it must be {','.join(COLUMNS)}; {_REMEDY}"
        )


def _groups(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.Table]":
    """Batches joined into tables of about one row group."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= _GROUP:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _checked(
    table: "pa.Table", path: Path, rows_before: int
) -> tuple[NDArray[np.float32], dict[str, NDArray[np.int8]]]:
    """Covariates and labels as arrays; a value that is missing or impossible is an error."""

    def fail(name: str, row: int, what: str) -> None:
        line = rows_before + row + 2  # counted from 1, after the header
        raise DataFileError(f"{path}, line {line}: {name} is {what}; {_REMEDY}")

    for name in COLUMNS:
        column = table[name]
        if column.null_count:
            fail(name, int(np.argmax(column.is_null().to_numpy())), "missing (empty or NaN)")
    X = np.empty((len(table), len(FEATURES)), np.float32)
    for j, name in enumerate(FEATURES):
        X[:, j] = table[name].to_numpy()
        if not np.isfinite(X[:, j]).all():
            row = int(np.argmin(np.isfinite(X[:, j])))
            fail(name, row, f"{X[row, j]}, not finite")
    labels = {name: table[name].to_numpy() for name in LABELS}
    for name, values in labels.items():
        wrong = (values != 0) & (values != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            fail(name, row, f"{values[row]}, not 0 or 1")
    return X, labels
