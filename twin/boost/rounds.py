"""One boosting run, compiled: rounds of one step for f and one for d, stopped on other rows."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from twin.boost.derivatives import (
    mean_loss,
    newton_weights,
    quick_loss,
    quick_margin,
    set_logits,
)
from twin.boost.histograms import empty_histograms, histogram, pack
from twin.boost.splits import RIDGE, best_line, best_split, goes_left
from twin.boost.trees import LEAF, add_packed_tree, add_table, grow

Floats = NDArray[np.float64]
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


class Room(NamedTuple):
    """The rows of one head, those to fit on first, and what its steps work in."""

    rows: np.ndarray  # uint32: positions among all rows to fit and to stop on
    fitted: int
    words: np.ndarray  # uint32: the bins of its covariates, packed
    place: np.ndarray  # (p,) int64: where each of them is packed
    hists: np.ndarray  # of two levels of a tree
    pairs: np.ndarray  # (fitted, 2) float64: first and second derivatives
    spare: np.ndarray  # (2, fitted) uint32: for the rows of a deeper tree
    table: np.ndarray  # float64: a step in one covariate, bin by bin


def empty_steps(rounds: int, depth: int) -> Steps:
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


def empty_room(
    data: Data, order: NDArray[np.int32], rows: NDArray[np.int64], growth: Growth, depth: int
) -> Room:
    """A head's rows, packed, and the arrays that its steps work in; `order`: fit, then stop."""
    fitted = int(np.count_nonzero(rows < len(data.fit_rows)))
    words = pack(data.B, order[rows], growth.columns)
    place = np.zeros(data.B.shape[1], np.int64)
    place[growth.columns] = np.arange(len(growth.columns))
    width = data.z.shape[1]
    return Room(
        rows.astype(np.uint32),
        fitted,
        words,
        place,
        empty_histograms(1 << (depth - 1), words, width),
        np.empty((fitted, 2)),
        np.empty((2, fitted if depth > 1 else 0), np.uint32),
        np.empty(width),
    )


@_compiled
def take_step(r, uplift_head, data, growth, loss, f, d, steps, room, gains):
    """Round r's step of one head: the line or the tree, added to the head's values of its rows."""
    columns, words, root_hist = growth.columns, room.words, room.hists[0, 0]
    G, H = newton_weights(
        uplift_head,
        loss.augmented,
        loss.log_odds,
        loss.c,
        f,
        d,
        data.s,
        data.y,
        data.weight,
        room.rows[: room.fitted],
        room.pairs,
    )
    histogram(words, room.fitted, columns, data.n_bins, room.pairs, root_hist)
    root = best_split(root_hist, columns, data.n_bins, data.categorical, G, H)
    out, table = d if uplift_head else f, room.table
    if growth.line_bonus > 0.0:
        line_gain, j, slope, centre = best_line(
            root_hist, columns, data.n_bins, data.categorical, data.z, G, H
        )
        if j >= 0 and growth.line_bonus * line_gain >= root[0]:
            steps.line[r] = j
            steps.slope[r] = growth.rate * slope
            steps.value[r, 0] = growth.rate * (-G / (H + RIDGE) - slope * centre)
            gains[j] += 0.5 * growth.rate * (2.0 - growth.rate) * line_gain
            for b in range(data.n_bins[j] + 1):
                table[b] = steps.value[r, 0] + steps.slope[r] * data.z[j, b]
            add_table(words, room.place[j], table, room.rows, out)
            return
    feature, left, value = steps.feature[r], steps.left[r], steps.value[r]
    grow(
        words,
        room.fitted,
        data.n_bins,
        data.categorical,
        columns,
        room.pairs,
        G,
        H,
        root,
        growth.rate,
        (feature, left, value, steps.weight[r]),
        room.hists,
        room.spare,
        gains,
    )
    if len(feature) > 3:
        add_packed_tree(words, room.place, feature, left, value, len(table), room.rows, out)
        return
    j = feature[0]
    for b in range(len(table)):
        side = 1 if goes_left(left[0], b) else 2
        table[b] = value[0 if j == LEAF else side]
    add_table(words, 0 if j == LEAF else room.place[j], table, room.rows, out)


@_compiled
def take_rounds(data, loss, growths, f, d, steps, rooms, gains, best_gains, patience):
    """All rounds on rows that are in order, those to fit on first; (best loss, its round)."""
    fitted = len(data.fit_rows)
    f_stop, d_stop, s_stop = f[fitted:], d[fitted:], data.s[fitted:]
    y_stop, weight_stop = data.y[fitted:], data.weight[fitted:]
    size, margin = weight_stop.sum(), quick_margin(len(y_stop))
    kept, logits = np.empty(len(y_stop)), np.empty(len(y_stop))  # kept: of the best round
    set_logits(f_stop, d_stop, s_stop, kept)
    best, exact, best_round = mean_loss(kept, y_stop, weight_stop), True, 0
    for r in range(len(steps[0].line)):
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
                    rooms[head],
                    gains[head],
                )
        set_logits(f_stop, d_stop, s_stop, logits)
        found, found_exact = quick_loss(logits, y_stop, weight_stop, size), False
        if abs(found - (best - LEAST_PROGRESS)) <= margin * (1.0 + best):  # too close to call
            if not exact:
                best, exact = mean_loss(kept, y_stop, weight_stop), True
            found, found_exact = mean_loss(logits, y_stop, weight_stop), True
        if found < best - LEAST_PROGRESS:
            best, exact, best_round = found, found_exact, r + 1
            kept, logits = logits, kept
            best_gains[:] = gains
        elif r + 1 - best_round >= patience:
            break
    if not exact:
        best = mean_loss(kept, y_stop, weight_stop)
    return best, best_round


def run(
    data: Data,
    loss: Loss,
    growths: tuple[Growth, Growth],
    depths: tuple[int, int],
    f: Floats,
    d: Floats,
    rounds: int,
    patience: int,
) -> tuple[float, int, tuple[Steps, Steps], Floats]:
    """Boost f and d in turns, from their values of all rows (which stay as they are).

    `growths` and `depths` are those of f and of d. Ends when the likelihood of the stopping rows
    has not improved for `patience` rounds. Returns (best loss, its round, steps of f and of d,
    gains (2, p) up to that round).
    """
    order = np.concatenate([data.fit_rows, data.stop_rows])
    ordered = data._replace(s=data.s[order], y=data.y[order], weight=data.weight[order])
    every = np.arange(len(order))
    # Where s = 0, d counts for nothing: such rows add 0 to its sums and its steps do not move
    # their logits. Deeper trees need them to know which of two children has fewer rows.
    moved = every if loss.augmented or depths[1] > 1 else np.flatnonzero(ordered.s)
    rooms = tuple(
        empty_room(data, order, rows[: len(rows) if growth.rate > 0 else 0], growth, depth)
        for rows, growth, depth in zip((every, moved), growths, depths, strict=True)
    )
    steps = tuple(empty_steps(rounds, depth) for depth in depths)
    gains, best_gains = np.zeros((2, 2, data.B.shape[1]))
    best, best_round = take_rounds(
        ordered, loss, growths, f[order], d[order], steps, rooms, gains, best_gains, patience
    )
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
