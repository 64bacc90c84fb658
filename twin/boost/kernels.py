"""The inner loops of boosting, compiled: histograms, the best split, the best line, trees.

Covariates are bins: B (n, p) uint8. The bins of covariate j are 0 ... n_bins[j] - 1, and
n_bins[j] is the bin of its missing values. A split is a set of bins: the bits of four 64-bit words
say which of at most 256 bins go left, so numbers, categories and missing values are one case.
Sums run over the rows in the order given, on one thread, so that they never change.
"""

import math

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True)

LEAF = -1
RIDGE = 1.0  # added to the second derivative of every step: the usual shrinkage of a Newton step
LEAST = 1.0  # the least sum of second derivatives on either side of a split
CATEGORY_RIDGE = 10.0  # in place of RIDGE where categories are sorted by what they are to explain
PRESENT = 1e-8  # a bin with a smaller sum of second derivatives has no row here (or rounding)


@_compiled
def sigmoid(a):
    if a >= 0.0:
        return 1.0 / (1.0 + math.exp(-a))
    e = math.exp(a)
    return e / (1.0 + e)


@_compiled
def softplus(a):
    """log(1 + exp(a))"""
    return max(a, 0.0) + math.log1p(math.exp(-abs(a)))


@_compiled
def mean_loss(f, d, s, y, weight, rows):
    """Mean binomial loss of the logits f + s d over `rows`."""
    total, size = 0.0, 0.0
    for i in rows:
        a = f[i] + s[i] * d[i]
        total += weight[i] * (softplus(a) - y[i] * a)
        size += weight[i]
    return total / size


@_compiled
def newton_weights(uplift_head, augmented, log_odds, c, f, d, s, y, weight, rows, g, h):
    """First and second derivatives of the loss of `rows` by head f or d, into g and h.

    Binomial: exact. Augmented: g is exact; h leaves out the terms that can be negative.
    """
    for i in rows:
        if augmented:
            treated = s[i] + c > 0.5
            sign = 2.0 * y[i] - 1.0
            a1, a0 = f[i] + (1.0 - c) * d[i], f[i] - c * d[i]
            q1, q0 = sigmoid(-sign * a1), sigmoid(-sign * a0)
            # P = Pr(T = 1 | y, x)
            P = sigmoid(log_odds - softplus(-sign * a1) + softplus(-sign * a0))
            g1 = sign * q1 * (P - (2.0 if treated else 0.0))
            g0 = sign * q0 * (1.0 - P - (0.0 if treated else 2.0))
            own1 = 2.0 * q1 * (1.0 - q1) if treated else 0.0
            own0 = 0.0 if treated else 2.0 * q0 * (1.0 - q0)
            if uplift_head:
                first = (1.0 - c) * g1 - c * g0
                second = (1.0 - c) ** 2 * own1 + c * c * own0
                second += P * (1.0 - P) * ((1.0 - c) * q1 + c * q0) ** 2
            else:
                first = g1 + g0
                second = own1 + own0 + P * (1.0 - P) * (q1 - q0) ** 2
        else:
            m = sigmoid(f[i] + s[i] * d[i])
            first, second = m - y[i], m * (1.0 - m)
            if uplift_head:
                first, second = s[i] * first, s[i] * s[i] * second
        g[i] = weight[i] * first
        h[i] = weight[i] * second


@_compiled
def histogram(B, rows, columns, n_bins, g, h, out):
    """out[a, b] = sums of g and h over the rows whose covariate columns[a] is in bin b."""
    p = len(columns)
    for a in range(p):
        out[a, : n_bins[columns[a]] + 1] = 0.0
    for i in rows:
        gi, hi = g[i], h[i]
        for a in range(p):
            b = B[i, columns[a]]
            out[a, b, 0] += gi
            out[a, b, 1] += hi


@_compiled
def subtract(whole, part, columns, n_bins, out):
    """The histogram of the other child."""
    for a in range(len(columns)):
        for b in range(n_bins[columns[a]] + 1):
            out[a, b, 0] = whole[a, b, 0] - part[a, b, 0]
            out[a, b, 1] = whole[a, b, 1] - part[a, b, 1]


@_compiled
def order_of_bins(bins, count, categorical):
    """The bins in the order in which a split may cut them, absent categories left out.

    The best cut of categories into two groups is a cut of the order of their Newton steps
    (Fisher, 1958, for least squares).
    """
    if not categorical:
        return np.arange(count)
    step = np.empty(count)
    present = 0
    for b in range(count):
        if bins[b, 1] > PRESENT:
            step[b] = bins[b, 0] / (bins[b, 1] + CATEGORY_RIDGE)
            present += 1
        else:
            step[b] = np.inf
    return np.argsort(step, kind="mergesort")[:present]


@_compiled
def best_split(hist, columns, n_bins, categorical, G, H):
    """(gain, position of the column, last bin on the left in its order, missing left?, G, H left).

    gain = G_L^2 / (H_L + ridge) + G_R^2 / (H_R + ridge) - G^2 / (H + ridge), twice what the
    Newton steps of both sides take off the loss beyond one common step. Missing values are tried
    on both sides.
    """
    gain, column, last, missing_left, best_G, best_H = 0.0, -1, 0, False, 0.0, 0.0
    for a in range(len(columns)):
        j = columns[a]
        count = n_bins[j]
        ridge = CATEGORY_RIDGE if categorical[j] else RIDGE
        whole = G * G / (H + ridge)
        missing_G, missing_H = hist[a, count, 0], hist[a, count, 1]
        order = order_of_bins(hist[a], count, categorical[j])
        left_G, left_H = 0.0, 0.0
        for k in range(len(order)):
            b = order[k]
            left_G += hist[a, b, 0]
            left_H += hist[a, b, 1]
            for with_missing in range(2 if missing_H > PRESENT else 1):
                GL, HL = left_G + with_missing * missing_G, left_H + with_missing * missing_H
                if HL < LEAST or H - HL < LEAST:
                    continue
                GR = G - GL
                found = GL * GL / (HL + ridge) + GR * GR / (H - HL + ridge) - whole
                if found > gain:
                    gain, column, last, missing_left = found, a, k, with_missing == 1
                    best_G, best_H = GL, HL
    return gain, column, last, missing_left, best_G, best_H


