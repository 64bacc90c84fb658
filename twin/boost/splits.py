"""The best split and the best line of a histogram, compiled.

The bins of covariate j are 0 ... n_bins[j] - 1, and n_bins[j] is the bin of its missing values. A
split is a set of bins: the bits of four 64-bit words say which of at most 256 bins go left, so
numbers, categories and missing values are one case.
"""

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy")  # no test of every divisor

RIDGE = 1.0  # added to the second derivative of every step: the usual shrinkage of a Newton step
LEAST = 1.0  # the least sum of second derivatives on either side of a split
CATEGORY_RIDGE = 10.0  # in place of RIDGE where categories are sorted by what they are to explain
CLEARLY = 1 - 1e-9  # less than this share is less, whatever the rounding
PRESENT = 1e-8  # a bin with a smaller sum of second derivatives has no row here (or rounding)


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
    order = np.empty(0, np.int64)
    for a in range(len(columns)):
        j = columns[a]
        bins, count, sorted_bins = hist[a], n_bins[j], categorical[j]
        ridge = CATEGORY_RIDGE if sorted_bins else RIDGE
        whole = G * G / (H + ridge)
        missing_G, missing_H = bins[count, 0], bins[count, 1]
        has_missing = missing_H > PRESENT
        if sorted_bins:
            order = order_of_bins(bins, count, True)
            count = len(order)
        left_G, left_H = 0.0, 0.0
        for k in range(count):
            b = order[k] if sorted_bins else k
            left_G += bins[b, 0]
            left_H += bins[b, 1]
            for with_missing in range(1 + has_missing):
                GL, HL = left_G, left_H
                if with_missing:
                    GL, HL = left_G + missing_G, left_H + missing_H
                if HL < LEAST or H - HL < LEAST:
                    continue
                GR, below_L, below_R = G - GL, HL + ridge, H - HL + ridge
                top = GL * GL * below_R + GR * GR * below_L
                if top < (gain + whole) * CLEARLY * (below_L * below_R):
                    continue  # most of them need no division
                found = GL * GL / below_L + GR * GR / below_R - whole
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
