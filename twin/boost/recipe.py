"""The choices of a model by validation likelihood, and the fits that make one member of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from twin.boost.fits import Choices, Fit, Part, Shape, best_of

SEARCH_RATE, RATE = 0.2, 0.1  # the share of a Newton step that is taken, in the search and after it
FIRST_F, FIRST_D = (Shape(1, 1.5), Shape(3, 0.0)), Shape(1, 2.0)
F_SHAPES = tuple(Shape(depth, bonus) for bonus in (1.5, 0.0) for depth in (1, 2, 4))
D_SHAPES = tuple(Shape(depth, 2.0) for depth in (1, 2, 3))
SCREENS = (20, 10, 5)  # how many covariates a head may keep, by gain
SEARCH_STAGES = 7
PASSES = 2  # of d given f, f given d
LEAST_GAIN = 2e-5  # a pass that takes less off the loss is the last

Runner = Callable[[Sequence[Callable[[], Fit]]], list[Fit]]  # runs fits, maybe at the same time


def search(part: Part, run: Runner, report: Callable[[float], None]) -> Choices:
    """c, shapes and covariates of both heads, one after the other, by the stopping rows.

    `report` hears the loss after each of SEARCH_STAGES stages.
    """
    centres = (0.0, round(part.treated_share, 3), 1.0)

    def tried(candidates: Sequence[Choices], **given: Fit | str) -> list[Fit]:
        return run([lambda c=c: part.boost(c, rate=SEARCH_RATE, **given) for c in candidates])

    best = best_of(*tried([Choices(c, shape, FIRST_D) for c in centres for shape in FIRST_F]))
    report(best.loss)
    for head, name in enumerate(("f_columns", "d_columns")):
        best = best_of(best, *tried(_screened(best, head, name)))
        report(best.loss)
    for name, values in (("f", F_SHAPES), ("d", D_SHAPES), ("c", centres)):
        others = [v for v in values if v != getattr(best.choices, name)]
        best = best_of(best, *tried([replace(best.choices, **{name: v}) for v in others]))
        report(best.loss)
    # d alone, given this f, with all covariates before it: d's own may have been screened away.
    fresh = replace(best.choices, d_columns=None, d=FIRST_D)
    (alone,) = tried([fresh], heads="d", f_from=best)
    alone = best_of(alone, *tried(_screened(alone, 1, "d_columns"), heads="d", f_from=best))
    best = best_of(best, alone)
    report(best.loss)
    return best.choices


def _screened(fit: Fit, head: int, name: str) -> list[Choices]:
    """`fit`'s choices with the covariates of the largest gains alone."""
    gains = fit.gains[head]
    order, used = np.argsort(-gains, kind="stable"), int(np.count_nonzero(gains > 0))
    kept = [tuple(sorted(order[:k].tolist())) for k in SCREENS if k < used]
    return [replace(fit.choices, **{name: columns}) for columns in kept]


def member(part: Part, choices: Choices) -> Fit:
    """f and d together; then d given f and f given d, kept where the validation loss falls."""
    fit = part.boost(choices, rate=RATE)
    for _ in range(PASSES):
        before = fit.loss
        line = part.sparse(fit)
        fit = best_of(
            fit,
            part.boost(choices, rate=RATE, heads="d", f_from=fit),
            part.boost(choices, rate=RATE, heads="d", f_from=fit, d_from=fit),
            line,
            part.boost(choices, rate=RATE, heads="d", f_from=fit, d_from=line),
        )
        fit = best_of(
            fit,
            part.boost(choices, rate=RATE, heads="f", d_from=fit),
            part.boost(choices, rate=RATE, heads="f", f_from=fit, d_from=fit),
        )
        if fit.loss > before - LEAST_GAIN:
            break
    return fit
