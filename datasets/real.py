"""What the real data sets share: their files, how rows are drawn, balanced and split."""

import os
import warnings
import zlib
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from datasets.contract import Dataset, Source
from datasets.files import (
    DataFile,
    DataFileError,
    cache_directory,
    content_of,
    find,
    find_checked,
    how_to_get,
    sha256_of,
)
from twin import checks
from twin.rows import Rows

if TYPE_CHECKING:
    import pandas as pd

SPLIT = (0.4, 0.3, 0.3)  # training, validation, test


class RealSource(Source):
    """A data set that comes as published files."""

    licence: str
    citation: str

    @abstractmethod
    def files(self, **options: Any) -> tuple[DataFile, ...]:
        """The files that `load` needs with these options."""

    def available(self, **options: Any) -> str | None:
        missing = tuple(file for file in self.files(**options) if find(file) is None)
        return how_to_get(self.name, missing) if missing else None

    def paths(self, **options: Any) -> list[Path]:
        """The checked files, or an error that says where to get them."""
        found = [find_checked(file) for file in self.files(**options)]
        if None in found:
            raise DataFileError(str(self.available(**options)))
        return [path for path in found if path is not None]

    def content(self, **options: Any) -> str | None:
        """The published checksums, which `load` enforces; of other files their own."""
        found = [content_of(file) for file in self.files(**options)]
        return None if None in found else " ".join(found)

    def fetch(self, **options: Any) -> list[Path]:
        """Download what is not here yet; everything is verified."""
        from datasets.download import download

        paths, failures = [], []
        for file in self.files(**options):
            try:
                folder = cache_directory() / file.folder
                paths.append(find_checked(file) or download(file, folder))
            except DataFileError as error:
                failures.append(str(error))
        if failures:
            raise DataFileError("\n".join(failures))
        return paths

    def rng(self, replicate: int) -> np.random.Generator:
        """Random numbers that depend on the data set and the replicate alone."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replicate])


def draw(
    treatment: NDArray[np.int8],
    rng: np.random.Generator,
    *,
    size: int | None = None,
    balance: bool,
) -> NDArray[np.intp]:
    """Indices of `size` rows (None: as many as there are) in random order.

    With `balance` the two arms are equally many: the larger one is under-sampled.
    """
    if not balance:
        index = rng.permutation(len(treatment))
        return index if size is None else index[:size].copy()
    control, treated = np.flatnonzero(treatment == 0), np.flatnonzero(treatment)
    half = min(len(control), len(treated)) if size is None else size // 2
    index = np.concatenate(
        [rng.choice(arm, half, replace=False, shuffle=False) for arm in (control, treated)]
    )
    rng.shuffle(index)
    return index


def draw_groups(groups: NDArray[Any], rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices of all rows: the groups in random order, the rows of each one after the other."""
    distinct, number = np.unique(groups, return_inverse=True)
    return np.argsort(rng.permutation(len(distinct))[number], kind="stable")


class TabularSource(RealSource):
    """A data set small enough to be read whole for each replicate."""

    options: Mapping[str, Any] = MappingProxyType({"balance": False})
    note: str

    @abstractmethod
    def read(self, **options: Any) -> "tuple[pd.DataFrame, pd.Series, *tuple[pd.Series, ...]]":
        """All rows in the file's order: covariates (NaN if missing), outcome, treatment.

        The index of the covariates are the row numbers, from 0 in the order of the files. A fourth
        item, if there is one, is the group of each row: rows of a group stay in one part.
        """

    def load(self, replicate: int = 0, **options: Any) -> Dataset:
        options = {**self.options, **options}
        balance = check_balance(options.get("balance", False))
        X, y, treatment, *groups = self.read(
            **{name: value for name, value in options.items() if name != "balance"}
        )
        treatment = checks.binary_labels(treatment, "treatment")
        propensity = 0.5 if balance else float(treatment.mean())
        if groups and balance:
            raise ValueError(f"{self.name} cannot be balanced: rows of a group stay together")
        if groups:
            index = draw_groups(np.asarray(groups[0]), self.rng(replicate))
            cuts = _cuts(len(index), np.asarray(groups[0])[index])
        else:
            index = draw(treatment, self.rng(replicate), balance=balance)
            cuts = _cuts(len(index))
        values = X.to_numpy(np.float32)[index]
        _impute(values, cuts[0])
        rows = Rows.of(
            values,
            y.to_numpy()[index],
            treatment[index],
            names=tuple(X),
            propensity=propensity,
            row_numbers=X.index.to_numpy()[index],
        )
        return split(self.name, replicate, rows, options=options, note=self.note, cuts=cuts)


