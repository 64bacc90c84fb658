"""The choices of a model by validation likelihood, and the fits that make one member of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from twin.boost.fits import Choices, Fit, Part, Shape, best_of

SEARCH_RATE, RATE = 0.2, 0.1  # the share of a Newton step that is taken, in the search and after it
FIRST_F, FIRST_D = (Shape(1, 1.5), Shape(3, 0.0)), Shape(1, 2.0)
F_SHAPES = tuple(Shape(depth, bonus) for bonus in (1.5, 0.0) for depth in (1, 2, 4))
D_SHAPES = tuple(Shape(depth, 2.0) for depth in (1, 2, 3))
SCREENS = (40, 20, 14, 10, 7, 5)  # how many covariates a head keeps, one after the other
SEARCH_STAGES = 7
MANY_ROWS = 100_000  # above, members take the larger steps too
PASSES = 2  # of d given f, f given d
LEAST_GAIN = 2e-5  # a pass that takes less off the loss is the last

Runner = Callable[[Sequence[Callable[[], Fit]]], list[Fit]]  # runs fits, maybe at the same time


def search(part: Part, run: Runner, report: Callable[[float], None]) -> Choices:
    """c, shapes and covariates of both heads, one after the other, by the stopping rows.

    `report` hears the loss after each of SEARCH_STAGES stages.
    """
    centres = (0.0, round(part.treated_share, 3), 1.0)

    def tried(candidates: Sequence[Choices]) -> list[Fit]:
        return run([lambda c=c: part.boost(c, rate=SEARCH_RATE) for c in candidates])

    best = best_of(*tried([Choices(c, shape, FIRST_D) for c in centres for shape in FIRST_F]))
    report(best.loss)
    for head in (0, 1):
        best = _eliminated(best, head, lambda c: part.boost(c, rate=SEARCH_RATE))
        report(best.loss)
    for name, values in (("f", F_SHAPES), ("d", D_SHAPES), ("c", centres)):
        others = [v for v in values if v != getattr(best.choices, name)]
        best = best_of(best, *tried([replace(best.choices, **{name: v}) for v in others]))
        report(best.loss)

    # d alone, given this f, from all covariates: d's own may have been eliminated beside f's.
    def alone(choices: Choices) -> Fit:
        return part.boost(choices, rate=SEARCH_RATE, heads="d", f_from=best)

    other = _eliminated(alone(replace(best.choices, d_columns=None, d=FIRST_D)), 1, alone)
    best = best_of(best, other)
    report(best.loss)
    return best.choices


def _eliminated(fit: Fit, head: int, refit: Callable[[Choices], Fit]) -> Fit:
    """The best of refits with ever fewer covariates of one head: those of the least gain go."""
    name = ("f_columns", "d_columns")[head]
    best = fit
    for k in SCREENS:
        gains = fit.gains[head]
        if k < np.count_nonzero(gains > 0):
            kept = np.sort(np.argsort(-gains, kind="stable")[:k])
            fit = refit(replace(fit.choices, **{name: tuple(kept.tolist())}))
            best = best_of(best, fit)
    return best


def member(part: Part, choices: Choices) -> Fit:
    """f and d together; then d given f and f given d, kept where the validation loss falls."""
    rate = RATE if len(part.fit_rows) <= MANY_ROWS else SEARCH_RATE
    fit = part.boost(choices, rate=rate)
    given_f = given_d = None  # what d was last fitted to, and f: the same would come of it again
    for _ in range(PASSES):
        before = fit.loss
        if fit.f is not given_f:
            given_f = fit.f
            afresh = part.boost(choices, rate=rate, heads="d", f_from=fit)
            fit = best_of(fit, afresh, part.sparse(fit))
        if fit.d is not given_d:
            given_d = fit.d
            fit = best_of(fit, part.boost(choices, rate=rate, heads="f", d_from=fit))
        if fit.loss > before - LEAST_GAIN:
            break
    return fit
