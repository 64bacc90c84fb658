"""One boosting run, compiled: rounds of one step for f and one for d, stopped on other rows."""

from typing import NamedTuple

import numpy as np
from numba import njit

from twin.boost.kernels import (
    LEAF,
    RIDGE,
    add_tree,
    best_line,
    best_split,
    goes_left,
    grow,
    histogram,
    mean_loss,
    newton_weights,
)

_compiled = njit(cache=True, nogil=True)
LEAST_PROGRESS = 1e-7  # a validation loss that falls by less has not fallen


class Data(NamedTuple):
    """Binned rows. s = t - c; `weight` has mean 1."""

    B: np.ndarray  # (n, p) uint8
    n_bins: np.ndarray  # (p,) int64, without the bin of missing values
    categorical: np.ndarray  # (p,) bool
    z: np.ndarray  # (p, width) float64, the standardised mean of each bin
    y: np.ndarray  # (n,) float64
    s: np.ndarray  # (n,) float64
    weight: np.ndarray  # (n,) float64
    fit_rows: np.ndarray  # int32: the rows that steps are fitted on
    stop_rows: np.ndarray  # int32: the rows that say when to stop


class Growth(NamedTuple):
    """How one head grows."""

    columns: np.ndarray  # (k,) int64: the covariates that it may use
    line_bonus: float  # a line is taken where its gain times this reaches the best split's
    rate: float  # share of a Newton step that is taken; 0: the head rests


class Loss(NamedTuple):
    """The loss whose derivatives are boosted."""

    augmented: bool
    log_odds: float  # of the propensity
    c: float


class Steps(NamedTuple):
    """One step each round: a line in one covariate (line >= 0) or a tree in heap order."""

    line: np.ndarray  # (rounds,) int32
    slope: np.ndarray  # (rounds,) float64
    feature: np.ndarray  # (rounds, nodes) int32
    left: np.ndarray  # (rounds, nodes, 4) uint64
    value: np.ndarray  # (rounds, nodes) float64; of a line, the first is its intercept
    weight: np.ndarray  # (rounds, nodes) float64


@_compiled
def empty_steps(rounds, depth):
    """Room for `rounds` steps."""
    nodes = (1 << (depth + 1)) - 1
    return Steps(
        np.full(rounds, -1, np.int32),
        np.zeros(rounds),
        np.full((rounds, nodes), LEAF, np.int32),
        np.zeros((rounds, nodes, 4), np.uint64),
        np.zeros((rounds, nodes)),
        np.zeros((rounds, nodes)),
    )


@_compiled
def take_step(r, uplift_head, data, growth, loss, f, d, steps, hists, rows, spare, g, h, gains):
    """Round r's step of one head: the line or the tree, added to the head's values of all rows."""
    newton_weights(
        uplift_head,
        loss.augmented,
        loss.log_odds,
        loss.c,
        f,
        d,
        data.s,
        data.y,
        data.weight,
        data.fit_rows,
        g,
        h,
    )
    columns = growth.columns
    histogram(data.B, data.fit_rows, columns, data.n_bins, g, h, hists[0, 0])
    G, H = 0.0, 0.0
    for i in data.fit_rows:
        G += g[i]
        H += h[i]
    out = d if uplift_head else f
    line_gain, j, slope, centre = best_line(
        hists[0, 0], columns, data.n_bins, data.categorical, data.z, G, H
    )
    if j >= 0 and growth.line_bonus > 0.0:
        split_gain = best_split(hists[0, 0], columns, data.n_bins, data.categorical, G, H)[0]
        if growth.line_bonus * line_gain >= split_gain:
            steps.line[r] = j
            steps.slope[r] = growth.rate * slope
            steps.value[r, 0] = growth.rate * (-G / (H + RIDGE) - slope * centre)
            gains[j] += 0.5 * growth.rate * (2.0 - growth.rate) * line_gain
            for i in range(len(out)):
                out[i] += steps.value[r, 0] + steps.slope[r] * data.z[j, data.B[i, j]]
            return
    tree = (steps.feature[r], steps.left[r], steps.value[r], steps.weight[r])
    rows[:] = data.fit_rows
    grow(
        data.B,
        data.n_bins,
        data.categorical,
        rows,
        columns,
        g,
        h,
        G,
        H,
        growth.rate,
        tree,
        hists,
        spare,
        gains,
    )
    add_tree(data.B, tree[0], tree[1], tree[2], out)


@_compiled
def run(data, loss, growths, depths, f, d, rounds, patience):
    """Boost f and d (their values of all rows, changed in place) in turns.

    `growths` and `depths` are those of f and of d. Ends when the likelihood of the stopping rows
    has not improved for `patience` rounds. Returns (best loss, its round, steps of f and of d,
    gains (2, p) up to that round).
    """
    n, p = data.B.shape
    steps = (empty_steps(rounds, depths[0]), empty_steps(rounds, depths[1]))
    k = max(len(growths[0].columns), len(growths[1].columns))
    slots = 1 << (max(depths) - 1)
    hists = np.zeros((2, slots, k, data.z.shape[1], 2))
    rows, spare = np.empty_like(data.fit_rows), np.empty_like(data.fit_rows)
    g, h, gains = np.empty(n), np.empty(n), np.zeros((2, p))
    best = mean_loss(f, d, data.s, data.y, data.weight, data.stop_rows)
    best_round, best_gains = 0, gains.copy()
    for r in range(rounds):
        for head in range(2):  # one call for both: it is long, and compiled where it stands
            growth = growths[head]
            if growth.rate > 0.0:
                take_step(
                    r,
                    head == 1,
                    data,
                    growth,
                    loss,
                    f,
                    d,
                    steps[head],
                    hists,
                    rows,
                    spare,
                    g,
                    h,
                    gains[head],
                )
        found = mean_loss(f, d, data.s, data.y, data.weight, data.stop_rows)
        if found < best - LEAST_PROGRESS:
            best, best_round = found, r + 1
            best_gains[:] = gains
        elif r + 1 - best_round >= patience:
            break
    return best, best_round, steps, best_gains


@_compiled
def collapse(steps, count, z, n_bins, table):
    """Add the lines and the trees of one split among the first `count` steps to `table` (p, bins).

    Returns the constant, and which steps are trees of more than one split.
    """
    constant = 0.0
    deep = np.zeros(count, np.bool_)
    for r in range(count):
        j = steps.line[r]
        if j >= 0:
            constant += steps.value[r, 0]
            for b in range(n_bins[j] + 1):
                table[j, b] += steps.slope[r] * z[j, b]
            continue
        j = steps.feature[r, 0]
        if j == LEAF:
            constant += steps.value[r, 0]
        elif steps.feature[r, 1] == LEAF and steps.feature[r, 2] == LEAF:
            for b in range(n_bins[j] + 1):
                table[j, b] += steps.value[r, 1 if goes_left(steps.left[r, 0], b) else 2]
        else:
            deep[r] = True
    return constant, deep
