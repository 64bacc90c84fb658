"""CRITEO-UPLIFT v2.1 at every size of the paper, and synthetic files of the same format."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from datasets.contract import Dataset
from datasets.criteo_arrays import MOST_FREQUENT, Prepared, Statistics, find_prepared, prepare
from datasets.criteo_csv import FEATURES
from datasets.criteo_union import (
    DIGEST,
    SAMPLE,
    SAMPLES,
    UNION,
    UNION_NOTE,
    InMemory,
    make_union,
    read_sample,
    read_union,
)
from datasets.files import DataFile, DataFileError, content_of, find, find_checked, how_to_get
from datasets.real import RealSource, check_balance, draw, split
from twin.rows import Rows

SIZES: Mapping[str, int | None] = MappingProxyType(
    {
        "100K": 100_000,
        "200K": 200_000,
        "400K": 400_000,
        "1M": 1_000_000,
        "4M": 4_000_000,
        "full": None,
    }
)
OUTCOMES = ("visit", "conversion")
# Balanced draws that the union is large enough for, where the complete file is not here.
_FROM_UNION = ("100K", "200K")

COMPLETE = DataFile(
    "criteo-research-uplift-v2.1.csv.gz",
    "criteo",
    sha256=("2716e1bf0fd157a93b5bf86924d9088419dfbac2022c6cd90030220634f616dc",),
    size=311_422_618,
    urls=(
        "https://huggingface.co/datasets/criteo/criteo-uplift/resolve/"
        "2424920019e49d52d72c13ac1143ec5d53af276b/criteo-research-uplift-v2.1.csv.gz",
        "https://criteostorage.blob.core.windows.net/criteo-research-datasets/"
        "criteo-uplift-v2.1.csv.gz",
        "https://github.com/jszymon/uplift_sklearn_data/releases/download/Criteo/"
        "criteo-research-uplift-v2.1.csv.gz",
        "http://go.criteo.net/criteo-research-uplift-v2.1.csv.gz",
    ),
    other_names=("criteo-uplift-v2.1.csv.gz",),
)
# The same unpacked: no checksum is published, so its statistics are compared.
UNPACKED = DataFile(
    "criteo-research-uplift-v2.1.csv", "criteo", other_names=("criteo-uplift-v2.1.csv",)
)
SYNTHETIC = DataFile("criteo-synthetic.csv.gz", "criteo")

# Published counts and means of v2.1.
_ROWS = 13_979_592
_TREATED = 11_882_655
_VISIT_TREATED, _VISIT_CONTROL = 0.0485434, 0.0382010
_MEANS = (
    19.620297, 10.069977, 8.446582, 4.178923, 10.338837, 4.028513,
    -4.155356, 5.101765, 3.933581, 16.027638, 5.333396, -0.170967,
)  # fmt: skip


class _Table(Protocol):
    """Rows to draw from: in memory or on disk."""

    @property
    def treatment(self) -> NDArray[np.int8]: ...

    @property
    def visit(self) -> NDArray[np.int8]: ...

    def covariates(self, index: NDArray[np.intp]) -> NDArray[np.float32]: ...


class _Criteo(RealSource):
    """Draws `size` rows, balanced 1:1 as in the paper unless `balance=False`.

    The outcome is a visit, as in the paper, or a conversion. The rows of the complete file are not
    in random order, so that every draw is from all of them.
    """

    sizes: tuple[str, ...] = tuple(SIZES)

    def load(self, replicate: int = 0, **options: Any) -> Dataset:
        options = {**self.options, **options}
        size, balance = options["size"], check_balance(options["balance"])
        outcome = options["outcome"]
        if outcome not in OUTCOMES:
            raise ValueError(f"outcome is {outcome!r}; it must be one of {', '.join(OUTCOMES)}")
        table, note = self.table(self._checked_size(size))
        treatment = table.treatment
        self._check_enough(treatment, size, balance)
        index = draw(treatment, self.rng(replicate), size=SIZES.get(size), balance=balance)
        rows = Rows(
            table.covariates(index),
            _outcome(table, outcome)[index],
            treatment[index],
            FEATURES,
            propensity=0.5 if balance else float(treatment.mean()),
            row_numbers=index,
        )
        if outcome != "visit":
            note = "; ".join(filter(None, (note, f"outcome: {outcome}")))
        return split(self.name, replicate, rows, options=options, note=note)

    def table(self, size: str) -> tuple[_Table, str]:
        """All rows that a draw of `size` is made from, and what tables must say about them."""
        raise NotImplementedError

    def _checked_size(self, size: Any) -> str:
        if size not in self.sizes:
            raise ValueError(f"size is {size!r}; it must be one of {', '.join(self.sizes)}")
        return size

    def _check_enough(self, treatment: NDArray[np.int8], size: str, balance: bool) -> None:
        wanted = SIZES.get(size)
        treated = int(np.count_nonzero(treatment))
        smaller = min(treated, len(treatment) - treated)
        if smaller == 0:
            raise DataFileError(f"{self.name} has one arm only; uplift needs both")
        at_most = 2 * smaller if balance else len(treatment)
        if wanted is not None and wanted > at_most:
            raise ValueError(
                f"{self.name} has {at_most:,} {'balanced ' if balance else ''}rows here, fewer "
                f'than size={size!r}; choose a smaller size, or size="full" for all of them'
            )


class Criteo(_Criteo):
    """The real data."""

    name = "criteo"
    summary = "CRITEO-UPLIFT v2.1, 13,979,592 x 12, visit, 85 % treated; balanced unless told"
    options = MappingProxyType({"size": "100K", "balance": True, "outcome": "visit"})
    sizes = (*SIZES, "union", "sample")
    licence = "CC BY-NC-SA 4.0 (no commercial use; this suite does not redistribute the data)"
    citation = (
        "Diemert, E., Betlei, A., Renaudin, C. and Amini, M.-R. (2018). A large scale benchmark "
        "for uplift modeling. Proceedings of the AdKDD and TargetAd Workshop, KDD."
    )

    def files(self, *, size: str = "full", **options: Any) -> tuple[DataFile, ...]:
        return {"sample": (SAMPLE,), "union": SAMPLES}.get(self._checked_size(size), (COMPLETE,))

    def available(self, **options: Any) -> str | None:
        size = options.get("size", self.options["size"])
        if size in ("sample", "union"):
            if find(SAMPLE if size == "sample" else UNION) is not None:
                return None
            return how_to_get(self.name, self.files(size=size), f" --size {size}")
        if find(COMPLETE) or find(UNPACKED) or find_prepared(COMPLETE.sha256):
            return None
        message = how_to_get(self.name, self.files(size=size))
        if size not in _FROM_UNION:
            return message
        offer = "Enough for this size (13 MB): python -m datasets fetch criteo --size union"
        return f"{message}\n{offer}" if find(UNION) is None else None

    def content(self, **options: Any) -> str | None:
        """What names the rows that `load` would take: the complete file's, or the union's."""
        size = options.get("size", self.options["size"])
        if size == "sample":
            return super().content(**options)
        if size != "union" and (find(COMPLETE) or find_prepared(COMPLETE.sha256)):
            return content_of(COMPLETE)
        if size != "union" and find(UNPACKED):
            return content_of(UNPACKED)
        if size in (*_FROM_UNION, "union"):
            return f"union {DIGEST}" if size == "union" or find(UNION) else None
        return content_of(COMPLETE)

    def fetch(self, **options: Any) -> list[Path]:
        size = options.get("size", "full")
        if size == "union" and (union := find(UNION)) is not None:
            read_union(union)
            return [union]
        paths = super().fetch(**options)
        if size == "union":
            return [*paths, make_union(paths)]
        self.table(size)  # converted now, so that the first load is quick
        return paths

    def table(self, size: str) -> tuple[_Table, str]:
        if size == "sample":
            (path,) = self.paths(size=size)
            return read_sample(path), "a real 200,000-row sample of CRITEO-UPLIFT v2.1"
        prepared = None if size == "union" else _real_file()
        if prepared is None and size in (*_FROM_UNION, "union"):
            union = find(UNION)
            if union is not None:
                return read_union(union), UNION_NOTE
        if prepared is None:
            raise DataFileError(str(self.available(size=size)))
        differences = compare_with_published(prepared.statistics)
        if differences:
            warnings.warn(
                "the file does not have the published statistics of CRITEO-UPLIFT v2.1: "
                + "; ".join(differences),
                stacklevel=3,
            )
            return prepared, f"NOT CRITEO-UPLIFT v2.1 as published: {differences[0]}"
        return prepared, ""


class CriteoSynthetic(_Criteo):
    """Random rows of CRITEO's format, for tests and for measuring scale."""

    name = "criteo-synthetic"
    summary = "synthetic rows in CRITEO's format (python -m datasets synthetic), not real data"
    options = MappingProxyType({"size": "100K", "balance": True, "outcome": "visit"})
    licence = "none needed: random numbers"
    citation = "none: not real data"

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (SYNTHETIC,)

    def available(self, **options: Any) -> str | None:
        if find(SYNTHETIC) is not None:
            return None
        return f"{SYNTHETIC.name} is not here; write it with: python -m datasets synthetic --rows N"

    def fetch(self, **options: Any) -> list[Path]:
        raise DataFileError("nothing to fetch: run python -m datasets synthetic --rows N")

    def table(self, size: str) -> tuple[_Table, str]:
        path = find(SYNTHETIC)
        if path is None:
            raise DataFileError(str(self.available()))
        prepared = prepare(path)
        return prepared, f"synthetic data, {prepared.statistics.rows:,} rows in CRITEO's format"


