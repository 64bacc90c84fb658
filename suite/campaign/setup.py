"""The rows that all units share."""

from dataclasses import dataclass, field
from typing import Any

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
