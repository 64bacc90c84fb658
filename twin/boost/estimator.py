"""TwinBoost: two counterfactual logits that share a base f and an effect d, both boosted."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from twin.boost import storage
from twin.boost.bins import Bins
from twin.boost.fits import Fit
from twin.boost.heads import mean_head
from twin.boost.inputs import Prepared, prepare, same_columns
from twin.boost.progress import progress
from twin.boost.recipe import SEARCH_STAGES, member, search
from twin.calibration import calibrated_outcomes, four_numbers
from twin.losses import is_augmented
from twin.qini import adjusted_qini_score

Floats = NDArray[np.float64]
HEADS = ("response", "uplift")  # what f and d explain: who responds anyway, who is moved


class TwinBoost(BaseEstimator):
    """logit Pr(Y = 1 | x, t) = f(x) + (t - c) d(x), f and d boosted lines and small trees.

    Missing values (NaN) and categories need no preparation: each has a bin of its own.

    Parameters
    ----------
    categories : columns that hold categories, by name or by position, besides those of pandas'
        category type. At most 255 levels each; rarer and new ones count as missing.
    loss : "binomial" (its synonym "likelihood"), or "uplift", the paper's augmented loss, whose
        derivatives then make the steps. It takes twice as long, and no clear gain was seen
        (docs/boost.md). Stopping and choices are by likelihood in both cases.
    members : the model is the mean of this many, each fitted without one fold of the rows.
    search_rows : at most so many rows to fit and to compare on while choices are made; the
        members are fitted on all rows.
    random_state : whole number, or None for a new one each time (kept in `seed_`); it draws folds.
    threads : fits at the same time. It changes the time, not the numbers.
    verbose : show a progress bar.

    Attributes
    ----------
    choices_ : what the search chose. validation_loss_ : mean over the members.
    calibration_ : a, b, g, h of a + b f + (t - c)(g + h d).
    feature_importances_ : DataFrame, the share of each covariate in what either head explains.
    n_features_in_, feature_names_in_, propensity_ (share of treated rows), seed_.
    """

    # See UpliftEstimator: known to Pipeline.score, and an error where weights are really given.
    __metadata_request__score: ClassVar = {"sample_weight": None}

    def __init__(
        self,
        categories: Sequence[str | int] = (),
        loss: str = "binomial",
        members: int = 5,
        search_rows: int = 20_000,
        random_state: int | None = None,
        threads: int = 1,
        verbose: bool = False,
    ) -> None:
        self.categories = categories
        self.loss = loss
        self.members = members
        self.search_rows = search_rows
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, treatment: Any, validation: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit on rows X with outcome y and treatment t (0/1).

        `validation` = (X, y, treatment), or a fraction of the rows such as 0.3: these rows stop and
        choose, and nothing is fitted on them. Without it folds of all rows take turns, which uses
        more rows to fit. `sample_weight` is one number of at least 0 for each row of X.
        """
        augmented = is_augmented(self.loss)
        for name, least in (("members", 2), ("search_rows", 100), ("threads", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} up")
        ready = prepare(
            X,
            y,
            treatment,
            validation,
            sample_weight,
            self.categories,
            self.members,
            self.random_state,
            augmented,
        )
        with progress(SEARCH_STAGES + self.members, self.verbose) as report:
            fits = self._fits(ready, report)
        self._keep(ready, fits)
        return self

    def _fits(self, ready: Prepared, report: Callable[[float], None]) -> list[Fit]:
        def run(tasks: Sequence[Callable[[], Fit]]) -> list[Fit]:
            if self.threads == 1:
                return [task() for task in tasks]
            with ThreadPoolExecutor(self.threads) as pool:
                return list(pool.map(lambda task: task(), tasks))

        def one(k: int) -> Fit:
            fit = member(ready.member_part(k), choices)
            report(fit.loss)
            own = ready.fold == k  # of the values only those that calibrate are kept
            f, d = fit.f_values()[own], fit.d_values()[own]
            return replace(fit, f_values=lambda: f, d_values=lambda: d)

        choices = search(ready.search_part(self.search_rows), run, report)
        return run([lambda k=k: one(k) for k in range(self.members)])

    def _keep(self, ready: Prepared, fits: list[Fit]) -> None:
        """Every fitted attribute, when nothing can fail any more."""
        c = fits[0].choices.c
        # Each row by the member that was fitted without it.
        rows = np.concatenate([np.flatnonzero(ready.fold == k) for k in range(len(fits))])
        f, d = (np.concatenate([getattr(fit, f"{name}_values")() for fit in fits]) for name in "fd")
        numbers = four_numbers(f, d, ready.t[rows] - c, ready.y[rows], ready.weight[rows])
        self.seed_, self.propensity_ = ready.seed, ready.treated_share
        self.n_features_in_ = len(ready.bins.names)
        if ready.named:
            self.feature_names_in_ = np.asarray(ready.bins.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.bins_, self.c_ = ready.bins, c
        self.f_, self.d_ = (mean_head([getattr(fit, name) for fit in fits]) for name in "fd")
        self.calibration_ = dict(zip("abgh", numbers, strict=True))
        self.gains_ = np.mean([fit.gains for fit in fits], axis=0)
        self.validation_loss_ = float(np.mean([fit.loss for fit in fits]))
        self.choices_ = _described(fits[0], ready.bins)

    def predict(self, X: Any) -> Floats:
        """Calibrated uplift Pr(Y = 1 | x, t = 1) - Pr(Y = 1 | x, t = 0), one for each row."""
        outcomes = self.predict_outcomes(X)
        return outcomes[:, 1] - outcomes[:, 0]

    def predict_outcomes(self, X: Any) -> Floats:
        """Calibrated Pr(Y = 1 | x, t), shape (n, 2): columns control (t = 0), treated (t = 1)."""
        return calibrated_outcomes(*self._heads(X), **self.calibration_, c=self.c_)

    def predict_raw(self, X: Any) -> Floats:
        """Uplift before calibration."""
        outcomes = calibrated_outcomes(*self._heads(X), 0.0, 1.0, 0.0, 1.0, self.c_)
        return outcomes[:, 1] - outcomes[:, 0]

    def score(self, X: Any, y: Any, treatment: Any) -> float:
        """q_adj of the predictions, in per cent (10 bins, the paper's convention)."""
        return float(adjusted_qini_score(y, self.predict(X), treatment))

    @property
    def feature_importances_(self) -> pd.DataFrame:
        """The share of each covariate in the loss that f ("response") and d ("uplift") took off."""
        self._check_fitted()
        total = self.gains_.sum(axis=1, keepdims=True)
        shares = np.divide(self.gains_, total, out=np.zeros_like(self.gains_), where=total > 0)
        return pd.DataFrame(shares.T, index=list(self.bins_.names), columns=HEADS)

    def effect(self, name: str | int) -> pd.DataFrame:
        """How d, the effect on the log odds, changes along one covariate, by name or position.

        One row for each bin: what stands in it (the mean of a number, a category, "missing"), the
        share of rows, and the effect, centred at 0 over the rows, others averaged out.
        """
        self._check_fitted()
        names = self.bins_.names
        j = names.index(name) if name in names else name
        if isinstance(j, str) or not 0 <= j < len(names):
            raise ValueError(f"no covariate {name!r}; the fit had {', '.join(names[:8])} ...")
        count = int(self.bins_.n_bins[j])
        share = self.bins_.share[j, : count + 1]
        along = self.calibration_["h"] * self.d_.along(j, count)
        return pd.DataFrame(
            {"value": self.bins_.labels(j), "share": share, "effect": along - share @ along}
        )

    def save(self, path: str | Path) -> None:
        """Write the fitted model to `path`: plain arrays and JSON in an .npz file, no pickle."""
        self._check_fitted()
        storage.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The fitted model that `save` wrote; it predicts the same, bit for bit."""
        return storage.load(cls, path)

    def _heads(self, X: Any) -> tuple[Floats, Floats]:
        self._check_fitted()
        same_columns(self.bins_.names, hasattr(self, "feature_names_in_"), X)
        B = self.bins_.apply(X)
        return self.f_.values(B, self.threads), self.d_.values(B, self.threads)

    def _check_fitted(self) -> None:
        if not hasattr(self, "bins_"):
            raise NotFittedError(
                "this TwinBoost is not fitted yet; call fit(X, y, treatment) first"
            )


def _described(fit: Fit, bins: Bins) -> dict[str, Any]:
    """The choices in words; None: all covariates."""
    choices = fit.choices
    named = {
        name: None if columns is None else [bins.names[j] for j in columns]
        for name, columns in (("f", choices.f_columns), ("d", choices.d_columns))
    }
    return {
        "c": choices.c,
        "f_depth": choices.f.depth,
        "f_line_bonus": choices.f.line_bonus,
        "d_depth": choices.d.depth,
        "d_line_bonus": choices.d.line_bonus,
        "f_covariates": named["f"],
        "d_covariates": named["d"],
    }
