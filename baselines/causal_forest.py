"""Causal forests, with and without honest estimation.

Athey, Tibshirani and Wager (2019), Generalized random forests, Annals of Statistics 47(2).
The paper ran R's grf; this is econml's implementation of the same method.

Algorithm. m(x) = E[Y | x] comes from out-of-bag predictions of a regression forest, always honest.
Every tree is grown on half of the rows and splits where the uplift of the two children differs
most (grf's gradient criterion). In an honest tree one half of those rows chooses the splits and
the other half estimates the leaves. The forest then solves, with weights α_i(x) = how often row i
shares a leaf with x,

    Σ_i α_i(x) (w_i, 1)' (ỹ_i - u w_i - c) = 0,   ỹ = y - m(x),   w = t - e,

for u(x), the uplift. Depth and number of trees are tuned on validation rows, by cutting one forest.

Differences from grf:
- e is known in these experiments and used; grf would estimate it.
- grf wants 5 treated and 5 control rows in each child, of the half that chooses splits. econml
  counts both arms together, on both halves. Leaves of at least 0.5 % of a tree's rows (1.25 % with
  honesty) rank test rows most like grf's of the sizes tried; they also bound the memory that large
  data need, together with at most 40,000 rows per tree.
- grf draws the number of features at a node from a Poisson distribution of mean min(p, √p + 20);
  here it is that mean.
- 500 trees at most instead of 2000, and 100 for m instead of 500: see docs/baselines.md for the
  rank correlation that is left.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.forest import LARGEST_SAMPLE, Forest, Tree
from twin.rows import Rows

TREES_AT_ONCE = 100  # econml holds a permutation of all rows for each tree that it grows


class CausalForest(Forest):
    """Splits and leaves from the same rows."""

    name = "causal-forest"
    paper_row = "Causal Forest"
    grid: ClassVar = {"trees": (100, 250, 500), "depth": (3, 5, 8, None)}
    quick_grid: ClassVar = {"trees": (50,), "depth": (5, None)}
    requires = ("econml.grf",)
    honest: ClassVar[bool] = False
    smallest_leaf: ClassVar[float] = 0.005  # of a tree's rows
    trees_for_m: ClassVar[int] = 100

    def _grow(self, train: Rows, n_trees: int, max_depth: int | None, seed: int) -> list[Tree]:
        from econml.grf import CausalForest as EconmlForest
        from econml.grf import RegressionForest

        p = train.X.shape[1]
        sample = max(2, min(len(train) // 2, LARGEST_SAMPLE))
        rng = np.random.default_rng(seed)
        common = {
            "max_features": min(p, int(np.ceil(np.sqrt(p) + 20))),
            "max_samples": sample,
            "inference": False,
            "n_jobs": self.threads,
        }
        m = RegressionForest(
            self.trees_for_m,
            min_samples_leaf=max(5, sample // 1000),
            honest=True,
            random_state=int(rng.integers(2**31)),
            **common,
        ).fit(train.X, train.y)
        m.n_jobs = 1  # threads would add up the trees in a random order
        centred_y = train.y - m.oob_predict(train.X).ravel()

        trees: list[Tree] = []
        while len(trees) < n_trees:
            forest = EconmlForest(
                min(TREES_AT_ONCE, n_trees - len(trees)),
                criterion="het",
                min_samples_leaf=max(5, round(self.smallest_leaf * sample)),
                max_depth=max_depth,
                honest=self.honest,
                fit_intercept=True,
                random_state=int(rng.integers(2**31)),
                **common,
            ).fit(train.X, train.treatment - train.propensity, centred_y)
            trees += [Tree(tree.tree_, _moments(tree.tree_)) for tree in forest.estimators_]
        return trees

    def _coded(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return X.astype(np.float64)

    @staticmethod
    def _uplift(mean: NDArray[np.float64]) -> NDArray[np.float64]:
        # Cramer's rule for the first unknown of J (u, c)' = a.
        a1, a2, j11, j12, j21, j22 = mean.T
        determinant = j11 * j22 - j12 * j21
        safe = np.where(np.abs(determinant) > 1e-12, determinant, np.inf)
        return (a1 * j22 - j12 * a2) / safe


class HonestCausalForest(CausalForest):
    """Splits from one half of a tree's rows, leaves from the other half."""

    name = "causal-forest-honest"
    paper_row = "Causal Forest (Honest)"
    honest = True
    smallest_leaf = 0.0125


def _moments(tree: object) -> NDArray[np.float64]:
    """a = E[(w, 1) ỹ] and J = E[(w, 1)(w, 1)'] of every node, as six columns."""
    n_nodes = tree.node_count
    return np.hstack([tree.precond.reshape(n_nodes, 2), tree.jac.reshape(n_nodes, 4)])
