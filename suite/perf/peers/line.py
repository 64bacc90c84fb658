"""One line of the table of peers."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Line:
    """A measured ratio, what it has to be (`limit`, the gate) and what is aimed at (`goal`).

    `sense` says on which side of the two a good value lies. A line without a limit informs.
    """

    section: str
    ours: str  # what is measured
    peer: str  # what it is measured against
    value: float
    detail: str  # the times behind the ratio
    sense: Literal["at least", "at most"] = "at least"
    limit: float | None = None
    goal: float | None = None

    @property
    def passes(self) -> bool:
        """Whether the gate lets it through."""
        return self.limit is None or self._holds(self.limit)

    @property
    def verdict(self) -> str:
        """In a word: goal met, within the limit, or beyond it."""
        if not self.passes:
            return "FAILS"
        if self.goal is None:
            return ""
        return "goal met" if self._holds(self.goal) else "goal missed"

    def _holds(self, bound: float) -> bool:
        return self.value >= bound if self.sense == "at least" else self.value <= bound


def milliseconds(*seconds: float) -> str:
    """Times side by side, ours first."""
    return " / ".join(f"{1000 * s:.3g}" for s in seconds) + " ms"
