"""CRITEO's rows, converted once from the csv: kept as Parquet and as arrays to memory-map.

One pass with bounded memory writes a folder of the cache: `rows.parquet` (all 16 columns, float32
covariates), the raw arrays `X.float32`, `treatment.int8` and `visit.int8` that loads draw from, and
`about.json` with the statistics and the checksums of the arrays. The folder appears under its name
only when it is complete, and is used only while its arrays are those that were written.
"""

import hashlib
import json
import shutil
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from datasets.criteo_csv import FEATURES, GROUP, read_csv, schema
from datasets.files import cache_directory, progress_bar

# The most frequent value of these covariates fills nearly all rows of the real data.
MOST_FREQUENT = {
    "f1": 10.059654474774549,
    "f4": 10.280525225748212,
    "f5": 4.115453421277861,
    "f7": 4.833814577796811,
    "f10": 5.300374864042156,
    "f11": -0.1686792210005612,
}

_BYTES_PER_ROW = {"X.float32": 4 * len(FEATURES), "treatment.int8": 1, "visit.int8": 1}


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
        """What is in the folder `home`, None unless all of it is there and unchanged."""
        try:
            about = json.loads((home / "about.json").read_text())
            found = cls(home, about["sha256"], Statistics(**about["statistics"]))
            checksums = {name: about["checksums"][name] for name in _BYTES_PER_ROW}
            sizes = [(home / name).stat().st_size for name in _BYTES_PER_ROW]
        # Cut by a full disk, or written before checksums were kept.
        except (OSError, ValueError, TypeError, KeyError):
            return None
        if sizes != [found.statistics.rows * count for count in _BYTES_PER_ROW.values()]:
            return None
        for name, checksum in checksums.items():
            damage = _damage(home / name, checksum)
            if damage:
                warnings.warn(f"{home / name} {damage}; this folder is not used", stacklevel=2)
                return None
        return found

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
        starts = np.arange(0, self.statistics.rows, GROUP)
        edges = np.searchsorted(ascending, [*starts, self.statistics.rows])
        for start, low, high in zip(starts, edges[:-1], edges[1:], strict=True):
            if low == high:
                continue
            count = min(GROUP, self.statistics.rows - int(start))
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
            about = {
                "source": path.name,
                "sha256": sha256,
                "statistics": asdict(statistics),
                "checksums": {name: _checksum(unfinished / name) for name in _BYTES_PER_ROW},
            }
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


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damage(path: Path, checksum: str) -> str:
    """What is wrong with the array at `path`, empty if nothing is.

    The values are looked at too: a folder that other hands made may have fitting checksums.
    """
    digest = hashlib.sha256()
    dtype, group = np.dtype(path.suffix[1:]), GROUP * _BYTES_PER_ROW[path.name]
    with path.open("rb") as file:
        while content := file.read(group):
            digest.update(content)
            values = np.frombuffer(content, dtype)
            if dtype == np.int8 and (values & ~1).any():
                return f"holds the label {values[(values & ~1) != 0][0]}, not 0 or 1"
            if dtype == np.float32 and not np.isfinite(values).all():
                return "holds a covariate that is not finite"
    return "" if digest.hexdigest() == checksum else "differs from its checksum in about.json"


def _convert(path: Path, folder: Path) -> Statistics:
    import pyarrow.parquet as pq

    statistics = Statistics()
    with (
        (folder / "X.float32").open("wb") as x_file,
        (folder / "treatment.int8").open("wb") as treatment_file,
        (folder / "visit.int8").open("wb") as visit_file,
        pq.ParquetWriter(folder / "rows.parquet", schema(), compression="zstd") as parquet,
        progress_bar(f"reading {path.name}", path.stat().st_size) as advance,
    ):
        for table, X, labels in read_csv(path, advance):
            X.tofile(x_file)
            labels["treatment"].tofile(treatment_file)
            labels["visit"].tofile(visit_file)
            parquet.write_table(table, row_group_size=GROUP)
            statistics.add(X, labels)
    return statistics
