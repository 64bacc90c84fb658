"""The rows that all units share."""

import os
import pickle
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.types import Column


@dataclass(frozen=True)
class Setup:
    """The rows that all units share."""

    columns: tuple[Column, ...]
    frame: pd.DataFrame
    outcome: NDArray[np.int8]
    arm: NDArray[np.int8]
    arms: int
    groups: NDArray[np.integer] | None
    folds: NDArray[np.int8]
    money: NDArray[np.float64] | None
    seed: int
    shares: tuple[float, ...]
    segment_folds: tuple[int, ...]
    quick: bool = False
    cache: dict[tuple[int, ...], Any] = field(default_factory=dict, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "cache": {}}

    @property
    def used(self) -> list[str]:
        return [column.name for column in self.columns if column.used]


class SetupFile:
    """A setup on disk, for processes of this machine; to others it travels by its content."""

    def __init__(self, setup: Setup) -> None:
        self._write(lambda file: pickle.dump(setup, file, pickle.HIGHEST_PROTOCOL))

    def __getstate__(self) -> bytes:
        return Path(self.path).read_bytes()

    def __setstate__(self, content: bytes) -> None:
        self._write(lambda file: file.write(content))

    def _write(self, fill: Callable[[BinaryIO], object]) -> None:
        descriptor, self.path = tempfile.mkstemp(suffix=".setup")
        weakref.finalize(self, os.unlink, self.path)  # it goes with the last who needs it
        with open(descriptor, "wb") as file:
            fill(file)
