"""With what probability each row came into each arm: by the design, as the user says it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from suite.campaign.errors import DataError, UserError

SURE = 0.001  # below this p-value the file contradicts the shares that were said


class Design(NamedTuple):
    """`kind` as in `Fairness.propensity`; (rows, arms) probabilities, None for e(x)."""

    kind: str
    probabilities: NDArray[np.float64] | None


def design(
    said: str,
    arm: NDArray[np.int8],
    arms: tuple[str, ...],
    of_column: NDArray[np.float64] | None,
    strata: NDArray[np.int64] | None,
) -> Design:
    """The probabilities that `said` means; a DataError if the file contradicts them.

    `of_column`: the numbers in the column that `said` names, if it names one.
    """
    n, k = len(arm), len(arms)
    if said == "estimate":
        return Design("estimate", None)
    if said == "design" and strata is not None:
        counts = np.zeros((strata.max() + 1, k))
        np.add.at(counts, (strata, arm), 1)
        return Design("strata", _positive(counts, arms)[strata])
    if said == "design":
        shares = np.bincount(arm, minlength=k) / n
        return Design("design", np.tile(shares, (n, 1)))
    if of_column is not None:
        return Design("column", _from_column(said, of_column, arms))
    shares = _shares(said, arms)
    _compare(said, shares, arm, arms)
    return Design("number", np.tile(shares, (n, 1)))


def _positive(counts: NDArray[np.float64], arms: tuple[str, ...]) -> NDArray[np.float64]:
    """Shares by stratum; each stratum needs rows of each arm."""
    for stratum, arm in np.argwhere(counts == 0):
        raise DataError(
            f"stratum {stratum + 1} of --strata has no {arms[arm]} row; join it with another"
        )
    return counts / counts.sum(axis=1, keepdims=True)


def _from_column(
    name: str, share: NDArray[np.float64], arms: tuple[str, ...]
) -> NDArray[np.float64]:
    if len(arms) > 2:
        raise UserError(f"--propensity {name}: a column needs two arms, there are {len(arms)}")
    wrong = np.flatnonzero(~((share > 0) & (share < 1)))
    if len(wrong):
        what = "no number" if np.isnan(share[wrong[0]]) else f"{share[wrong[0]]:g}"
        raise UserError(
            f"--propensity {name}: row {wrong[0] + 1:,} is {what}; each must lie between 0 and 1"
        )
    return np.column_stack([1 - share, share])


def _shares(said: str, arms: tuple[str, ...]) -> NDArray[np.float64]:
    """0.5, or mail=0.3,call=0.3: the rest belongs to control."""
    try:
        if "=" in said:
            given = dict(part.rsplit("=", 1) for part in said.split(","))
            unknown = [name for name in given if name not in arms]
            if unknown:
                raise UserError(
                    f"--propensity {said}: no arm {unknown[0]}; there are: {', '.join(arms)}"
                )
            shares = np.array([float(given.get(name, "nan")) for name in arms])
        elif len(arms) == 2:
            shares = np.array([np.nan, float(said)])
        else:
            raise UserError(
                f"--propensity {said}: with {len(arms)} arms say ARM=SHARE for each treatment"
            )
    except ValueError as error:
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"--propensity {said}: say design, estimate, a number, ARM=SHARE,... or a column"
        ) from None
    if np.isnan(shares).sum() == 1:
        shares = np.where(np.isnan(shares), 1 - np.nansum(shares), shares)
    if np.isnan(shares).any() or (shares <= 0).any() or not np.isclose(shares.sum(), 1):
        raise UserError(f"--propensity {said}: the shares of all arms must be above 0 and sum to 1")
    return shares


def _compare(
    said: str, shares: NDArray[np.float64], arm: NDArray[np.int8], arms: tuple[str, ...]
) -> None:
    counts = np.bincount(arm, minlength=len(arms))
    expected = shares * len(arm)
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    p = float(stats.chi2.sf(chi2, len(arms) - 1))
    if p < SURE:
        what = f"{1 - counts[0] / len(arm):.1%}".replace("%", " %")
        shown = "p < 1e-300" if p < 1e-300 else f"p = {p:.1g}"
        raise DataError(
            f"--propensity {said}, but {what} of {len(arm):,} rows are treated ({shown}): rows "
            "were lost or the design was another. Say --propensity design to go on"
        )
