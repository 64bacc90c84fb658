"""Trees, compiled: grown level by level, and added to the values of rows.

Nodes are in heap order: the children of node i are 2i + 1 and 2i + 2.
"""

import numpy as np
from numba import njit

from twin.boost.histograms import PACKED, U, histogram_of, shift_of, subtract
from twin.boost.splits import CATEGORY_RIDGE, RIDGE, best_split, goes_left, write_split

_compiled = njit(cache=True, nogil=True)
LEAF = -1


@_compiled
def divide(words, rows, start, stop, a, left, spare):
    """Reorder rows[start:stop] so that those that go left come first; where the right begins."""
    word, shift = words[a // PACKED], shift_of(a)
    at, moved = start, 0
    for q in range(start, stop):  # written to both sides and counted on one: nothing to guess
        i = rows[q]
        goes = goes_left(left, (word[i] >> shift) & np.uint32(255))
        rows[at] = i
        spare[moved] = i
        at += goes
        moved += not goes
    rows[at:stop] = spare[:moved]
    return at


@_compiled
def grow(
    words, count, n_bins, categorical, columns, pairs, G, H, root, rate, tree, hists, spare, gains
):
    """Grow one tree on the first `count` rows of `words` into the arrays `tree`.

    G and H are the sums of g and h over the rows, hists[0, 0] is their histogram and `root` its
    best split. `spare` is room for the rows, twice, if the tree has more than one level.

    tree = (feature, left, value, weight): every node has the Newton step of its rows, times
    `rate`, so a leaf is where one stops.
    """
    feature, left, value, weight = tree
    nodes = len(feature)
    feature[:] = LEAF
    start, stop = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    sum_G, sum_H = np.zeros(nodes), np.zeros(nodes)
    stop[0], sum_G[0], sum_H[0] = count, G, H
    value[0], weight[0] = -rate * G / (H + RIDGE), H
    worth = 0.5 * rate * (2.0 - rate)  # a gain in units of the loss, for a step of this rate
    rows, moved = spare
    for q in range(len(rows)):
        rows[q] = q
    level, first = 0, 0
    while 2 * first + 1 < nodes:
        for slot in range(first + 1):
            node = first + slot
            if stop[node] == start[node]:
                continue
            if level > 0 and slot % 2 == 0:  # both children of one parent: count the smaller
                other = node + 1
                few = node if stop[node] - start[node] <= stop[other] - start[other] else other
                own = hists[level % 2, few - first]
                histogram_of(words, rows[start[few] : stop[few]], columns, n_bins, pairs, own)
                many = hists[level % 2, node + other - few - first]
                subtract(hists[1 - level % 2, slot // 2], own, columns, n_bins, many)
            hist = hists[level % 2, slot]
            G, H = sum_G[node], sum_H[node]
            found = best_split(hist, columns, n_bins, categorical, G, H) if level > 0 else root
            gain, a, last, missing_left, GL, HL = found
            if a < 0:
                continue
            j = columns[a]
            feature[node] = j
            gains[j] += worth * gain
            write_split(
                hist[a], n_bins[j], categorical[j], last, missing_left, 2 * HL > H, left[node]
            )
            one, two = 2 * node + 1, 2 * node + 2
            if 2 * one + 1 < nodes:  # the rows of the lowest level are not needed
                start[one], stop[two] = start[node], stop[node]
                stop[one] = divide(words, rows, start[node], stop[node], a, left[node], moved)
                start[two] = stop[one]
            sum_G[one], sum_H[one], sum_G[two], sum_H[two] = GL, HL, G - GL, H - HL
            ridge = CATEGORY_RIDGE if categorical[j] else RIDGE
            for child in (one, two):
                value[child] = -rate * sum_G[child] / (sum_H[child] + ridge)
                weight[child] = sum_H[child]
        level, first = level + 1, 2 * first + 1


@_compiled
def filled_up(feature, left, value, width):
    """(levels, feature, child, value) of the same tree with every leaf on the lowest level.

    child[256 i + b] is where bin b goes from node i, below a leaf always left, to its value. All
    rows take the same number of steps, and nothing has to be guessed on the way.
    """
    feature, value = feature.copy(), value.copy()
    child = np.zeros(256 * (len(feature) // 2), np.uint8)
    levels, first = 0, 0
    while 2 * first + 1 < len(feature) and np.any(feature[first : 2 * first + 1] != LEAF):
        for node in range(first, 2 * first + 1):
            one = 2 * node + 1
            leaf = feature[node] == LEAF
            if leaf:
                feature[node], feature[one], value[one] = 0, LEAF, value[node]
            for b in range(width):
                child[256 * node + b] = one if leaf or goes_left(left[node], b) else one + 1
        levels, first = levels + 1, 2 * first + 1
    return levels, feature, child, value


@_compiled
def add_tree(B, feature, left, value, width, out):
    """out[i] += the value of the leaf of row i. Bins are below `width`."""
    levels, feature, child, value = filled_up(feature, left, value, width)
    column = feature.astype(np.uint64)
    for i in range(len(out)):
        node = U(0)
        for _ in range(levels):
            node = U(child[(node << U(8)) + U(B[i, column[node]])])
        out[i] += value[node]


@_compiled
def add_packed_tree(words, place, feature, left, value, width, rows, out):
    """out[rows[q]] += the value of the leaf of row q of `words`, where covariate j is place[j]."""
    levels, feature, child, value = filled_up(feature, left, value, width)
    every, count = words.reshape(words.size), len(rows)
    start, shift = np.zeros(len(feature), np.uint64), np.zeros(len(feature), np.uint32)
    for node in range(len(feature)):
        a = place[max(feature[node], 0)]
        start[node], shift[node] = U(a // PACKED * count), shift_of(a)
    for q in range(count):
        node = U(0)
        for _ in range(levels):
            b = (every[start[node] + U(q)] >> shift[node]) & np.uint32(255)
            node = U(child[(node << U(8)) + U(b)])
        out[rows[q]] += value[node]


@_compiled
def add_table(words, a, table, rows, out):
    """out[rows[q]] += table[bin of covariate a of row q]"""
    word, shift = words[a // PACKED], shift_of(a)
    for q in range(len(rows)):
        out[rows[q]] += table[(word[q] >> shift) & np.uint32(255)]
