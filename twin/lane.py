"""One setting in training: its weights, and one step of proximal SGD.

The weights of a lane live in flat vectors, so that one fused pass updates them all:
`theta` holds everything that is penalised (first the (p + 1, m) matrix of the first hidden layer
whose last row belongs to t, then further layers, then the output weights), `intercepts` the rest.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from twin import _kernels, checks
from twin.losses import is_augmented
from twin.network import Network

Array = NDArray[np.floating]
PENALTIES = ("l1", "l2", "none")


@dataclass(frozen=True)
class Setting:
    """What decides a lane's numbers besides the data and the seed.

    `node_penalty` is lambda_1, None for a network without scaling factors; `weight_penalty` is
    lambda_2 (lambda for models without scaling factors).
    """

    hidden: tuple[int, ...] = (512,)
    loss: str = "uplift"
    penalty: str = "l1"
    learning_rate: float = 0.1
    weight_penalty: float = 0.0
    node_penalty: float | None = None
    propensity: float = 0.5
    weight_start: str = "parts"  # u, v = theta+, theta-; "independent": both |U|
    scale_start: str = "normal"  # a, b both |N(0, 1)|; "ones": a, b = 1, 0

    def __post_init__(self) -> None:
        is_augmented(self.loss)
        checks.propensity_value(self.propensity)
        if self.penalty not in PENALTIES:
            raise ValueError(
                f"penalty is {self.penalty!r}; it must be one of {', '.join(PENALTIES)}"
            )
        if not checks.number(self.learning_rate, "learning_rate") > 0:
            raise ValueError(f"learning_rate is {self.learning_rate}; it must be above 0")
        if not checks.number(self.weight_penalty, "weight_penalty") >= 0:
            raise ValueError(f"weight_penalty is {self.weight_penalty}; it must be 0 or more")
        if self.penalty == "none" and self.weight_penalty != 0:
            raise ValueError(
                f"weight_penalty is {self.weight_penalty} with penalty='none'; "
                "set it to 0 or choose penalty='l1' or 'l2'"
            )
        checks.layers(self.hidden)
        if self.node_penalty is not None:
            if len(self.hidden) != 1:
                raise ValueError(
                    f"node_penalty is {self.node_penalty} with {len(self.hidden)} hidden layers; "
                    "scaling factors need exactly one (or set node_penalty=None)"
                )
            if not checks.number(self.node_penalty, "node_penalty") >= 0:
                raise ValueError(f"node_penalty is {self.node_penalty}; it must be 0 or more")
        for name, value, allowed in (
            ("weight_start", self.weight_start, ("parts", "independent")),
            ("scale_start", self.scale_start, ("ones", "normal")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")


def layer_shapes(p: int, hidden: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes of the penalised arrays in `theta`."""
    if not hidden:
        return [(2, p), (1,)]
    return [(p + 1, hidden[0]), *pairwise(hidden), (hidden[-1],)]


