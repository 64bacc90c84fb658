"""What a data set is: a `Source` that gives a `Dataset` of training, validation and test rows.

A new data set is one new file in this folder that holds one or more `Source` objects in the
tuple `SOURCES`; nothing else needs an edit.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from twin.rows import Rows


@dataclass(frozen=True, eq=False)
class Dataset:
    """One replicate: the rows to train on, to select on and to compare on (40/30/30)."""

    name: str
    replicate: int
    train: Rows
    valid: Rows
    test: Rows
    options: Mapping[str, Any] = field(default_factory=dict)  # such as {"variant": "printed"}
    note: str = ""  # shown under tables, such as "synthetic data"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the covariates."""
        return self.train.names


class Source(ABC):
    """A named data set. `options` are the keywords of `load` with their defaults."""

    name: str
    summary: str  # one line for listings
    options: Mapping[str, Any]

    @abstractmethod
    def load(self, replicate: int = 0, **options: Any) -> Dataset:
        """The rows of one replicate; the same arguments give the same rows, bit for bit."""

    def available(self, **options: Any) -> str | None:
        """None where `load` with `options` can run now, else what to do first. No network."""
        return None

    def content(self, **options: Any) -> str | None:
        """What names the content of the files that `load` reads; "" where rows are drawn.

        None where that is not known, because the files are not here and have no published
        checksum.
        """
        return ""
