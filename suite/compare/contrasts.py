"""Rules S4 to S6: claims that one method beats others, gains nothing, or is similar.

A claim that holds for every contrast is tested by its weakest one, without correction
(intersection-union); one contrast that fails contradicts it, so those p-values are corrected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from suite.compare.paired import LEVEL, Estimate, holm

SUPPORTED, CONTRADICTED = "supported", "contradicted"
NOT_SHOWN, UNDECIDED, INCOMPLETE = "not shown", "undecided", "incomplete"

Kind = Literal["superior", "no gain", "similar"]


@dataclass(frozen=True)
class Judged:
    """The evidence for and against a claim of one or more contrasts."""

    kind: Kind
    p: float  # for the claim: every contrast has to hold (intersection-union)
    p_against: float  # against it: one contrast is enough (Holm within the claim)
    bound: float  # no gain, similar: the largest upper (or outward) bound
    gain: bool = False  # no gain: some gain is significant, though below the margin


def weigh(kind: Kind, contrasts: Sequence[Estimate], margin: float = 0.0) -> Judged:
    """The p-values of a claim.

    `superior`: all differences are above 0; `no gain`: all below the margin; `similar`: all
    between -margin and margin.
    """
    if not contrasts:
        raise ValueError("a claim needs at least one contrast")
    if kind == "superior":
        return Judged(
            kind,
            p=max(c.p_above() for c in contrasts),
            p_against=min(holm([c.p_below() for c in contrasts])),
            bound=min(c.lower() for c in contrasts),
        )
    gains = holm([c.p_above() for c in contrasts])
    if kind == "no gain":
        return Judged(
            kind,
            p=max(c.p_below(margin) for c in contrasts),
            p_against=min(gains),
            bound=max(c.upper() for c in contrasts),
            gain=min(gains) < LEVEL,
        )
    outside = [min(1.0, 2 * min(c.p_above(margin), c.p_below(-margin))) for c in contrasts]
    return Judged(
        kind,
        p=max(max(c.p_below(margin), c.p_above(-margin)) for c in contrasts),
        p_against=min(holm(outside)),
        bound=max(max(c.upper(), -c.lower()) for c in contrasts),
    )


def verdict(judged: Judged, p: float | None = None, p_against: float | None = None) -> str:
    """The word, from p-values adjusted over several claims where they are given."""
    p = judged.p if p is None else p
    p_against = judged.p_against if p_against is None else p_against
    if p < LEVEL:
        return SUPPORTED
    if p_against < LEVEL:
        return CONTRADICTED
    return NOT_SHOWN if judged.kind == "superior" else UNDECIDED
