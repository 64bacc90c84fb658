"""The four simulated scenarios of the paper (Table "tab:scenarios"), each in three variants.

Odd-numbered covariates are N(0, 1), even-numbered Bernoulli(1/2), T ~ Bernoulli(1/2),

    Y* ~ N(mu(x) + t tau(x), sigma^2),   Y = 1(Y* > 0),
    u*(x) = Phi((mu + tau) / sigma) - Phi(mu / sigma).

The printed formulas cannot have produced all of the printed results, hence the variants:

    printed   the paper's formulas
    released  what the authors' public generator computes: f4 without all but its first two terms,
              and sigma = 2 in scenario 3
    centred   released with (t - 1/2) in the place of t, the form of Powers et al. (2018)

The random numbers depend on scenario and replicate alone, so the variants of a replicate share
covariates, treatment and noise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from datasets.contract import Dataset, Source
from twin.rows import Rows

Column = NDArray[np.float64]
Function = Callable[[Mapping[int, Column]], Column]  # of the covariates x[1], x[2], ...

VARIANTS = ("printed", "released", "centred")
_USED_COVARIATES = 9  # the formulas read x[1] to x[9]
_MINIMUM_ROWS = 100  # below that a part of the split could miss an arm
_BLOCK = 1 << 14  # rows drawn at a time; part of what a replicate is, since it orders the draws


def f2(x: Mapping[int, Column]) -> Column:
    return 5.0 * (x[1] > 1) - 5


def f3(x: Mapping[int, Column]) -> Column:
    return 2 * x[1] - 4


def f4(x: Mapping[int, Column]) -> Column:
    return (
        x[2] * x[4] * x[6]
        + 2 * x[2] * x[4] * (1 - x[6])
        + 3 * x[2] * (1 - x[4]) * x[6]
        + 4 * x[2] * (1 - x[4]) * (1 - x[6])
        + 5 * (1 - x[2]) * x[4] * x[6]
        + 6 * (1 - x[2]) * x[4] * (1 - x[6])
        + 7 * (1 - x[2]) * (1 - x[4]) * x[6]
        + 8 * (1 - x[2]) * (1 - x[4]) * (1 - x[6])
    )


def f4_released(x: Mapping[int, Column]) -> Column:
    return x[2] * x[4] * x[6] + 2 * x[2] * x[4] * (1 - x[6])


def f5(x: Mapping[int, Column]) -> Column:
    return x[1] + x[3] + x[5] + x[7] + x[8] + x[9] - 2


def f6(x: Mapping[int, Column]) -> Column:
    return (
        4.0 * (x[1] > 1) * (x[3] > 0)
        + 4.0 * (x[5] > 1) * (x[7] > 0)
        + 2 * x[8] * x[9]
    )  # fmt: skip


def f7(x: Mapping[int, Column]) -> Column:
    squares = x[1] ** 2 + x[3] ** 2 + x[5] ** 2 + x[7] ** 2 + x[9] ** 2
    return (squares + x[2] + x[4] + x[6] + x[8] - 11) / 2


def f8(x: Mapping[int, Column]) -> Column:
    return (f4(x) + f5(x)) / np.sqrt(2)


def f8_released(x: Mapping[int, Column]) -> Column:
    return (f4_released(x) + f5(x)) / np.sqrt(2)


@dataclass(frozen=True)
class Scenario(Source):
    """Scenario `number` with its mean effect mu, treatment effect tau and noise level sigma.

    `released_tau` and `released_sigma` are what the authors' generator has instead, where it
    differs.
    """

    number: int
    n: int
    p: int
    mu: Function
    tau: Function
    sigma: float
    released_tau: Function | None = None
    released_sigma: float | None = None

    options: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"variant": "printed", "n": None, "p": None}
    )

    @property
    def name(self) -> str:
        return f"scenario{self.number}"

    @property
    def summary(self) -> str:
        return (
            f"simulated, {self.n:,} x {self.p}, mu = {self.mu.__name__}, "
            f"tau = {self.tau.__name__}, sigma = {self.sigma:g}; {', '.join(VARIANTS)}"
        )

    def load(
        self,
        replicate: int = 0,
        *,
        variant: str = "printed",
        n: int | None = None,
        p: int | None = None,
    ) -> Dataset:
        """Replicate `replicate`, split 40/30/30; n and p replace the paper's sizes."""
        _check_variant(variant)
        n = self.n if n is None else _whole(n, "n", _MINIMUM_ROWS)
        p = self.p if p is None else _whole(p, "p", _USED_COVARIATES)
        _whole(replicate, "replicate", 0)
        rows = self._rows(replicate, variant, n, p)
        first, second = 4 * n // 10, 7 * n // 10
        return Dataset(
            name=self.name,
            replicate=replicate,
            train=rows.take(slice(0, first)),
            valid=rows.take(slice(first, second)),
            test=rows.take(slice(second, n)),
            options={"variant": variant, "n": n, "p": p},
            note=f"simulated data, {variant} formulas",
        )

    def _rows(self, replicate: int, variant: str, n: int, p: int) -> Rows:
        seeds = np.random.SeedSequence([self.number, replicate]).spawn(4)
        normal, binary, arm, noise = map(np.random.default_rng, seeds)
        X = np.empty((n, p), dtype=np.float32)
        for start in range(0, n, _BLOCK):  # in place: X is never held twice
            block = X[start : start + _BLOCK]
            odd, even = block[:, 0::2], block[:, 1::2]
            odd[:] = normal.standard_normal(odd.shape, dtype=np.float32)
            even[:] = binary.integers(0, 2, even.shape, dtype=np.uint8)
        treatment = arm.integers(0, 2, n, dtype=np.int8)
        control, treated = self._standardised_means(X, variant)
        latent = np.where(treatment == 1, treated, control) + noise.standard_normal(n)
        return Rows(
            X=X,
            y=(latent > 0).astype(np.int8),
            treatment=treatment,
            names=tuple(f"x{j}" for j in range(1, p + 1)),
            true_uplift=ndtr(treated) - ndtr(control),
            propensity=0.5,
        )

    def _standardised_means(self, X: NDArray[np.float32], variant: str) -> tuple[Column, Column]:
        """Mean of Y* / sigma of every row without and with treatment."""
        x = {j: X[:, j - 1].astype(np.float64) for j in range(1, _USED_COVARIATES + 1)}
        mu, tau, sigma = self.mu(x), self.tau, self.sigma
        if variant != "printed":
            tau, sigma = self.released_tau or tau, self.released_sigma or sigma
        shift = 0.5 if variant == "centred" else 0.0
        return (mu - shift * tau(x)) / sigma, (mu + (1 - shift) * tau(x)) / sigma


def _check_variant(variant: str) -> None:
    if variant not in VARIANTS:
        raise ValueError(f"variant is {variant!r}; it must be one of {', '.join(VARIANTS)}")


def _whole(value: Any, name: str, minimum: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, at least {minimum}")
    return int(value)


SOURCES = (
    Scenario(1, n=10_000, p=200, mu=f7, tau=f4, sigma=0.5, released_tau=f4_released),
    Scenario(2, n=20_000, p=100, mu=f3, tau=f5, sigma=1.0),
    Scenario(3, n=20_000, p=100, mu=f2, tau=f7, sigma=1.0, released_sigma=2.0),
    Scenario(4, n=20_000, p=100, mu=f6, tau=f8, sigma=4.0, released_tau=f8_released),
)
