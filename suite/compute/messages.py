"""Messages between processes: JSON and raw arrays, bounded, never code.

A message is 8 bytes of length, a JSON object that also names the arrays' types and shapes, and
the bytes of the arrays.
"""

import json
import math
import socket
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_LENGTH = struct.Struct(">Q")
# Numbers, and nothing that refers to an object.
_TYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
_DIMENSIONS = 3
LARGEST_HEADER = 1 << 24
LARGEST_MESSAGE = 1 << 36


class BadMessage(ValueError):
    """Bytes that are no message, or larger than one may be."""


def packed(header: Mapping[str, Any], arrays: Arrays | None = None) -> list[memoryview]:
    """A message as pieces of bytes, the arrays without a copy."""
    arrays = {name: np.asarray(array, order="C") for name, array in (arrays or {}).items()}
    about = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    for array in about:
        _size(*array)  # what the other side would refuse is an error here
    text = json.dumps({"header": header, "arrays": about}).encode()
    pieces = [memoryview(_LENGTH.pack(len(text)) + text)]
    return pieces + [memoryview(a.reshape(-1)).cast("B") for a in arrays.values() if a.nbytes]


def send(connection: socket.socket, pieces: list[memoryview]) -> None:
    """Send a whole message; blocks until the other side has taken it."""
    for piece in pieces:
        connection.sendall(piece)


def receive(connection: socket.socket) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The next message; blocks until it is complete. `EOFError` when the other side hung up."""
    incoming = Incoming()
    incoming.fill_from(connection)
    return incoming.message()


class Incoming:
    """A message that arrives in pieces, from a sender who may send anything."""

    def __init__(self, largest: int = LARGEST_MESSAGE) -> None:
        self._bytes = bytearray()
        self._largest = largest
        self._header: dict[str, Any] | None = None
        self._end = _LENGTH.size  # what is known of the message's length

    @property
    def wanted(self) -> int:
        """How many bytes are missing, as far as is known."""
        return self._end - len(self._bytes)

    @property
    def complete(self) -> bool:
        return self._header is not None and self.wanted == 0

    def fill_from(self, connection: socket.socket) -> None:
        """Take what arrives until the message is complete."""
        while not self.complete:
            piece = connection.recv(min(1 << 20, self.wanted))
            if not piece:
                raise EOFError
            self.take(piece)

    def take(self, piece: bytes) -> None:
        """The next bytes, `wanted` at most."""
        self._bytes += piece
        if self.wanted == 0 and self._header is None:
            self._learn()  # first the header's length, then what it says

    def _learn(self) -> None:
        (length,) = _LENGTH.unpack(self._bytes[: _LENGTH.size])
        if length > min(LARGEST_HEADER, self._largest):
            raise BadMessage(f"a message claims a header of {length} bytes")
        self._end = _LENGTH.size + length
        if len(self._bytes) < self._end:
            return
        try:
            body = json.loads(self._bytes[_LENGTH.size :])
            header, arrays = body["header"], body["arrays"]
            if not isinstance(header, dict):
                raise TypeError("its header is no mapping")
            sizes = [_size(*array) for array in arrays]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BadMessage(f"a message has no readable header ({error})") from None
        self._header, self._arrays = header, arrays
        self._end += sum(sizes)
        if self._end > self._largest:
            raise BadMessage(f"a message of {self._end} bytes; {self._largest} are the most")

    def message(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Header and arrays of the complete message."""
        (length,) = _LENGTH.unpack(self._bytes[: _LENGTH.size])
        start, arrays = _LENGTH.size + length, {}
        for name, kind, shape in self._arrays:
            count = math.prod(shape)
            arrays[name] = np.frombuffer(self._bytes, kind, count, start).reshape(shape).copy()
            start += _size(name, kind, shape)
        return self._header, arrays


def _size(name: str, kind: str, shape: list[int]) -> int:
    if kind not in _TYPES or not isinstance(name, str):
        raise TypeError(f"an array of type {kind!r}")
    if not isinstance(shape, list) or len(shape) > _DIMENSIONS:
        raise TypeError(f"an array of shape {shape!r}")
    if not all(type(n) is int and 0 <= n < 1 << 40 for n in shape):
        raise TypeError(f"an array of shape {shape!r}")
    return np.dtype(kind).itemsize * math.prod(shape)
