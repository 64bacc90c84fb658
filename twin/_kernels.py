"""The element-wise work of training, fused: one pass over memory where numpy would need ten.

Everything here is single-threaded, allocates nothing and releases the GIL. Matrix products stay
with BLAS. Arrays are float32 unless said otherwise; shapes: B rows of a batch, p covariates,
m nodes of the first hidden layer. Reductions may be reassociated (so that they vectorise), always
in the same way, and NaN and infinity keep their meaning.
"""

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}
_compiled = njit(cache=True, nogil=True, fastmath=_FAST)
# Where a comparison with infinity or the order of operations matters.
_compiled_exact = njit(cache=True, nogil=True)


@_compiled_exact
def row_loss(a0, a1, y, t, log_e, log_1e, augmented):
    """Loss of one row and its derivatives by the logits a0, a1 (float64).

    With s = 2y - 1 and l_t = log sigmoid(s a_t) = log m_{yt}: binomial loss = -l_t; augmented
    (eq. augmented_loss_function) = -2 l_t + log(e m_{y1} + (1-e) m_{y0}). Finite for any finite
    logits, as no probability is ever divided.
    """
    s = 2.0 * y - 1.0
    z0, z1 = s * a0, s * a1
    e0, e1 = np.exp(-abs(z0)), np.exp(-abs(z1))
    l0 = min(z0, 0.0) - np.log1p(e0)
    l1 = min(z1, 0.0) - np.log1p(e1)
    # sigmoid(-z): the derivative of log sigmoid
    d0 = (e0 if z0 >= 0.0 else 1.0) / (1.0 + e0)
    d1 = (e1 if z1 >= 0.0 else 1.0) / (1.0 + e1)
    own = l1 if t == 1 else l0
    if not augmented:
        return -own, -s * d0 * (1 - t), -s * d1 * t
    odds = (log_e + l1) - (log_1e + l0)
    e_odds = np.exp(-abs(odds))
    both = max(log_e + l1, log_1e + l0) + np.log1p(e_odds)
    P = (1.0 if odds >= 0.0 else e_odds) / (1.0 + e_odds)  # Pr(T = 1 | y, x)
    return both - 2.0 * own, s * d0 * (1.0 - P - 2.0 * (1 - t)), s * d1 * (P - 2.0 * t)


@_compiled
def logit_gradient(logits, y, t, log_e, log_1e, augmented, grad):
    """Mean loss over a batch; grad[i] = its derivatives by (a0, a1) of row i. Both (B, 2)."""
    B = logits.shape[0]
    total = 0.0
    for i in range(B):
        loss, g0, g1 = row_loss(
            np.float64(logits[i, 0]), np.float64(logits[i, 1]), y[i], t[i], log_e, log_1e, augmented
        )
        total += loss
        grad[i, 0] = g0 / B
        grad[i, 1] = g1 / B
    return total / B


@_compiled
def no_hidden_layer(X, W, c0, c1, y, t, log_e, log_1e, augmented, dW):
    """Forward and backward pass of the interaction model on X (B, p), row by row.

    W (2, p): main effects and interactions with t; c0 the intercept, c1 the weight of t. dW gets
    the gradient by W. Returns (mean loss, dloss/dc0, dloss/dc1).
    """
    B, p = X.shape
    dW[:] = 0.0
    total, dc0, dc1 = 0.0, 0.0, 0.0
    zero = X.dtype.type(0)
    for i in range(B):
        main, interaction = zero, zero
        for j in range(p):
            main += X[i, j] * W[0, j]
            interaction += X[i, j] * W[1, j]
        a0 = np.float64(main) + c0
        loss, d0, d1 = row_loss(
            a0, a0 + np.float64(interaction) + c1, y[i], t[i], log_e, log_1e, augmented
        )
        total += loss
        dc0 += (d0 + d1) / B
        dc1 += d1 / B
        # Main effects reach both logits, interactions only the treated one.
        g0, g1 = X.dtype.type((d0 + d1) / B), X.dtype.type(d1 / B)
        for j in range(p):
            dW[0, j] += g0 * X[i, j]
            dW[1, j] += g1 * X[i, j]
    return total / B, dc0, dc1


@_compiled
def no_hidden_layer_logits(X, W, c0, c1, logits):
    """logits (B, 2) of the interaction model, arguments as in `no_hidden_layer`."""
    B, p = X.shape
    zero = X.dtype.type(0)
    for i in range(B):
        main, interaction = zero, zero
        for j in range(p):
            main += X[i, j] * W[0, j]
            interaction += X[i, j] * W[1, j]
        logits[i, 0] = main + c0
        logits[i, 1] = main + c0 + interaction + c1


