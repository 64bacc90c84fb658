"""The public samples of CRITEO-UPLIFT v2.1: one of 200,000 rows, and 678,360 rows united from four.

The union is known by a digest of its arrays, so that it is the same whatever wrote the Parquet
file. docs/data.md says how each sample was drawn and what was checked.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from datasets.criteo_csv import FEATURES
from datasets.criteo_overlap import LABELS, undo_logarithm, unite
from datasets.files import DataFile, DataFileError, cache_directory

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def _sample(name: str, sha256: str, repository: str, commit: str, path: str) -> DataFile:
    return DataFile(
        name,
        "criteo",
        sha256=(sha256,),
        urls=(
            f"https://raw.githubusercontent.com/{repository}/{commit}/{path}",
            f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{path}",
        ),
    )


SAMPLE = DataFile(
    "criteo_sample_200k.parquet",
    "criteo",
    sha256=("131d6fa361a3a1157c52075bf27f1defaeac987c5f74320543063acd8d51f903",),
    urls=(
        "https://raw.githubusercontent.com/i-hridaysaha/uplift-targeting/"
        "b4046d40403806b20bb6a1becfcd061d403715a7/models/criteo_holdout_reference.parquet",
    ),
    other_names=("criteo_holdout_reference.parquet",),
)
# In the order in which they are united.
SAMPLES = (
    _sample(
        "criteo_causal_sample.parquet",
        "3a3da96ec14e9a585e511d9105bab78749af72e69674f13e49f6672987e58439",
        "AryanPandey72/AB_Testing",
        "367d8d497651a1896dc0e809b04c28b504c0565c",
        "data/processed/criteo_causal_sample.parquet",
    ),
    SAMPLE,
    _sample(
        "criteo_val_log1p.parquet",
        "d454a6ce2c7be8548cceb8b2c69eff180f06a51e3585cfad988b06b8c149bc4f",
        "suehuynh/uplift-modeling",
        "be9d24682882132c3abd347b5c773da86fe43172",
        "processed/val.parquet",
    ),
    _sample(
        "criteo-uplift-sample-v2.1.csv",
        "3d71233fbac9879a559ed8ff86c2f5f73cf000c50596fc075d31d1626ba29fed",
        "linafaik08/uplift",
        "972a1d664f75eefc7e8f9500dee37eaabade4071",
        "data/criteo-uplift-sample-v2.1.csv",
    ),
)
UNION = DataFile("criteo_union.parquet", "criteo")
DIGEST = "9f3711e5218f9d2576737fa51f687d7022f3d01898079ec42876870dc228e51d"  # of its arrays
UNION_NOTE = "drawn from 678,360 real rows of CRITEO-UPLIFT v2.1, united from four public samples"

_TYPES = {
    **dict.fromkeys(FEATURES, "<f4"),
    **dict.fromkeys((*LABELS, "exposure", "source"), "<i1"),
}


@dataclass(frozen=True, eq=False)
class InMemory:
    """A sample small enough to be read whole."""

    X: NDArray[np.float32]
    treatment: NDArray[np.int8]
    outcomes: Mapping[str, NDArray[np.int8]]

    @property
    def visit(self) -> NDArray[np.int8]:
        return self.outcomes["visit"]

    def covariates(self, index: NDArray[np.intp]) -> NDArray[np.float32]:
        return self.X[index]


def read_sample(path: Path) -> InMemory:
    """The sample of 200,000 rows."""
    from pyarrow import parquet

    # Its column `score` is another author's prediction, not a covariate.
    return _in_memory(parquet.read_table(path, columns=[*FEATURES, *LABELS]))


def read_union(path: Path) -> InMemory:
    """The united rows, refused unless every value is as it should be."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(path, columns=list(_TYPES))
        found = digest(table)
    except (OSError, pa.ArrowException) as error:
        raise DataFileError(f"{path} cannot be read ({error}); {_REMEDY}") from None
    if found != DIGEST:
        raise DataFileError(
            f"{path} is damaged or another file: the digest of its arrays is {found}, expected "
            f"{DIGEST}; {_REMEDY}"
        )
    return _in_memory(table)


_REMEDY = "delete it and run python -m datasets fetch criteo --size union"


def make_union(samples: Sequence[Path]) -> Path:
    """Unite the four verified `samples`; the file appears only once its digest is right."""
    import pyarrow as pa
    from pyarrow import parquet

    folder = cache_directory() / UNION.folder
    folder.mkdir(parents=True, exist_ok=True)
    path, unfinished = folder / UNION.name, folder / f"{UNION.name}.part"
    with FileLock(folder / f".{UNION.name}.lock"):
        table = pa.Table.from_pandas(unite(_read_samples(samples)), preserve_index=False)
        found = digest(table)
        if found != DIGEST:
            raise DataFileError(
                f"the four samples of CRITEO were united to {len(table):,} rows whose digest is "
                f"{found}, expected {DIGEST}; the files are right, so the libraries differ: "
                "install the versions that pyproject.toml names (numpy above all)"
            )
        parquet.write_table(table, unfinished, compression="zstd")
        os.replace(unfinished, path)
    return path


def digest(table: "pa.Table") -> str:
    """sha256 of the columns' names, types and values, row by row in the table's order."""
    joined = hashlib.sha256()
    for name, kind in _TYPES.items():
        values = np.ascontiguousarray(table[name].to_numpy(), np.dtype(kind))
        joined.update(f"{name} {kind} {len(values)}\n".encode())
        joined.update(values)
    return joined.hexdigest()


def _read_samples(paths: Sequence[Path]) -> "list[pd.DataFrame]":
    import pandas as pd

    def read(path: Path) -> pd.DataFrame:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)

    every_50th, stratified, logged, small = map(read, paths)
    # The two samples with covariates of full precision tell what the logarithms were taken of.
    reference = pd.concat([every_50th[list(FEATURES)], small[list(FEATURES)]])
    return [every_50th, stratified, undo_logarithm(logged, reference), small]


def _in_memory(table: "pa.Table") -> InMemory:
    X = np.column_stack([table[name].to_numpy() for name in FEATURES])
    labels = {name: table[name].to_numpy() for name in LABELS}
    return InMemory(X, labels.pop("treatment"), labels)
