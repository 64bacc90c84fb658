"""Sums of derivatives over the rows of every bin, compiled; a fit spends much of its time here.

The bins of four covariates are one 32-bit word, and a word's rows lie side by side: the sums of the
eight covariates that are counted at a time stay in the cache. g and h of a row are a pair, added by
one instruction. Every sum still takes the rows in their order.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

_compiled = njit(cache=True, nogil=True)
PACKED = 4  # covariates in a word
U = np.uint64  # an index without a sign needs no test for counting from the end


@_compiled
def pack(B, rows, columns):
    """words[k, q] = the bins of covariates columns[4k], ..., columns[4k + 3] of row rows[q].

    The last word repeats the first covariates to be full. Zeros would be slower: an addition to
    the bin that has just changed has to wait.
    """
    words = np.empty(((len(columns) + PACKED - 1) // PACKED, len(rows)), np.uint32)
    j = np.empty(PACKED, np.int64)
    for k in range(len(words)):
        for a in range(PACKED):
            j[a] = columns[(PACKED * k + a) % len(columns)]
        j0, j1, j2, j3 = j
        for q in range(len(rows)):
            bins = B[rows[q]]
            low = np.uint32(bins[j0]) | np.uint32(bins[j1]) << np.uint32(8)
            high = np.uint32(bins[j2]) | np.uint32(bins[j3]) << np.uint32(8)
            words[k, q] = low | high << np.uint32(16)
    return words


def empty_histograms(slots: int, words: NDArray[np.uint32], width: int) -> NDArray[np.float64]:
    """Room for the histograms of two levels of a tree: pairs of sums of every bin."""
    return np.zeros((2, slots, PACKED * len(words), width, 2))


@_compiled
def shift_of(a):
    """By how much a word is shifted to bring the bin of its covariate to the lowest byte."""
    return np.uint32(8 * (a % PACKED))


@intrinsic
def _add_pair(typing_context, sums, at, first, second):
    """sums[at] += first; sums[at + 1] += second, both at once; `at` counts through all axes."""

    def code(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pair = ir.VectorType(ir.DoubleType(), 2)
        where = builder.gep(array.data, [arguments[1]])
        where = builder.bitcast(where, pair.as_pointer())
        more = ir.Constant(pair, ir.Undefined)
        for k in (0, 1):
            more = builder.insert_element(more, arguments[2 + k], ir.IntType(32)(k))
        builder.store(builder.fadd(builder.load(where, align=8), more), where, align=8)
        return context.get_dummy_value()

    return types.void(sums, at, first, second), code


@njit(inline="always")
def _add_word(word, g, h, out, at, step):
    for _ in range(PACKED):
        _add_pair(out, at + ((word & U(255)) << U(1)), g, h)
        word >>= U(8)
        at += step


@_compiled
def _clear(columns, n_bins, out):
    for a in range(len(out)):
        out[a, : n_bins[columns[a % len(columns)]] + 1] = 0.0


@_compiled
def histogram(words, count, columns, n_bins, pairs, out):
    """out[a, b] = sums of `pairs` over the first `count` rows whose covariate a is in bin b."""
    _clear(columns, n_bins, out)
    step = U(2 * out.shape[1])
    four = U(PACKED) * step
    blocks = len(words)
    for k in range(0, blocks - 1, 2):  # two words at a time: 8 sums that need not wait
        one, two, at = words[k], words[k + 1], U(k) * four
        for q in range(count):
            g, h = pairs[q, 0], pairs[q, 1]
            _add_word(U(one[q]), g, h, out, at, step)
            _add_word(U(two[q]), g, h, out, at + four, step)
    if blocks % 2 == 1:
        one, at = words[blocks - 1], U(blocks - 1) * four
        for q in range(count):
            _add_word(U(one[q]), pairs[q, 0], pairs[q, 1], out, at, step)


@_compiled
def histogram_of(words, rows, columns, n_bins, pairs, out):
    """The same over `rows`, an array of uint32."""
    _clear(columns, n_bins, out)
    step = U(2 * out.shape[1])
    four = U(PACKED) * step
    blocks = len(words)
    for k in range(0, blocks - 1, 2):
        one, two, at = words[k], words[k + 1], U(k) * four
        for row in rows:
            q = U(row)
            g, h = pairs[q, 0], pairs[q, 1]
            _add_word(U(one[q]), g, h, out, at, step)
            _add_word(U(two[q]), g, h, out, at + four, step)
    if blocks % 2 == 1:
        one, at = words[blocks - 1], U(blocks - 1) * four
        for row in rows:
            q = U(row)
            _add_word(U(one[q]), pairs[q, 0], pairs[q, 1], out, at, step)


@_compiled
def subtract(whole, part, columns, n_bins, out):
    """The histogram of the other child."""
    for a in range(len(columns)):
        for b in range(n_bins[columns[a]] + 1):
            out[a, b, 0] = whole[a, b, 0] - part[a, b, 0]
            out[a, b, 1] = whole[a, b, 1] - part[a, b, 1]
