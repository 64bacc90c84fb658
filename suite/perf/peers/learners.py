"""The R- and X-learner rows beside econml's and causalml's own meta-learners.

Theirs run as their documentation shows them, with the same kind of model inside and the known
propensity; boosting with xgboost's defaults, where ours searches settings by cross-validation.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import baselines
import datasets
from datasets import Dataset
from suite.compute.measures import truth
from suite.perf.peers.line import Line, announce
from suite.perf.timing import best_seconds

# A replicate outside the tables, small enough to fit a dozen models in a minute.
REPLICATE, N, P = 100, 5000, 50


def lines() -> list[Line]:
    """Seconds to fit and to predict test rows, and the regret of the prediction."""
    announce("Learners")
    data = datasets.load("scenario4", replicate=REPLICATE, n=N, p=P)
    found = []
    for model in ("lasso", "xgboost"):  # libraries are imported while the lasso warms up
        for learner in ("r", "x"):
            found += _row(learner, model, data)
    return found


def _row(learner: str, model: str, data: Dataset) -> list[Line]:
    regret: dict[str, float] = {}

    def contestant(name: str, predict: Callable[[], NDArray[np.floating]]) -> Callable[[], None]:
        def run() -> None:
            found = truth(data.test, np.asarray(predict(), dtype=np.float64).ravel())
            regret[name] = found.oracle_q - found.q

        return run

    method = baselines.method(f"{learner}-{model}")
    econml = _econml_r if learner == "r" else _econml_x
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        times = best_seconds(
            {
                "ours": contestant(
                    "ours",
                    lambda: method().fit(data.train, data.valid, seed=0).predict(data.test.X),
                ),
                "econml": contestant("econml", lambda: econml(_model(model), data)),
                "causalml": contestant("causalml", lambda: _causalml(learner, _model(model), data)),
            },
            rounds=3 if model == "lasso" else 1,
            warm_up=model == "lasso",
        )
    return [
        Line(
            "Learners",
            f"fit {method.name}",
            f"{peer}'s {learner.upper()}-learner",
            times[peer] / times["ours"],
            f"{times['ours']:.2f} / {times[peer]:.2f} s; "
            f"regret {regret['ours']:.2f} / {regret[peer]:.2f}",
        )
        for peer in ("econml", "causalml")
    ]


def _model(name: str) -> Any:
    if name == "lasso":
        from sklearn.linear_model import LassoCV

        return LassoCV(cv=10)
    from xgboost import XGBRegressor

    return XGBRegressor(n_jobs=1)


def _arrays(data: Dataset) -> tuple[NDArray[np.float64], ...]:
    train = data.train
    return train.X.astype(float), train.y.astype(float), train.treatment, data.test.X.astype(float)


def _econml_r(model: Any, data: Dataset) -> NDArray[np.floating]:
    from econml.dml import NonParamDML
    from sklearn.dummy import DummyClassifier

    X, y, t, test = _arrays(data)
    known = DummyClassifier(strategy="prior")
    learner = NonParamDML(
        model_y=model, model_t=known, model_final=model, discrete_treatment=True, random_state=0
    )
    return learner.fit(y, t, X=X).effect(test)


def _econml_x(model: Any, data: Dataset) -> NDArray[np.floating]:
    from econml.metalearners import XLearner
    from sklearn.dummy import DummyClassifier

    X, y, t, test = _arrays(data)
    known = DummyClassifier(strategy="prior")
    return XLearner(models=model, propensity_model=known).fit(y, t, X=X).effect(test)


def _causalml(learner: str, model: Any, data: Dataset) -> NDArray[np.floating]:
    from causalml.inference.meta import BaseRRegressor, BaseXRegressor

    X, y, t, test = _arrays(data)
    fitted = {"r": BaseRRegressor, "x": BaseXRegressor}[learner](learner=model)
    e = data.train.propensity
    fitted.fit(X, t, y, p=np.full(len(X), e))
    return fitted.predict(test, p=np.full(len(test), e))