def views(flat: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    """The flat vector cut into arrays of the given shapes, without a copy."""
    parts, start = [], 0
    for shape in shapes:
        stop = start + prod(shape)
        parts.append(flat[start:stop].reshape(shape))
        start = stop
    return parts


class Workspace:
    """Buffers for one thread, reused by every lane and batch it trains."""

    def __init__(self, dtype: type = np.float32) -> None:
        self.dtype = dtype
        self._flat: dict[str, Array] = {}

    def get(self, name: str, *shape: int) -> Array:
        """An array of the given shape; its content is whatever the last user left."""
        size = prod(shape)
        flat = self._flat.get(name)
        if flat is None or flat.size < size:
            flat = self._flat[name] = np.empty(size, dtype=self.dtype)
        return flat[:size].reshape(shape)


class Lane:
    """A setting, its weights, and `step`. Numbers depend on setting, p, seed and batches alone."""

    def __init__(self, setting: Setting, p: int, seed: int, dtype: type = np.float32) -> None:
        self.setting = setting
        self.p = p
        self.hidden = setting.hidden
        self._e = (np.log(setting.propensity), np.log1p(-setting.propensity))
        self._augmented = is_augmented(setting.loss)
        self._eta = dtype(setting.learning_rate)
        self._lam = dtype(setting.weight_penalty)
        self._start(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))), dtype)

    def _start(self, rng: np.random.Generator, dtype: type) -> None:
        """Weights uniform on +-1/sqrt(fan in), as linear layers usually start."""
        shapes = layer_shapes(self.p, self.hidden)
        fan_in = [s[0] for s in shapes] if self.hidden else [2 * self.p + 1] * 2

        def draw() -> Array:
            parts = [
                rng.uniform(-1, 1, prod(s)) / sqrt(f) for s, f in zip(shapes, fan_in, strict=True)
            ]
            return np.concatenate(parts).astype(dtype)

        first, second = draw(), draw()
        sizes = (*self.hidden, 1)
        bounds = np.repeat([1 / sqrt(f) for f in fan_in[-len(sizes) :]], sizes)
        self.intercepts = (rng.uniform(-1, 1, sum(sizes)) * bounds).astype(dtype)
        self.u = self.v = self.a = self.b = None
        if self.setting.penalty != "l1":
            self.theta = first
        elif self.setting.weight_start == "parts":
            self.u, self.v = np.maximum(first, 0), np.maximum(-first, 0)
            self.theta = self.u - self.v
        else:
            self.u, self.v = np.abs(first), np.abs(second)
            self.theta = self.u - self.v
        if self.setting.node_penalty is not None:
            m = self.hidden[0]
            if self.setting.scale_start == "ones":
                self.a, self.b = np.ones(m, dtype), np.zeros(m, dtype)
            else:
                self.a, self.b = np.abs(rng.normal(size=(2, m))).astype(dtype)
            self._lam1 = dtype(self.setting.node_penalty)
        self._arrange()

    def _arrange(self) -> None:
        """Names for the parts of the flat vectors, for the present number of nodes."""
        self._shapes = layer_shapes(self.p, self.hidden)
        self._intercept_shapes = [(m,) for m in (*self.hidden, 1)]
        self._layers = views(self.theta, self._shapes)
        self._intercepts = views(self.intercepts, self._intercept_shapes)
        self._first = self._layers[0]  # what X is multiplied with: s theta, or theta itself
        if self.a is not None:
            self.s = self.a - self.b
            self._first = self._layers[0] * self.s

    def weights(self) -> list[Array]:
        """The penalised weights by layer, as views."""
        return views(self.theta, self._shapes)

    @property
    def n_active_nodes(self) -> int:
        """m_hat: nodes of the hidden layers still in the computation."""
        return sum(self.hidden)

    def step(self, X: Array, y: NDArray[np.int8], t: NDArray[np.int8], space: Workspace) -> float:
        """One update on a batch; returns the batch's mean loss before it."""
        gradient = space.get("gradient", self.theta.size)
        d_intercepts = space.get("d_intercepts", self.intercepts.size)
        layers = views(gradient, self._shapes)
        inner = views(d_intercepts, self._intercept_shapes)
        depth = len(self.hidden)
        backward = (self._no_hidden, self._one_hidden)[depth] if depth < 2 else self._deep
        loss = backward(X, y, t, layers, inner, space)
        if self.a is None:
            self._descend(gradient)
        else:
            b1 = self._intercepts[0]
            ds = space.get("ds", b1.size)
            _kernels.scale_gradient(layers[0], self._layers[0], self.s, ds)
            ds += inner[0] * b1
            inner[0] *= self.s
            self._descend(gradient)
            _kernels.prox_l1(self.a, self.b, self.s, ds, self._eta, self._lam1)
            _kernels.scale_columns(self._layers[0], self.s, self._first)
        d_intercepts *= self._eta
        self.intercepts -= d_intercepts
        return loss

    def _descend(self, gradient: Array) -> None:
        if self.u is not None:
            _kernels.prox_l1(self.u, self.v, self.theta, gradient, self._eta, self._lam)
        else:  # without a penalty lambda is 0
            _kernels.descend_l2(self.theta, gradient, self._eta, self._lam)

    def _no_hidden(self, X, y, t, layers, inner, space) -> float:
        W, treatment = self._layers
        loss, inner[0][:], layers[1][:] = _kernels.no_hidden_layer(
            X, W, float(self.intercepts[0]), float(treatment[0]), y, t, *self._e,
            self._augmented, layers[0],
        )  # fmt: skip
        return loss

    def _one_hidden(self, X, y, t, layers, inner, space) -> float:
        H = np.dot(X, self._first[:-1], out=space.get("H", len(y), self.hidden[0]))
        b1, c0 = self._intercepts
        b1 = b1 if self.a is None else self.s * b1
        d_first, d_output = layers
        loss, inner[1][:] = _kernels.one_hidden_layer(
            H, b1, self._first[-1], self._layers[1], float(c0[0]), y, t, *self._e,
            self._augmented, inner[0], d_first[-1], d_output,
        )  # fmt: skip
        np.dot(X.T, H, out=d_first[:-1])
        return loss

    def _deep(self, X, y, t, layers, inner, space) -> float:
        B = len(y)
        *weights, output = self._layers[1:]
        H = np.dot(X, self._first[:-1], out=space.get("H", B, self.hidden[0]))
        A = [space.get("A0", 2 * B, self.hidden[0])]  # control rows, then treated rows
        _kernels.split_twins(H, self._intercepts[0], self._first[-1], A[0])
        for i, W in enumerate(weights, 1):
            A.append(np.dot(A[-1], W, out=space.get(f"A{i}", 2 * B, W.shape[1])))
            _kernels.bias_relu(A[-1], self._intercepts[i])
        Z = np.ascontiguousarray((np.dot(A[-1], output) + self._intercepts[-1]).reshape(2, B).T)
        g = space.get("g", B, 2)
        loss = _kernels.logit_gradient(Z, y, t, *self._e, self._augmented, g)
        g = g.T.reshape(2 * B)
        np.dot(g, A[-1], out=layers[-1])
        inner[-1][:] = g.sum()
        D = np.multiply.outer(g, output, out=space.get(f"D{len(weights)}", 2 * B, len(output)))
        for i in range(len(weights), 0, -1):
            _kernels.relu_backward(D, A[i], inner[i])
            np.dot(A[i - 1].T, D, out=layers[i])
            D = np.dot(D, weights[i - 1].T, out=space.get(f"D{i - 1}", 2 * B, self.hidden[i - 1]))
        _kernels.relu_backward(D, A[0], inner[0])
        _kernels.merge_twins(D, H, inner[0], layers[0][-1])
        np.dot(X.T, H, out=layers[0][:-1])
        return loss

    def drop_pruned_nodes(self) -> None:
        """Takes nodes with a_k = b_k = 0 out of the computation: they can never come back."""
        if self.a is None:
            return
        keep = (self.a > 0) | (self.b > 0)
        if keep.all():
            return

        def cut(flat: Array) -> Array:
            first, output = views(flat, self._shapes)
            return np.concatenate([first[:, keep].ravel(), output[keep]])

        u_v = None if self.u is None else (cut(self.u), cut(self.v))
        self.theta = cut(self.theta)
        self.u, self.v = u_v or (None, None)
        self.intercepts = self.intercepts[np.append(keep, True)]
        self.a, self.b = self.a[keep], self.b[keep]
        self.hidden = (int(keep.sum()),)
        self._arrange()

    def network(self) -> Network:
        """A copy of the present weights, ready to predict."""
        if not self.hidden:
            W, treatment = (layer.copy() for layer in self._layers)
            return Network((W,), treatment, (), np.empty(0, W.dtype), float(self.intercepts[0]))
        first = self._first.copy()
        *intercepts, c0 = (b.copy() for b in self._intercepts)
        if self.a is not None:
            intercepts[0] *= self.s
        *middle, output = (W.copy() for W in self._layers[1:])
        return Network((first[:-1], *middle), first[-1], tuple(intercepts), output, float(c0[0]))