@_compiled
def one_hidden_layer(H, b, w, c, c0, y, t, log_e, log_1e, augmented, db, dw, dc):
    """Forward and backward pass from H = X W (B, m), row by row while a row is in the cache.

    b, w, c: intercepts, weights of t and output weights of the m nodes; c0: output intercept.
    On return H holds dloss/dH, and db, dw, dc the gradients. Returns (mean loss, dloss/dc0).
    """
    B, m = H.shape
    db[:] = 0.0
    dw[:] = 0.0
    dc[:] = 0.0
    zero = H.dtype.type(0)
    total, dc0 = 0.0, 0.0
    for i in range(B):
        a0, a1 = zero, zero
        for k in range(m):
            h0 = H[i, k] + b[k]
            h1 = h0 + w[k]
            a0 += c[k] * max(h0, zero)
            a1 += c[k] * max(h1, zero)
        loss, d0, d1 = row_loss(
            np.float64(a0) + c0, np.float64(a1) + c0, y[i], t[i], log_e, log_1e, augmented
        )
        total += loss
        dc0 += (d0 + d1) / B
        g0, g1 = H.dtype.type(d0 / B), H.dtype.type(d1 / B)
        for k in range(m):
            h0 = H[i, k] + b[k]
            h1 = h0 + w[k]
            dc[k] += g0 * max(h0, zero) + g1 * max(h1, zero)
            on1 = g1 * c[k] if h1 > zero else zero
            on0 = g0 * c[k] if h0 > zero else zero
            dw[k] += on1
            db[k] += on0 + on1
            H[i, k] = on0 + on1
    return total / B, dc0


@_compiled
def one_hidden_layer_logits(H, b, w, c, c0, logits):
    """logits (B, 2) of the control and the treated twin from H = X W (B, m)."""
    B, m = H.shape
    zero = H.dtype.type(0)
    for i in range(B):
        a0, a1 = zero, zero
        for k in range(m):
            h0 = H[i, k] + b[k]
            h1 = h0 + w[k]
            a0 += c[k] * max(h0, zero)
            a1 += c[k] * max(h1, zero)
        logits[i, 0] = a0 + c0
        logits[i, 1] = a1 + c0


@_compiled
def split_twins(H, b, w, A):
    """First hidden layer of both twins: A[:B] = ReLU(H + b), A[B:] = ReLU(H + b + w)."""
    B, m = H.shape
    zero = H.dtype.type(0)
    for i in range(B):
        for k in range(m):
            h = H[i, k] + b[k]
            A[i, k] = max(h, zero)
            A[B + i, k] = max(h + w[k], zero)


@_compiled
def merge_twins(D, H, db, dw):
    """Backward of `split_twins`: H = D[:B] + D[B:], db = its column sums, dw = those of D[B:]."""
    B, m = H.shape
    db[:] = 0.0
    dw[:] = 0.0
    for i in range(B):
        for k in range(m):
            H[i, k] = D[i, k] + D[B + i, k]
            db[k] += H[i, k]
            dw[k] += D[B + i, k]


@_compiled
def bias_relu(Z, b):
    """Z = ReLU(Z + b) in place."""
    zero = Z.dtype.type(0)
    for i in range(Z.shape[0]):
        for k in range(Z.shape[1]):
            Z[i, k] = max(Z[i, k] + b[k], zero)


@_compiled
def relu_backward(D, A, db):
    """D = D where A > 0, else 0, in place; db = column sums."""
    db[:] = 0.0
    zero = D.dtype.type(0)
    for i in range(D.shape[0]):
        for k in range(D.shape[1]):
            D[i, k] = D[i, k] if A[i, k] > zero else zero
            db[k] += D[i, k]


@_compiled
def prox_l1(u, v, theta, g, eta, lam):
    """eqs lasso_prox_update1 and lasso_prox_update2 for all coordinates (flat arrays)."""
    zero = theta.dtype.type(0)
    for j in range(theta.size):
        u[j] = max(u[j] - eta * (lam + g[j]), zero)
        v[j] = max(v[j] - eta * (lam - g[j]), zero)
        theta[j] = u[j] - v[j]


@_compiled
def descend_l2(theta, g, eta, lam):
    """theta <- theta - eta (g + 2 lam theta): SGD with the penalty lam ||theta||^2."""
    one = theta.dtype.type(1)
    keep = one - (one + one) * eta * lam
    for j in range(theta.size):
        theta[j] = keep * theta[j] - eta * g[j]


@_compiled
def scale_gradient(G, theta, s, ds):
    """From G = dloss/d(s theta), shape (p + 1, m): ds = dloss/ds, and G becomes dloss/dtheta."""
    ds[:] = 0.0
    for j in range(G.shape[0]):
        for k in range(G.shape[1]):
            ds[k] += G[j, k] * theta[j, k]
            G[j, k] *= s[k]


@_compiled
def scale_columns(theta, s, scaled):
    """scaled = s theta, column by column."""
    for j in range(theta.shape[0]):
        for k in range(theta.shape[1]):
            scaled[j, k] = s[k] * theta[j, k]


@_compiled
def gather_standardised(X, order, mean, inverse_scale, out):
    """out[i] = (X[order[i]] - mean) / scale."""
    for i in range(order.size):
        row = order[i]
        for j in range(X.shape[1]):
            out[i, j] = (X[row, j] - mean[j]) * inverse_scale[j]


@_compiled_exact
def uplift_from_logits(logits, uplift):
    """uplift = sigmoid(a1) - sigmoid(a0), float64."""
    for i in range(logits.shape[0]):
        uplift[i] = 1.0 / (1.0 + np.exp(-np.float64(logits[i, 1]))) - 1.0 / (
            1.0 + np.exp(-np.float64(logits[i, 0]))
        )