def compare_with_published(found: Statistics) -> list[str]:
    """Each published statistic that the file does not have; the tell-tale of fakes first."""
    differences = []
    for name, value in MOST_FREQUENT.items():
        share = found.most_frequent[name] / found.rows
        if share < 0.5:
            differences.append(
                f"{name} is {value:.6g} in {share:.1%} of the rows, not in most of them "
                "(fakes in circulation have Gaussian columns)"
            )
    for what, ours, published in (
        ("rows", found.rows, _ROWS),
        ("treated rows", found.treated, _TREATED),
    ):
        if ours != published:
            differences.append(f"{ours:,} {what} rather than {published:,}")
    rates = (
        ("treated", found.visits_treated, found.treated, _VISIT_TREATED),
        ("control", found.visits_control, found.control, _VISIT_CONTROL),
    )
    for arm, visits, rows, published in rates:
        rate = visits / rows if rows else float("nan")
        if not abs(rate - published) < 1e-6:
            differences.append(f"visit rate {rate:.7f} of {arm} rows rather than {published}")
    for name, total, published in zip(FEATURES, found.feature_sums, _MEANS, strict=True):
        mean = total / found.rows
        if abs(mean - published) > 1e-4:
            differences.append(f"mean {mean:.6f} of {name} rather than {published}")
    return differences


def _real_file() -> Prepared | None:
    """The complete data from whatever is here: an earlier preparation, the gz, the unpacked csv."""
    prepared = find_prepared(COMPLETE.sha256)
    if prepared is not None:
        return prepared
    path = find_checked(COMPLETE)
    if path is not None:
        return prepare(path, sha256=COMPLETE.sha256[0])
    path = find(UNPACKED)
    return None if path is None else prepare(path)


def _outcome(table: _Table, name: str) -> NDArray[np.int8]:
    """The outcome of every row; of a converted file only the visits are kept as an array."""
    from pyarrow import parquet

    if isinstance(table, InMemory):
        return table.outcomes[name]
    if isinstance(table, Prepared) and name != "visit":
        return parquet.read_table(table.home / "rows.parquet", columns=[name])[name].to_numpy()
    return table.visit


SOURCES = (Criteo(), CriteoSynthetic())
