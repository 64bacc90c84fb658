"""Was it a fair test: can the covariates tell the arms apart?"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from suite.campaign.auc import auc_within
from suite.campaign.encode import Encoder
from suite.campaign.propensity import Design
from suite.campaign.types import Column, Difference, Fairness, Verdict

FOLDS = 5
MOST_ROWS = 200_000  # that the arms' predictability is measured on
SLIGHT, NOT_RANDOM = 0.01, 0.6
NARROW = 0.02  # e(x) of an arm below this, or a tenth of its share: no comparison is possible
Array = NDArray[np.float64]


def fairness(
    columns: Sequence[Column],
    frame: pd.DataFrame,
    outcome: NDArray[np.int8],
    arm: NDArray[np.int8],
    arms: tuple[str, ...],
    design: Design,
    *,
    strata: NDArray[np.int64] | None = None,
    groups: NDArray[np.int64] | None = None,
    seed: int = 0,
) -> Fairness:
    """The verdict, and the probabilities of the arms that the analysis is to use."""
    used = [column for column in columns if column.used]
    encoder = Encoder(rates=False).fit(used, frame, outcome, arm)
    X = encoder.transform(frame)
    n_arms = len(arms)
    rng = np.random.default_rng(seed)
    sample = np.arange(len(arm))
    if len(arm) > MOST_ROWS:
        sample = np.sort(rng.choice(len(arm), MOST_ROWS, replace=False))
    fold = _folds(len(arm) if groups is None else groups, rng)
    fits = {
        kind: _cross_fitted(kind, X, arm, n_arms, fold, sample, seed)
        for kind in ("logistic", "trees")
    }
    areas = {
        kind: [_area(p, arm, k, strata, sample) for k in range(1, n_arms)]
        for kind, p in fits.items()
    }
    area, se = max(pair for pairs in areas.values() for pair in pairs)
    verdict = _verdict(area, se)
    kind, known = design.kind, design.probabilities
    shares = np.bincount(arm, minlength=n_arms) / len(arm)
    outside = None
    if known is None or (verdict != "fair" and kind == "design"):
        kind = "estimate"
        likelihood = {name: np.log(p[np.arange(len(arm)), arm]).mean() for name, p in fits.items()}
        known = fits[max(likelihood, key=likelihood.get)]
        # An arm that is small by design is improbable for everybody: that alone says nothing.
        outside = (known < np.minimum(NARROW, shares / 10)).any(axis=1)
    return Fairness(
        verdict=verdict,
        auc=area,
        se=se,
        n_columns=len(used),
        differences=tuple(_differences(encoder.names, X, arm, arms)),
        shares=tuple(map(float, shares)),
        propensity=kind,
        design=known,
        months=_months(columns, frame, arm),
        duplicated_rows=int(frame.assign(_y=outcome, _t=arm).duplicated().sum()),
        outside=outside if outside is not None and outside.any() else None,
    )


def _verdict(area: float, se: float) -> Verdict:
    if area < 0.5 + max(SLIGHT, 3 * se):
        return "fair"
    return "slightly predictable" if area <= NOT_RANDOM else "not random"


def _folds(rows: int | NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A fold for each row; the rows of a group share theirs."""
    if isinstance(rows, int):
        return rng.permutation(np.arange(rows) % FOLDS)
    return rng.permutation(np.arange(rows.max() + 1) % FOLDS)[rows]


def _cross_fitted(
    kind: Literal["logistic", "trees"],
    X: Array,
    arm: NDArray[np.int8],
    n_arms: int,
    fold: NDArray[np.int64],
    sample: NDArray[np.int64],
    seed: int,
) -> Array:
    """Probability of each arm for each row, from models that have not seen the row."""
    result = np.empty((len(arm), n_arms))
    for k in range(FOLDS):
        inside, outside = sample[fold[sample] != k], np.flatnonzero(fold == k)
        result[outside] = _probabilities(kind, X[inside], arm[inside], X[outside], n_arms, seed)
    return np.clip(result, 1e-6, 1.0)


def _probabilities(
    kind: str, X: Array, arm: NDArray[np.int8], new: Array, n_arms: int, seed: int
) -> Array:
    if kind == "logistic":
        scale = StandardScaler().fit(X)
        model = LogisticRegression(C=0.1, max_iter=200, tol=1e-3).fit(scale.transform(X), arm)
        return model.predict_proba(scale.transform(new))
    import xgboost as xgb

    about = {
        "objective": "multi:softprob",
        "num_class": n_arms,
        "max_depth": 3,
        "eta": 0.15,
        "min_child_weight": 10,
        "subsample": 0.8,
        "tree_method": "hist",
        "max_bin": 64,
        "nthread": 1,
        "seed": seed,
    }
    booster = xgb.train(about, xgb.DMatrix(X, label=arm, nthread=1), 40)
    return booster.inplace_predict(new).astype(np.float64)


def _area(
    p: Array,
    arm: NDArray[np.int8],
    k: int,
    strata: NDArray[np.int64] | None,
    sample: NDArray[np.int64],
) -> tuple[float, float]:
    rows = sample[(arm[sample] == 0) | (arm[sample] == k)]
    within = None if strata is None else strata[rows]
    return auc_within(p[rows, k] / (p[rows, k] + p[rows, 0]), arm[rows] == k, within)


def _differences(
    names: Sequence[str], X: Array, arm: NDArray[np.int8], arms: tuple[str, ...]
) -> list[Difference]:
    """(mean of the arm - mean of control) / pooled standard deviation, the largest first."""
    mean = [X[arm == k].mean(axis=0) for k in range(len(arms))]
    variance = [X[arm == k].var(axis=0) for k in range(len(arms))]
    found = []
    for k in range(1, len(arms)):
        scale = np.sqrt((variance[k] + variance[0]) / 2)
        value = np.divide(mean[k] - mean[0], scale, out=np.zeros(len(names)), where=scale > 0)
        found += [Difference(n, arms[k], float(v)) for n, v in zip(names, value, strict=True)]
    return sorted(found, key=lambda d: (-abs(d.value), d.name, d.arm))


def _months(
    columns: Sequence[Column], frame: pd.DataFrame, arm: NDArray[np.int8]
) -> tuple[tuple[str, int, float], ...]:
    """Rows and treated share by month of the first date whose months all hold many rows."""
    for name in (c.name for c in columns if c.kind == "date" and c.used):
        month = frame[name].dt.to_period("M")
        table = pd.DataFrame({"month": month, "treated": arm > 0}).dropna().groupby("month")
        sizes = table.size()
        if 2 <= len(sizes) <= 36:
            share = table["treated"].mean()
            return tuple((str(m), int(sizes[m]), float(share[m])) for m in sizes.index)
    return ()
