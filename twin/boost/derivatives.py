"""The loss, compiled: derivatives of the rows to fit on, mean of the rows to stop on.

Rows are taken in the order given, on one thread, so that sums never change.
"""

import math

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy")  # no test of every divisor

BLOCK = 1024  # rows that stay in the cache
LOG2_E, ROOT2 = 1.4426950408889634, 1.4142135623730951
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is log 2
SHIFTER = 6755399441055744.0  # 1.5 * 2^52: added to a number, its whole part is in the lowest bits
EXP = tuple(1 / math.factorial(k) for k in range(9, -1, -1))
ARTANH = tuple(1 / k for k in range(11, 0, -2))  # artanh(q) = q + q^3 / 3 + q^5 / 5 + ...
QUICK_ERROR = 1e-9  # of quick_loss, with room to spare: rounding of logits up to a million


@_compiled
def sigmoid(a):
    e = math.exp(-abs(a))
    return (1.0 if a >= 0.0 else e) / (1.0 + e)


@_compiled
def softplus(a):
    """log(1 + exp(a))"""
    return max(a, 0.0) + math.log1p(math.exp(-abs(a)))


@_compiled
def set_logits(f, d, s, out):
    """out = f + s d"""
    for i in range(len(out)):
        out[i] = f[i] + s[i] * d[i]


@_compiled
def mean_loss(logits, y, weight):
    """Mean binomial loss."""
    total, size = 0.0, 0.0
    for i in range(len(y)):
        a = logits[i]
        total += weight[i] * (softplus(a) - y[i] * a)
        size += weight[i]
    return total / size


@_compiled
def quick_loss(logits, y, weight, size):
    """`mean_loss` but for its last digits, several times as fast; size = the sum of weights.

    exp and log1p are polynomials here, which several rows at a time can go through.
    """
    tail, total = np.empty(BLOCK), 0.0
    for start in range(0, len(y), BLOCK):
        count = min(BLOCK, len(y) - start)
        _log1p_exp_minus(logits[start : start + count], tail)
        for k in range(count):
            a = logits[start + k]
            total += weight[start + k] * (max(a, 0.0) + tail[k] - y[start + k] * a)
    return total / size


@_compiled
def quick_margin(n):
    """Times 1 + loss, more than quick_loss and mean_loss of n rows can be apart."""
    return QUICK_ERROR + n * 2.0**-50


@_compiled
def _log1p_exp_minus(logits, out):
    """out[k] = log(1 + exp(-|logits[k]|)), to 2e-11."""
    for k in range(len(logits)):
        x = -min(abs(logits[k]), 700.0)
        shifted = x * LOG2_E + SHIFTER
        whole = shifted - SHIFTER  # x = whole log 2 + r, |r| < 0.35
        r = (x - whole * LN2_HIGH) - whole * LN2_LOW
        e = 0.0
        for coefficient in EXP:
            e = e * r + coefficient
        bits = np.int64(np.float64(shifted).view(np.int64) + 1023) << 52
        e *= np.int64(bits).view(np.float64)  # 2^whole
        q = (1.0 + e - ROOT2) / (1.0 + e + ROOT2)  # log(1 + e) = log(2) / 2 + 2 artanh(q)
        square, series = q * q, 0.0
        for coefficient in ARTANH:
            series = series * square + coefficient
        out[k] = 2.0 * q * series + 0.5 * LN2_HIGH + 0.5 * LN2_LOW


@_compiled
def newton_weights(uplift_head, augmented, log_odds, c, f, d, s, y, weight, rows, pairs):
    """First and second derivatives of the loss by head f or d: pairs[q] = (g, h) of rows[q].

    Binomial: exact. Augmented: g is exact; h leaves out the terms that can be negative.
    Returns the sums of g and of h.
    """
    G, H = 0.0, 0.0
    for q in range(len(rows)):
        i = rows[q]
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
        g, h = weight[i] * first, weight[i] * second
        pairs[q, 0], pairs[q, 1] = g, h
        G += g
        H += h
    return G, H
