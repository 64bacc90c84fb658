"""A figure by name, and the numbers it shows.

An image carries the digest of its numbers. Its bytes are the same for the same numbers and the
same version of matplotlib; with another version the digest still tells whether it is up to date.
"""

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure

_STYLE = {
    "svg.hashsalt": "twin-uplift-suite",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 110,
}
OURS, PAPER, OTHER = "#1f5fa8", "#d1495b", "#8a8a8a"


@dataclass(frozen=True)
class Picture:
    """A figure by name: the numbers it shows and how they are drawn."""

    name: str
    numbers: Any
    draw: Callable[[], Figure]

    @property
    def digest(self) -> str:
        text = json.dumps(self.numbers, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def svg(self) -> bytes:
        """The image."""
        buffer = io.BytesIO()
        with matplotlib.rc_context(_STYLE):
            metadata = {"Date": None, "Description": self.mark}
            self.draw().savefig(buffer, format="svg", metadata=metadata)
        return buffer.getvalue()

    @property
    def mark(self) -> str:
        """What is written into the file: the digest of the numbers, and who drew them."""
        return f"numbers {self.digest}, matplotlib {matplotlib.__version__}"
