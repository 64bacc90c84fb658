"""Gerber, Green and Larimer's letters to voters: who votes because the neighbours would know?"""

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from datasets.files import DataFile, DataFileError
from datasets.real import TabularSource, read_rda_once

if TYPE_CHECKING:
    import pandas as pd

_COMMIT = "59933ec09aa53fbab7b6100e7f8330aa757e77e9"
_PATH = "data/social.rda"
_LETTERS = {
    "any": ("Civic Duty", "Hawthorne", "Neighbors"),
    "civic-duty": ("Civic Duty",),
    "hawthorne": ("Hawthorne",),
    "neighbors": ("Neighbors",),
}
_CONTROL = "Control"


class Gotv(TabularSource):
    """Voters whose household was sent a letter before the primary election of 2006, or none.

    `letter` says which letters count as treatment; households sent another one are left out. Whole
    households were assigned, so that whole households go to one part; and standard errors that
    take the voters of a household for independent are too small.
    """

    name = "gotv"
    summary = "letters to voters, 305,866 x 4; letter = any, civic-duty, hawthorne or neighbors"
    options = MappingProxyType({"letter": "any"})
    licence = "GPL-2 (R package qss)"
    citation = (
        "Gerber, A. S., Green, D. P. and Larimer, C. W. (2008). Social pressure and voter turnout: "
        "Evidence from a large-scale field experiment. American Political Science Review 102(1), "
        "33-48. File: Imai, K. (2017). Quantitative Social Science, R package qss."
    )
    note = "assigned and split by household"

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (
            DataFile(
                "social.rda",
                "gotv",
                sha256=("c5bfffb5f32b9d9b54979c65499c99826f32f6e6f7da556cd66c1fdb80ebd09f",),
                urls=(
                    f"https://raw.githubusercontent.com/kosukeimai/qss-package/{_COMMIT}/{_PATH}",
                    f"https://cdn.jsdelivr.net/gh/kosukeimai/qss-package@{_COMMIT}/{_PATH}",
                ),
            ),
        )

    def read(
        self, *, letter: str, **options: Any
    ) -> "tuple[pd.DataFrame, pd.Series, pd.Series, pd.Series]":
        if letter not in _LETTERS:
            raise ValueError(f"letter is {letter!r}; it must be one of {', '.join(_LETTERS)}")
        (path,) = self.paths()
        frame = read_rda_once(path, "gotv")
        frame["household"] = households(frame)
        frame = frame[frame["messages"].isin((*_LETTERS[letter], _CONTROL))]
        X = frame[["yearofbirth", "primary2004", "hhsize"]].copy()
        X.insert(0, "female", (frame["sex"] == "female").astype("int64"))
        treatment = (frame["messages"] != _CONTROL).astype("int64")
        return X, frame["primary2006"], treatment, frame["household"]


def households(frame: "pd.DataFrame") -> np.ndarray:
    """The household of every row, from 0 up.

    The file does not number them, but keeps their rows together: wherever the letter or the size
    of the household changes, the rows since the last change are a multiple of that size.
    """
    size = frame["hhsize"].to_numpy()
    letter = frame["messages"].astype(str).to_numpy()
    begins = np.flatnonzero(np.r_[True, (size[1:] != size[:-1]) | (letter[1:] != letter[:-1])])
    lengths = np.diff(np.r_[begins, len(frame)])
    if (lengths % size[begins]).any():
        raise DataFileError("the rows of social.rda are not in the order of their households")
    place = np.arange(len(frame)) - np.repeat(begins, lengths)
    return np.cumsum(place % size == 0) - 1


SOURCES = (Gotv(),)
