"""One line of the table of peers."""

import sys
from dataclasses import dataclass
from typing import Literal, Self


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

    @classmethod
    def at_least(
        cls, section: str, ours: str, peer: str, seconds: tuple[float, float], goal: float | None
    ) -> Self:
        """How many times as long the peer takes, of `seconds` = (ours, peer's).

        Without a limit: how fast another library is differs between processors.
        """
        mine, theirs = seconds
        detail = milliseconds(mine, theirs)
        return cls(section, ours, peer, theirs / mine, detail, "at least", None, goal)

    @classmethod
    def at_most(
        cls,
        section: str,
        ours: str,
        peer: str,
        seconds: tuple[float, float],
        limit: float,
        goal: float,
    ) -> Self:
        """Our share of what the machine needs for the peer, of `seconds` = (ours, peer's)."""
        mine, theirs = seconds
        detail = milliseconds(mine, theirs)
        return cls(section, ours, peer, mine / theirs, detail, "at most", limit, goal)

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


def announce(section: str) -> None:
    """Says on stderr what is measured now: the whole table takes minutes."""
    print(f"measuring: {section}", file=sys.stderr, flush=True)


def milliseconds(*seconds: float) -> str:
    """Times side by side, ours first."""
    return " / ".join(f"{1000 * s:.3g}" for s in seconds) + " ms"
