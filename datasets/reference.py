"""Draws of the scenarios made outside this project, with what R packages predict for their rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.contract import Dataset, Source
from datasets.files import VARIABLE, DataFile, DataFileError, cache_directory, content_of, find
from twin.rows import Rows

# Replicate r is the r-th of them.
DRAWS = (
    *("scenario1_seed900", "scenario2_seed900", "scenario3_seed900"),
    *("scenario4_seed900", "scenario4_seed901", "scenario4_seed902"),
)


@dataclass(frozen=True, eq=False)
class ReferenceDataset(Dataset):
    """A draw, and what each other program predicts for its test rows."""

    others: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


class Reference(Source):
    """Six draws of the printed scenarios, with predictions of R's rlearner, grf, uplift and
    tools4uplift.

    `NAME.parquet` holds y, treatment, true_uplift, part (train, valid, test) and x1 to xp;
    `NAME_predictions.parquet` holds part and one column for each predictor, on the validation and
    test rows in the same order.
    """

    name = "reference"
    summary = "six draws of the scenarios with the predictions of R packages, from files"
    options = MappingProxyType({})

    def available(self, **options: Any) -> str | None:
        missing = [file.name for file in _files() if find(file) is None]
        if not missing:
            return None
        return (
            f"reference needs {missing[0]} and others, not found here.\n"
            f"Put the draws and R's predictions into {cache_directory() / self.name}\n"
            f"(or into the folder {self.name} of a directory of your own, named by {VARIABLE})"
        )

    def content(self, **options: Any) -> str | None:
        found = [content_of(file) for file in _files()]
        return None if None in found else " ".join(found)

    def load(self, replicate: int = 0, **options: Any) -> ReferenceDataset:
        import pandas as pd

        if reason := self.available():
            raise DataFileError(reason)
        if replicate >= len(DRAWS):
            raise ValueError(f"replicate is {replicate}; the draws are 0 to {len(DRAWS) - 1}")
        name = DRAWS[replicate]
        frame, predicted = (pd.read_parquet(_path(f"{name}{end}")) for end in ("", "_predictions"))
        covariates = [column for column in frame if column.startswith("x")]
        parts = {
            part: Rows.of(
                rows[covariates], rows["y"], rows["treatment"], true_uplift=rows["true_uplift"]
            )
            for part, rows in frame.groupby("part")
        }
        test = predicted[predicted["part"] == "test"].select_dtypes("number")
        return ReferenceDataset(
            self.name,
            replicate,
            **parts,
            note=f"draw {name}",
            others={column: test[column].to_numpy(float) for column in test},
        )


def _path(name: str) -> Path:
    return find(DataFile(f"{name}.parquet", Reference.name))


def _files() -> tuple[DataFile, ...]:
    names = (f"{name}{end}.parquet" for name in DRAWS for end in ("", "_predictions"))
    return tuple(DataFile(name, Reference.name) for name in names)


SOURCES = (Reference(),)
