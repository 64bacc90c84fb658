"""A sparse linear d given f: the lasso's path, and the same covariates without penalty.

Minimises mean binomial loss of f + s (b_0 + sum_j b_j z_j) plus lambda sum_j |b_j| by quadratic
approximation and coordinate descent (Friedman, Hastie and Tibshirani, 2010).
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from twin.boost.derivatives import sigmoid
from twin.boost.rounds import Data

Floats = NDArray[np.float64]
MOST_COLUMNS = 40  # the strongest at d = constant; the path is for few
PENALTIES = 0.8 * np.geomspace(1, 0.0125, 16)  # shares of the lambda that empties the model
BAD = 4  # penalties in a row that improve nothing end the path
APPROXIMATIONS, SWEEPS = 12, 200  # at most
TOLERANCE = 1e-4  # the largest change of a coefficient that counts as converged

_compiled = njit(cache=True, nogil=True)


@_compiled
def derivatives(data, columns, f, beta, gradient, gram, with_gram):
    """Of the mean loss by beta = (intercept, slopes): its gradient and, if asked, its Hessian."""
    size = len(beta)
    gradient[:] = 0.0
    if with_gram:
        gram[:] = 0.0
    a, total = np.empty(size), 0.0
    for i in data.fit_rows:
        a[0] = data.s[i]
        logit = f[i] + a[0] * beta[0]
        for k in range(1, size):
            j = columns[k - 1]
            a[k] = data.s[i] * data.z[j, data.B[i, j]]
            logit += a[k] * beta[k]
        m = sigmoid(logit)
        first, second = data.weight[i] * (m - data.y[i]), data.weight[i] * m * (1.0 - m)
        total += data.weight[i]
        for k in range(size):
            gradient[k] += first * a[k]
        if with_gram:
            for k in range(size):
                for q in range(k + 1):
                    gram[k, q] += second * a[k] * a[q]
    gradient /= total
    if with_gram:
        for k in range(size):
            for q in range(k + 1):
                gram[k, q] /= total
                gram[q, k] = gram[k, q]


@_compiled
def descend(beta, gradient, gram, penalty):
    """Minimise the quadratic at beta plus the penalty, coordinate by coordinate."""
    x, slope = beta.copy(), gradient.copy()  # slope: of the quadratic at x
    for _ in range(SWEEPS):
        largest = 0.0
        for k in range(len(x)):
            curvature = gram[k, k]
            if curvature <= 1e-12:
                continue
            aim = x[k] - slope[k] / curvature
            if k > 0:
                aim = math.copysign(max(abs(aim) - penalty / curvature, 0.0), aim)
            change = aim - x[k]
            if change != 0.0:
                x[k] = aim
                for q in range(len(x)):
                    slope[q] += change * gram[q, k]
                largest = max(largest, abs(change))
        if largest < 0.1 * TOLERANCE:
            break
    return x


@_compiled
def minimise(data, columns, f, start, penalty):
    """The coefficients (intercept first) of the least penalised loss, from `start`."""
    size = len(start)
    beta, gradient, gram = start.copy(), np.empty(size), np.empty((size, size))
    for k in range(APPROXIMATIONS):
        # Curvature changes little from one approximation to the next: once in three is enough.
        derivatives(data, columns, f, beta, gradient, gram, k % 3 == 0)
        moved = descend(beta, gradient, gram, penalty)
        change = np.abs(moved - beta).max()
        if change > 2.0:  # a long step of a quadratic is not to be trusted
            moved = beta + (2.0 / change) * (moved - beta)
        beta = moved
        if change < TOLERANCE:
            break
    return beta


@_compiled
def stopping_loss(data, columns, f, beta):
    """Mean loss of the stopping rows."""
    total, size = 0.0, 0.0
    for i in data.stop_rows:
        d = beta[0]
        for k in range(1, len(beta)):
            j = columns[k - 1]
            d += beta[k] * data.z[j, data.B[i, j]]
        a = f[i] + data.s[i] * d
        loss = max(a, 0.0) + math.log1p(math.exp(-abs(a))) - data.y[i] * a
        total += data.weight[i] * loss
        size += data.weight[i]
    return total / size


@_compiled
def line_gains(data, columns, f, beta, gains):
    """gains[j] += what b_j takes off the sum of losses, b_j^2 / 2 times the second derivative."""
    for i in data.fit_rows:
        d = beta[0]
        for k in range(1, len(beta)):
            d += beta[k] * data.z[columns[k - 1], data.B[i, columns[k - 1]]]
        m = sigmoid(f[i] + data.s[i] * d)
        second = data.weight[i] * m * (1.0 - m) * data.s[i] ** 2
        for k in range(1, len(beta)):
            z = data.z[columns[k - 1], data.B[i, columns[k - 1]]]
            gains[columns[k - 1]] += 0.5 * second * (beta[k] * z) ** 2


def sparse_line(data: Data, f: Floats) -> tuple[float, Floats, NDArray[np.int64], Floats]:
    """The best of the path by the stopping rows: loss, coefficients, their columns, gains."""
    p = data.B.shape[1]
    everything = np.flatnonzero(~data.categorical)
    none = np.empty(0, np.int64)
    constant = minimise(data, none, f, np.zeros(1), 0.0)
    start = np.concatenate([constant, np.zeros(len(everything))])
    gradient, gram = np.empty(len(start)), np.empty((0, 0))
    derivatives(data, everything, f, start, gradient, gram, False)
    strongest = np.argsort(-np.abs(gradient[1:]), kind="stable")[:MOST_COLUMNS]
    columns = everything[np.sort(strongest)]
    best, best_beta = stopping_loss(data, none, f, constant), start[: len(columns) + 1].copy()
    beta, seen, bad = best_beta.copy(), set(), 0
    largest = np.abs(gradient[1:]).max(initial=0.0)
    for penalty in largest * PENALTIES if largest > 0 else ():
        beta = minimise(data, columns, f, beta, penalty)
        found = [beta]
        chosen = np.flatnonzero(beta[1:])
        if len(chosen) and chosen.tobytes() not in seen:
            seen.add(chosen.tobytes())
            kept = np.concatenate([[0], chosen + 1])
            free = np.zeros_like(beta)
            free[kept] = minimise(data, columns[chosen], f, beta[kept], 0.0)
            found += [free, (free + beta) / 2]
        losses = [stopping_loss(data, columns, f, candidate) for candidate in found]
        bad += 1
        if min(losses) < best - 1e-6:
            best, best_beta, bad = min(losses), found[int(np.argmin(losses))], 0
        if bad == BAD:
            break
    gains = np.zeros(p)
    line_gains(data, columns, f, best_beta, gains)
    return best, best_beta, columns, gains