def read_rda(path: Path) -> "pd.DataFrame":
    """The one data frame of an R data file."""
    try:
        import rdata
    except ModuleNotFoundError:
        raise DataFileError(
            f"{path.name} is an R data file; reading it needs rdata: "
            "pip install 'twin-uplift-suite[data]'"
        ) from None
    with warnings.catch_warnings():
        # Classes of R's tibbles that rdata has no counterpart for; the columns are unaffected.
        warnings.filterwarnings("ignore", "Missing constructor for R class")
        (frame,) = rdata.read_rda(path).values()
    return frame.reset_index(drop=True)  # R counts rows from 1, or names them


def read_rda_once(path: Path, folder: str) -> "pd.DataFrame":
    """`read_rda` of a large file, from the copy that the first call left in the cache.

    R's texts are read one by one, which takes half a minute for some hundred thousand rows. The
    copy is known by the checksum of the R file, and may be deleted at any time.
    """
    import pandas as pd
    import pyarrow as pa

    home = cache_directory() / folder / "prepared"
    copy = home / f"{path.stem}-{sha256_of(path)[:16]}.parquet"
    try:
        return pd.read_parquet(copy)
    except (OSError, pa.ArrowException):  # none yet, or cut by a full disk
        frame = read_rda(path)
    home.mkdir(parents=True, exist_ok=True)
    unfinished = copy.with_name(f".{copy.name}.{os.getpid()}")
    try:
        frame.to_parquet(unfinished)
        os.replace(unfinished, copy)
    finally:
        unfinished.unlink(missing_ok=True)
    return frame


def check_balance(balance: Any) -> bool:
    """`balance` as a boolean, refused if it is anything else."""
    if not isinstance(balance, bool):
        raise ValueError(f"balance is {balance!r}; it must be True (under-sample to 1:1) or False")
    return balance


def split(
    name: str,
    replicate: int,
    rows: Rows,
    *,
    options: Mapping[str, Any],
    note: str,
    cuts: tuple[int, int] | None = None,
) -> Dataset:
    """Rows in random order as 40 % training, 30 % validation and 30 % test rows, without a copy.

    `cuts` are where the validation and the test rows begin, if not there.
    """
    first, second = cuts or _cuts(len(rows))
    train, valid, test = (
        rows.take(part) for part in (slice(first), slice(first, second), slice(second, None))
    )
    return Dataset(name, replicate, train, valid, test, dict(options), note)


def _cuts(n: int, groups: NDArray[Any] | None = None) -> tuple[int, int]:
    """Where validation and test rows begin: at 40 and 70 %, or at the next edge between groups."""
    first = round(SPLIT[0] * n)
    second = first + round(SPLIT[1] * n)
    if groups is None:
        return first, second
    edges = np.flatnonzero(groups[1:] != groups[:-1]) + 1
    at = np.searchsorted(edges, (first, second))
    if len(edges) == 0 or at[1] >= len(edges) or at[0] == at[1]:
        raise ValueError(f"{len(edges) + 1} groups of rows are too few for three parts")
    return int(edges[at[0]]), int(edges[at[1]])


def _impute(X: NDArray[np.float32], n_train: int) -> None:
    """Missing covariates become the median of the training rows, in place."""
    missing = np.isnan(X)
    for column in np.flatnonzero(missing.any(axis=0)):
        X[missing[:, column], column] = np.nanmedian(X[:n_train, column])
