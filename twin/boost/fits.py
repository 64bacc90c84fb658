"""Single fits: f and d together, one given the other, a sparse linear d."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from twin.boost.bins import Bins
from twin.boost.heads import Head
from twin.boost.rounds import Data, Growth, Loss, run
from twin.boost.sparse import sparse_line

Floats = NDArray[np.float64]
ROUNDS = 1500  # at most


@dataclass(frozen=True)
class Shape:
    """How a head grows: the depth of its trees, and how much a line is preferred to a split."""

    depth: int
    line_bonus: float


@dataclass(frozen=True)
class Choices:
    """What the search decides. None: all covariates."""

    c: float
    f: Shape
    d: Shape
    f_columns: tuple[int, ...] | None = None
    d_columns: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """f and d; `loss` is that of the stopping rows.

    `f_values()` and `d_values()` are those of all rows, computed when first asked for: of most
    fits in a search only the loss is wanted.
    """

    loss: float
    f: Head
    d: Head
    f_values: Callable[[], Floats]
    d_values: Callable[[], Floats]
    gains: Floats  # (2, p): what each covariate took off the loss, by f and by d
    choices: Choices


@dataclass(frozen=True, eq=False)
class Part:
    """Binned rows, some to fit on and others to stop on."""

    B: NDArray[np.uint8]
    y: Floats
    t: Floats
    weight: Floats
    bins: Bins
    fit_rows: NDArray[np.int32]
    stop_rows: NDArray[np.int32]
    augmented: bool = False

    @property
    def treated_share(self) -> float:
        """Of the fitting rows, by weight."""
        return float(np.average(self.t[self.fit_rows], weights=self.weight[self.fit_rows]))

    def data(self, c: float) -> Data:
        """What the compiled loops take."""
        bins = self.bins
        return Data(
            self.B,
            bins.n_bins,
            bins.categorical,
            bins.z,
            self.y,
            self.t - c,
            self.weight,
            self.fit_rows,
            self.stop_rows,
        )

    def thinned(self, most: int, rng: np.random.Generator) -> Self:
        """At most `most` rows to fit on and as many to stop on, drawn at random."""
        if max(len(self.fit_rows), len(self.stop_rows)) <= most:
            return self
        parts = [np.sort(rng.permutation(r)[:most]) for r in (self.fit_rows, self.stop_rows)]
        rows, cut = np.concatenate(parts), len(parts[0])
        taken = {name: getattr(self, name)[rows] for name in ("B", "y", "t", "weight")}
        order = np.arange(len(rows), dtype=np.int32)
        return replace(self, **taken, fit_rows=order[:cut], stop_rows=order[cut:])

    def start(self, c: float) -> tuple[float, float]:
        """f and d of a model without covariates: the log odds of both arms (half a row added)."""
        odds = []
        for arm in (0, 1):
            rows = self.fit_rows[self.t[self.fit_rows] == arm]
            weight = self.weight[rows]
            rate = (weight @ self.y[rows] + 0.5) / (weight.sum() + 1)
            odds.append(np.log(rate / (1 - rate)))
        return odds[0] + c * (odds[1] - odds[0]), odds[1] - odds[0]

    def boost(
        self,
        choices: Choices,
        *,
        rate: float,
        heads: str = "fd",
        f_from: Fit | None = None,
        d_from: Fit | None = None,
    ) -> Fit:
        """Boost `heads` on top of the heads of other fits, or of constants."""
        n, p = self.B.shape
        f_start, d_start = self.start(choices.c)
        f, f_values = _head_and_values(f_from, "f", f_start, n, self.bins)
        d, d_values = _head_and_values(d_from, "d", d_start, n, self.bins)
        data, e = self.data(choices.c), self.treated_share
        loss = Loss(self.augmented, float(np.log(e / (1 - e))), float(choices.c))
        shapes = (choices.f, choices.f_columns), (choices.d, choices.d_columns)
        growths = tuple(
            _growth(shape, columns, p, rate if head in heads else 0.0)
            for head, (shape, columns) in zip("fd", shapes, strict=True)
        )
        best, count, steps, gains = run(
            data,
            loss,
            growths,
            (choices.f.depth, choices.d.depth),
            f_values(),
            d_values(),
            ROUNDS,
            int(6 / rate),
        )
        if "f" in heads:
            more = Head.of_steps(steps[0], count, data.z, data.n_bins)
            f, f_values = f + more, self._values_later(f_values, more)
        if "d" in heads:
            more = Head.of_steps(steps[1], count, data.z, data.n_bins)
            d, d_values = d + more, self._values_later(d_values, more)
        for row, source in enumerate((f_from, d_from)):
            if source is not None:
                gains[row] += source.gains[row]
        return Fit(best, f, d, f_values, d_values, gains, choices)

    def sparse(self, fit: Fit) -> Fit:
        """`fit` with a sparse linear d in place of its own."""
        data = self.data(fit.choices.c)
        loss, beta, columns, d_gains = sparse_line(data, fit.f_values())
        table = np.zeros(data.z.shape)
        table[columns] = beta[1:, None] * data.z[columns]
        d = Head.additive(beta[0], table)
        gains = np.stack([fit.gains[0], d_gains])
        values = cache(lambda: d.values(self.B))
        return replace(fit, loss=loss, d=d, d_values=values, gains=gains)

    def _values_later(self, before: Callable[[], Floats], more: Head) -> Callable[[], Floats]:
        return cache(lambda: before() + more.values(self.B))


def _head_and_values(
    source: Fit | None, name: str, start: float, n: int, bins: Bins
) -> tuple[Head, Callable[[], Floats]]:
    if source is None:
        return Head.additive(start, np.zeros(bins.z.shape)), lambda: np.full(n, start)
    return getattr(source, name), getattr(source, f"{name}_values")


def _growth(shape: Shape, columns: tuple[int, ...] | None, p: int, rate: float) -> Growth:
    every = np.arange(p) if columns is None else np.array(sorted(columns), dtype=np.int64)
    return Growth(every, shape.line_bonus, rate)


def best_of(*fits: Fit) -> Fit:
    """The fit with the least loss; the first of equals."""
    return min(fits, key=lambda fit: fit.loss)