@_compiled
def write_split(bins, count, categorical, last, missing_left, left_is_heavier, left):
    """Set the bits of the bins that go left; a bin without rows follows the heavier side."""
    left[:] = 0
    order = order_of_bins(bins, count, categorical)
    for k in range(last + 1):
        set_bit(left, order[k])
    if left_is_heavier and categorical:
        for b in range(count):
            if bins[b, 1] <= PRESENT:
                set_bit(left, b)
    has_missing = bins[count, 1] > PRESENT
    if (has_missing and missing_left) or (not has_missing and left_is_heavier):
        set_bit(left, count)


@_compiled
def set_bit(left, b):
    left[b >> 6] |= np.uint64(1) << np.uint64(b & 63)


@_compiled
def goes_left(left, b):
    return (left[b >> 6] >> np.uint64(b & 63)) & np.uint64(1) != 0


@_compiled
def best_line(hist, columns, n_bins, categorical, z, G, H):
    """(gain, column, slope, centre) of the best step slope (z - centre) in one covariate.

    z[j, b] is the standardised mean of covariate j in bin b, so the histogram has all it takes.
    """
    gain, column, slope, centre = 0.0, -1, 0.0, 0.0
    for a in range(len(columns)):
        j = columns[a]
        if categorical[j]:
            continue
        Gz, Hz, Hzz = 0.0, 0.0, 0.0
        for b in range(n_bins[j] + 1):
            zb = z[j, b]
            hz = hist[a, b, 1] * zb
            Gz += hist[a, b, 0] * zb
            Hz += hz
            Hzz += hz * zb
        middle = Hz / (H + 1e-12)
        first, second = Gz - middle * G, Hzz - H * middle * middle + RIDGE
        if first * first / second > gain:
            gain, column, slope, centre = first * first / second, j, -first / second, middle
    return gain, column, slope, centre


@_compiled
def divide(B, rows, start, stop, j, left, spare):
    """Reorder rows[start:stop] so that those that go left come first; where the right begins."""
    at, moved = start, 0
    for q in range(start, stop):
        i = rows[q]
        if goes_left(left, B[i, j]):
            rows[at] = i
            at += 1
        else:
            spare[moved] = i
            moved += 1
    rows[at:stop] = spare[:moved]
    return at


@_compiled
def grow(B, n_bins, categorical, rows, columns, g, h, G, H, rate, tree, hists, spare, gains):
    """Grow one tree on `rows` (reordered in place) into the arrays `tree`.

    G and H are the sums of g and h over the rows, hists[0, 0] is their histogram.

    tree = (feature, left, value, weight) in heap order: the children of node i are 2i + 1 and
    2i + 2. Every node has the Newton step of its rows, times `rate`, so a leaf is where one stops.
    """
    feature, left, value, weight = tree
    nodes = len(feature)
    feature[:] = LEAF
    start, stop = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    sum_G, sum_H = np.zeros(nodes), np.zeros(nodes)
    stop[0], sum_G[0], sum_H[0] = len(rows), G, H
    value[0], weight[0] = -rate * G / (H + RIDGE), H
    worth = 0.5 * rate * (2.0 - rate)  # a gain in units of the loss, for a step of this rate
    level, first = 0, 0
    while 2 * first + 1 < nodes:
        slots = first + 1
        for slot in range(slots):
            node = first + slot
            if stop[node] == start[node]:
                continue
            if level > 0 and slot % 2 == 0:  # both children of one parent: count the smaller
                other = node + 1
                few = node if stop[node] - start[node] <= stop[other] - start[other] else other
                own = hists[level % 2, few - first]
                histogram(B, rows[start[few] : stop[few]], columns, n_bins, g, h, own)
                many = hists[level % 2, node + other - few - first]
                subtract(hists[1 - level % 2, slot // 2], own, columns, n_bins, many)
            hist = hists[level % 2, slot]
            G, H = sum_G[node], sum_H[node]
            gain, a, last, missing_left, GL, HL = best_split(
                hist, columns, n_bins, categorical, G, H
            )
            if a < 0:
                continue
            j = columns[a]
            feature[node] = j
            gains[j] += worth * gain
            write_split(
                hist[a], n_bins[j], categorical[j], last, missing_left, 2 * HL > H, left[node]
            )
            one, two = 2 * node + 1, 2 * node + 2
            start[one], stop[two] = start[node], stop[node]
            stop[one] = divide(B, rows, start[node], stop[node], j, left[node], spare)
            start[two] = stop[one]
            sum_G[one], sum_H[one], sum_G[two], sum_H[two] = GL, HL, G - GL, H - HL
            ridge = CATEGORY_RIDGE if categorical[j] else RIDGE
            for child in (one, two):
                value[child] = -rate * sum_G[child] / (sum_H[child] + ridge)
                weight[child] = sum_H[child]
        level, first = level + 1, 2 * first + 1


@_compiled
def add_tree(B, feature, left, value, out):
    """out[i] += the value of the leaf of row i."""
    for i in range(len(out)):
        node = 0
        while feature[node] != LEAF:
            branch = goes_left(left[node], B[i, feature[node]])
            node = 2 * node + 1 if branch else 2 * node + 2
        out[i] += value[node]
