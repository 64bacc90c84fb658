"""A head, f or d: a constant, a table of every covariate's bins, and trees of several splits."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from twin.boost.rounds import Steps, collapse
from twin.boost.splits import goes_left
from twin.boost.trees import LEAF, add_tree
from twin.network import chunks

Floats = NDArray[np.float64]
BLOCK = 4096  # rows that pass through all trees while they are in the cache


@dataclass(frozen=True, eq=False)
class Head:
    """Value of a row = constant + sum over j of table[j, bin of j] + its leaf of every tree.

    Lines and single splits depend on one covariate each, so all of them together are the table.
    Trees are in heap order; `weight` is how much of the fit a node saw, for `along`.
    """

    constant: float
    table: Floats  # (p, width)
    feature: NDArray[np.int32]  # (trees, nodes), LEAF where there is no split
    left: NDArray[np.uint64]  # (trees, nodes, 4)
    value: Floats  # (trees, nodes)
    weight: Floats  # (trees, nodes)

    @classmethod
    def additive(cls, constant: float, table: Floats) -> Self:
        """A head without trees."""
        none = np.zeros((0, 3))
        left = np.zeros((0, 3, 4), np.uint64)
        return cls(float(constant), table, none.astype(np.int32), left, none, none)

    @classmethod
    def of_steps(cls, steps: Steps, count: int, z: Floats, n_bins: NDArray[np.int64]) -> Self:
        """The sum of the first `count` steps."""
        table = np.zeros(z.shape)
        constant, deep = collapse(steps, count, z, n_bins, table)
        trees = (a[:count][deep] for a in (steps.feature, steps.left, steps.value, steps.weight))
        return cls(float(constant), table, *trees)

    def __add__(self, other: "Head") -> "Head":
        nodes = max(self.feature.shape[1], other.feature.shape[1])
        one, two = _widened(self, nodes), _widened(other, nodes)
        return Head(
            self.constant + other.constant,
            self.table + other.table,
            *(np.concatenate(pair) for pair in zip(one, two, strict=True)),
        )

    def scaled(self, factor: float) -> "Head":
        """This head times `factor`."""
        return Head(
            self.constant * factor,
            self.table * factor,
            self.feature,
            self.left,
            self.value * factor,
            self.weight,
        )

    @property
    def columns(self) -> NDArray[np.int64]:
        """The covariates whose table is not zero."""
        return np.flatnonzero(np.any(self.table != 0, axis=1))

    def values(self, B: NDArray[np.uint8], threads: int = 1) -> Floats:
        """One number for each row of B; the number of threads does not change it."""
        out = np.empty(len(B))
        columns = self.columns

        def block(rows: slice) -> None:
            _values(
                B[rows],
                self.constant,
                self.table,
                columns,
                self.feature,
                self.left,
                self.value,
                out[rows],
            )

        blocks = chunks(len(B), BLOCK)
        if threads == 1:
            for rows in blocks:
                block(rows)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(block, blocks))
        return out

    def along(self, j: int, n_bins: int) -> Floats:
        """The mean value with covariate j in each of its bins, up to a constant.

        At splits by other covariates both branches count, by the weight of their rows.
        """
        out = self.table[j, : n_bins + 1].copy()
        for tree in range(len(self.feature)):
            if j in self.feature[tree]:
                _tree_along(
                    j, self.feature[tree], self.left[tree], self.value[tree], self.weight[tree], out
                )
        return out


def mean_head(heads: Sequence[Head]) -> Head:
    """The mean of several heads."""
    return reduce(Head.__add__, [head.scaled(1 / len(heads)) for head in heads])


def _widened(head: Head, nodes: int) -> list[NDArray]:
    """The arrays of the trees with room for `nodes` nodes each."""
    more = nodes - head.feature.shape[1]
    arrays = []
    for array, fill in ((head.feature, LEAF), (head.left, 0), (head.value, 0), (head.weight, 0)):
        pad = [(0, 0), (0, more)] + [(0, 0)] * (array.ndim - 2)
        arrays.append(np.pad(array, pad, constant_values=fill))
    return arrays


@njit(cache=True, nogil=True)
def _values(B, constant, table, columns, feature, left, value, out):
    for i in range(len(out)):
        total = constant
        for j in columns:
            total += table[j, B[i, j]]
        out[i] = total
    for tree in range(len(feature)):
        add_tree(B, feature[tree], left[tree], value[tree], table.shape[1], out)


@njit(cache=True, nogil=True)
def _tree_along(j, feature, left, value, weight, out):
    reach = np.zeros(len(feature))
    for b in range(len(out)):
        reach[:] = 0.0
        reach[0] = 1.0
        for node in range(len(feature)):
            if reach[node] == 0.0:
                continue
            if feature[node] == LEAF:
                out[b] += reach[node] * value[node]
                continue
            one, two = 2 * node + 1, 2 * node + 2
            if feature[node] == j:
                share = 1.0 if goes_left(left[node], b) else 0.0
            else:
                share = weight[one] / (weight[one] + weight[two])
            reach[one] = share * reach[node]
            reach[two] = (1.0 - share) * reach[node]
