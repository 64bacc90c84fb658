"""What the forests share: one fit that answers for every depth and every number of trees.

A greedy tree of depth d is a deeper tree cut at d, and a forest of k trees is the first k trees of
a larger one. So a forest is grown once, deep and large, and the candidates (k, d) are scored by
cutting it, instead of growing a forest for each of them.
"""

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin.rows import Rows

LARGEST_SAMPLE = 40_000  # rows per tree, which bounds the memory that large data need


class Tree(NamedTuple):
    """A grown tree: the library's structure, and our statistics of every node, inner ones too."""

    structure: Any  # what econml and causalml call `tree_`: apply, children_left, children_right
    statistics: NDArray[np.float64]  # (nodes, s)


class Forest(Method):
    """A forest predicts from statistics of the node that a row falls into, averaged over trees."""

    @abstractmethod
    def _grow(self, train: Rows, n_trees: int, max_depth: int | None, seed: int) -> list[Tree]:
        """`n_trees` trees grown on `train`."""

    @abstractmethod
    def _coded(self, X: NDArray[np.float32]) -> NDArray[np.floating]:
        """Covariates as the trees take them."""

    @staticmethod
    @abstractmethod
    def _uplift(mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Uplift from the statistics averaged over trees, (rows, s) -> (rows,)."""

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        counts, depths = sorted(self.active_grid["trees"]), tuple(self.active_grid["depth"])
        deepest = None if None in depths else max(depths)
        trees = self._grow(train, counts[-1], deepest, seed)

        start = time.perf_counter()
        best = -np.inf
        for count, depth, mean in _means(trees, self._coded(valid.X), counts, depths):
            score = self._score(valid, self._uplift(mean), trees=count, depth=depth)
            if score > best:
                best, self.settings_ = score, {"trees": count, "depth": depth}
        chosen = trees[: self.settings_["trees"]]
        self._trees = [_cut(tree, self.settings_["depth"]) for tree in chosen]
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._predict_by(self._trees, X)

    def half_predictions(
        self, X: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Uplift by every other tree and by the rest: their difference is the noise of trees."""
        return self._predict_by(self._trees[::2], X), self._predict_by(self._trees[1::2], X)

    def _predict_by(self, trees: Sequence[Tree], X: NDArray[np.float32]) -> NDArray[np.float64]:
        [(_, _, mean)] = _means(trees, self._coded(X), [len(trees)], [None])
        return self._uplift(mean)


def _means(
    trees: Sequence[Tree],
    X: NDArray[np.floating],
    counts: Sequence[int],
    depths: Sequence[int | None],
) -> Iterator[tuple[int, int | None, NDArray[np.float64]]]:
    """(k, d, statistics of the rows averaged over the first k trees cut at d) of all candidates."""
    totals = {depth: np.zeros((len(X), trees[0].statistics.shape[1])) for depth in depths}
    for count, tree in enumerate(trees, start=1):
        leaf = tree.structure.apply(X)
        for depth, total in totals.items():
            total += _cut(tree, depth).statistics[leaf]
        if count in counts:
            for depth, total in totals.items():
                yield count, depth, total / count


def _cut(tree: Tree, depth: int | None) -> Tree:
    """The tree cut at `depth`: deeper nodes answer with their ancestor's statistics."""
    if depth is None:
        return tree
    left, right = tree.structure.children_left, tree.structure.children_right
    statistics = tree.statistics.copy()
    level = np.zeros(1, dtype=np.intp)  # the nodes of one level, from the root down
    for _ in range(depth):
        level = np.concatenate([left[level], right[level]])
        level = level[level >= 0]
    while len(level):
        for children in (left[level], right[level]):
            inner = children >= 0
            statistics[children[inner]] = statistics[level[inner]]
        level = np.concatenate([left[level], right[level]])
        level = level[level >= 0]
    return Tree(tree.structure, statistics)
