"""What the forests share: one fit that answers for every depth and every number of trees.

A greedy tree of depth d is a deeper tree cut at d, and a forest of k trees is the first k trees of
a larger one. So a forest is grown once, deep and large, and the candidates (k, d) are scored by
cutting it, instead of growing a forest for each of them.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin.rows import Rows


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
        X = self._coded(valid.X)
        best = -np.inf
        for depth in depths:
            cut = [_cut(tree, depth) for tree in trees]
            for count, mean in _running_means(cut, X, counts):
                score = self._score(valid, self._uplift(mean), trees=count, depth=depth)
                if score > best:
                    best = score
                    self.settings_ = {"trees": count, "depth": depth}
                    self._trees = cut[:count]
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        [(_, mean)] = _running_means(self._trees, self._coded(X), [len(self._trees)])
        return self._uplift(mean)


def _running_means(
    trees: Sequence[Tree], X: NDArray[np.floating], counts: Sequence[int]
) -> list[tuple[int, NDArray[np.float64]]]:
    """(k, statistics of the rows averaged over the first k trees) for every k of `counts`."""
    total = np.zeros((len(X), trees[0].statistics.shape[1]))
    means = []
    for count, tree in enumerate(trees, start=1):
        total += tree.statistics[tree.structure.apply(X)]
        if count in counts:
            means.append((count, total / count))
    return means


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
