"""Uplift random forests that split by Kullback-Leibler divergence or by Euclidean distance.

Rzepakowski and Jaroszewicz (2010), Decision trees for uplift modeling, ICDM; Guelman, Guillén and
Pérez-Marín (2012), Random forests for uplift modeling. The paper ran R's uplift (upliftRF); this
is causalml's uplift tree.

Algorithm. Every tree is grown on half of the rows, drawn without replacement within each cell of
(y, t). At a node ⌊√p⌋ features are tried, and the split maximises the gain

    Σ_child n_child/n D(child) - D(node),  normalised as Rzepakowski and Jaroszewicz propose,
    D = Σ_y m_{y1} log(m_{y1} / m_{y0})  (KL)   or   Σ_y (m_{y1} - m_{y0})²  (ED)

with m_{yt} the rate of y among the node's rows of arm t. A leaf predicts m_{11} - m_{10}, and the
forest averages. Depth and number of trees are tuned on validation rows, by cutting one forest.

Differences from upliftRF:
- The half samples, 5 rows per arm in a child, no depth limit (where chosen) and the number of
  features are R's. causalml's own forest would bootstrap, so the trees are bagged here.
- R tries a split only with more than 20 rows in each arm, causalml with 42 rows in all.
- R smooths the children's rates by Laplace's rule; causalml shrinks them towards the parent's
  with weight n_reg. Neither equals the other; n_reg = 0 ranks test rows most like R's.
- The normalisation follows causalml: its constant terms differ from R's.
- Covariates are cut into 64 bins of equal numbers of training rows before trees are grown, which
  is four times faster than trying every value; docs/baselines.md shows what it costs.
"""

import logging
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.forest import LARGEST_SAMPLE, Forest, Tree
from twin.rows import Rows

ROWS_PER_ARM = 5  # in every child
ROWS_TO_SPLIT = 42

# causalml imports forestci, which reports that an optional library is absent as an error.
logging.getLogger("duecredit").setLevel(logging.CRITICAL)


class KLUpliftForest(Forest):
    """Splits by Kullback-Leibler divergence."""

    name = "uplift-forest-kl"
    paper_row = "Uplift Random Forest (KL)"
    grid: ClassVar = {"trees": (100, 300), "depth": (3, 5, 8, None)}
    quick_grid: ClassVar = {"trees": (50,), "depth": (5, None)}
    requires = ("causalml.inference.tree",)
    divergence: ClassVar[str] = "KL"
    bins: ClassVar[int] = 64

    def _grow(self, train: Rows, n_trees: int, max_depth: int | None, seed: int) -> list[Tree]:
        from causalml.inference.tree import UpliftTreeClassifier

        steps = np.arange(1, self.bins) / self.bins
        self._edges = np.quantile(train.X, steps, axis=0, method="inverted_cdf")
        X = self._coded(train.X)
        rng = np.random.default_rng(seed)
        arms = np.where(train.treatment == 1, "treated", "control")
        share = min(0.5, LARGEST_SAMPLE / len(train))
        cells = [
            np.flatnonzero((train.y == y) & (train.treatment == t)) for y in (0, 1) for t in (0, 1)
        ]
        trees = []
        for _ in range(n_trees):
            half = np.concatenate(
                [rng.choice(cell, int(np.ceil(share * len(cell))), replace=False) for cell in cells]
            )
            tree = UpliftTreeClassifier(
                "control",
                evaluationFunction=self.divergence,
                max_features=max(1, int(np.sqrt(train.X.shape[1]))),
                max_depth=max_depth,
                min_samples_leaf=2 * ROWS_PER_ARM,
                min_samples_treatment=ROWS_PER_ARM,
                n_reg=0,
                normalization=True,
                random_state=int(rng.integers(2**31)),
            )
            tree.min_samples_split = ROWS_TO_SPLIT  # not a parameter of the public class
            tree.fit(X[half], treatment=arms[half], y=train.y[half])
            rates = tree.tree_.value[:, :, 0]  # m_{1t} of every node: control, treated
            trees.append(Tree(tree.tree_, rates[:, [1]] - rates[:, [0]]))
        return trees

    def _coded(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        columns = zip(self._edges.T, X.T, strict=True)
        return np.column_stack([np.searchsorted(e, x) for e, x in columns]).astype(np.float32)

    @staticmethod
    def _uplift(mean: NDArray[np.float64]) -> NDArray[np.float64]:
        return mean[:, 0]


class EDUpliftForest(KLUpliftForest):
    """Splits by squared Euclidean distance."""

    name = "uplift-forest-ed"
    paper_row = "Uplift Random Forest (ED)"
    divergence = "ED"
