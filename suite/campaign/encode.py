"""From typed columns to the numbers that methods take, learnt from training rows alone."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from suite.campaign.types import Column


class Encoder:
    """`fit` learns levels, medians and rates of the rows given; `transform` makes the numbers.

    `groups` names the column of the file that each number comes from, for drivers and segments.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]

    def fit(
        self,
        columns: Sequence[Column],
        frame: pd.DataFrame,
        outcome: NDArray[np.int8],
        arm: NDArray[np.int8],
    ) -> Self:
        """Learn from training rows: `columns` says which of `frame` to use, and how."""
        raise NotImplementedError

    def transform(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """One line of finite numbers for each row."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Everything that was learnt, as JSON."""
        raise NotImplementedError

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The encoder that `state` came from."""
        raise NotImplementedError
