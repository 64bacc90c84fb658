"""TwinBoost with one of its steps left out, each time on the same rows: what a step is worth."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from suite.compute.readings import Probe, Read
from twin import TwinBoost
from twin.boost import recipe
from twin.boost.fits import Fit, Part, Shape, best_of
from twin.rows import Rows

Floats = NDArray[np.float64]


class Change(NamedTuple):
    """What is done otherwise: names of the recipe, methods of a part, parameters of the model."""

    recipe: Mapping[str, Any] = {}
    part: Mapping[str, Any] = {}
    parameters: Mapping[str, Any] = {}


def _at_the_share(*fits: Fit) -> Fit:
    """The best of those with c = the treated share."""
    return best_of(*[fit for fit in fits if fit.choices.c not in (0.0, 1.0)] or fits)


def _no_line(part: Part, fit: Fit) -> Fit:
    return fit


_SPLITS = {
    "FIRST_F": (Shape(3, 0.0),),
    "FIRST_D": Shape(1, 0.0),
    "F_SHAPES": tuple(Shape(depth, 0.0) for depth in (1, 2, 4)),
    "D_SHAPES": tuple(Shape(depth, 0.0) for depth in (1, 2, 3)),
}
WHOLE = "as it is"
CHANGES = {
    WHOLE: Change(),
    "before calibration": Change(),
    "c = the treated share": Change(recipe={"best_of": _at_the_share}),
    "no lines": Change(recipe=_SPLITS, part={"sparse": _no_line}),
    "no sparse linear d": Change(part={"sparse": _no_line}),
    "no covariates left out": Change(recipe={"SCREENS": ()}),
    "f of the first two shapes": Change(recipe={"F_SHAPES": ()}),
    "d of single splits": Change(recipe={"D_SHAPES": ()}),
    "one pass": Change(recipe={"PASSES": 1}),
    "f and d together only": Change(recipe={"PASSES": 0}),
    "two members": Change(parameters={"members": 2}),
    "paper's loss": Change(parameters={"loss": "uplift"}),
}


class BoostParts(Probe):
    """Every change on the same rows; its own prediction is that of TwinBoost as it is."""

    name = "boost-parts"

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        self._models = {}
        for name, change in CHANGES.items():
            if name == "before calibration":
                continue
            with _changed(recipe, change.recipe), _changed(Part, change.part):
                model = TwinBoost(random_state=seed, threads=self.threads, **change.parameters)
                self._models[name] = model.fit(
                    train.X,
                    train.y,
                    train.treatment,
                    validation=(valid.X, valid.y, valid.treatment),
                )

    def _predict(self, X: NDArray[np.float32]) -> Floats:
        return self._models[WHOLE].predict(X)

    def readings(self, X: NDArray[np.float32]) -> Mapping[str, Read]:
        raw: dict[str, Callable[[NDArray[np.float32]], Floats]] = {
            "before calibration": self._models[WHOLE].predict_raw
        }
        predict = raw | {name: model.predict for name, model in self._models.items()}
        return {name: Read(predict[name](X), {}) for name in CHANGES}


@contextmanager
def _changed(place: Any, values: Mapping[str, Any]) -> Iterator[None]:
    """With other values for names of a module or class."""
    before = {name: getattr(place, name) for name in values}
    try:
        for name, value in values.items():
            setattr(place, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(place, name, value)
