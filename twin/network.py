"""A twin network ready to predict: two passes that share every weight and differ only in t."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from twin import _kernels, checks

Array = NDArray[np.floating]
CHUNK = 2048  # rows in one pass: keeps the activations in the cache, and memory level in n


@dataclass(frozen=True, eq=False)
class Network:
    """Weights of a fitted twin model; the scaling factors s_k are multiplied in.

    `matrices[0]` is (p, m) for the first hidden layer, whose weights of the treatment are
    `treatment` (m,); further layers follow. `output` (m_last,) and `output_intercept` end the
    network. Without a hidden layer `matrices[0]` is (2, p), the rows theta_1..p (main effects)
    and theta_p+1..2p (interactions with t), `treatment` holds theta_2p+1 and `output` is empty.
    """

    matrices: tuple[Array, ...]
    treatment: Array
    intercepts: tuple[Array, ...]
    output: Array
    output_intercept: float

    @property
    def hidden(self) -> tuple[int, ...]:
        """Sizes of the hidden layers."""
        return tuple(len(b) for b in self.intercepts)

    def logits(self, X: Array) -> Array:
        """Logits (n, 2) of the control and the treated twin."""
        result = np.empty((len(X), 2), dtype=self.treatment.dtype)
        for rows in chunks(len(X)):
            self._logits(X[rows], result[rows])
        return result

    def uplift(self, X: Array) -> NDArray[np.float64]:
        """u(x) = sigmoid(a1) - sigmoid(a0)."""
        return uplift_of(self.logits(X))

    def _logits(self, X: Array, out: Array) -> None:
        c0 = self.output_intercept
        if not self.hidden:
            c1 = float(self.treatment[0])
            _kernels.no_hidden_layer_logits(X, self.matrices[0], c0, c1, out)
            return
        H = np.dot(X, self.matrices[0])  # shared by the twins
        if len(self.hidden) == 1:
            _kernels.one_hidden_layer_logits(
                H, self.intercepts[0], self.treatment, self.output, c0, out
            )
        else:
            A = np.empty((2 * len(X), H.shape[1]), dtype=H.dtype)
            _kernels.split_twins(H, self.intercepts[0], self.treatment, A)
            for W, b in zip(self.matrices[1:], self.intercepts[1:], strict=True):
                A = np.dot(A, W)
                _kernels.bias_relu(A, b)
            out[:] = (np.dot(A, self.output) + c0).reshape(2, -1).T

    def arrays(self) -> dict[str, Array]:
        """Every array by name, for storage; `from_arrays` reads it back."""
        return {
            **{f"matrix{i}": W for i, W in enumerate(self.matrices)},
            **{f"intercepts{i}": b for i, b in enumerate(self.intercepts)},
            "treatment": self.treatment,
            "output": self.output,
            "output_intercept": np.float64(self.output_intercept),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array], p: int) -> Self:
        """The network for `p` covariates that `arrays` describes; anything else is an error.

        The compiled loops check no bounds, so a wrong shape must never get that far.
        """
        depth = sum(name.startswith("intercepts") for name in arrays)
        matrices = [f"matrix{i}" for i in range(max(1, depth))]
        intercepts = [f"intercepts{i}" for i in range(depth)]
        expected = {*matrices, *intercepts, "treatment", "output", "output_intercept"}
        if set(arrays) != expected:
            wrong = min(expected ^ set(arrays))
            raise ValueError(f"a network with {depth} hidden layers has no or needs {wrong!r:.40}")
        sizes = [len(arrays[name]) if arrays[name].ndim == 1 else -1 for name in intercepts]
        shapes: dict[str, tuple[int, ...]] = {"output_intercept": ()}
        if depth:
            shapes |= dict(zip(matrices, pairwise([p, *sizes]), strict=True))
            shapes |= {name: (m,) for name, m in zip(intercepts, sizes, strict=True)}
            shapes |= {"treatment": (sizes[0],), "output": (sizes[-1],)}
        else:
            shapes |= {"matrix0": (2, p), "treatment": (1,), "output": (0,)}
        for name, shape in shapes.items():
            dtype = np.float64 if name == "output_intercept" else np.float32
            checks.stored_array(arrays[name], name, shape, dtype)
        return cls(
            tuple(arrays[name] for name in matrices),
            arrays["treatment"],
            tuple(arrays[name] for name in intercepts),
            arrays["output"],
            float(arrays["output_intercept"]),
        )


def uplift_of(logits: Array) -> NDArray[np.float64]:
    """u = sigmoid(a1) - sigmoid(a0) of logits (n, 2)."""
    result = np.empty(len(logits))
    _kernels.uplift_from_logits(logits, result)
    return result


def chunks(n: int, size: int = CHUNK) -> Iterator[slice]:
    """Slices that cover n rows."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
