"""A whole run in this process, as the units compute it, for tests that ask what is said."""

from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from suite.campaign import findings, work
from suite.campaign.analyse import Settings, setup_of, without_outside
from suite.campaign.api import Result
from suite.campaign.load import Options, load_campaign
from suite.campaign.plan import Progress, left_outs
from suite.campaign.store import Result as Computed
from suite.campaign.summary import summarise

METHOD, FOLDS = "r-lasso", 3


def analysed(frame: pd.DataFrame, **options: Any) -> Result:
    """`frame` analysed with one method and three folds; `options` are those of the file."""
    campaign = without_outside(load_campaign(frame, Options(**options)))
    setup = setup_of(campaign, Settings(folds=FOLDS))
    with threadpool_limits(1):
        means = {out: Computed(*work.means(setup, out)) for out in left_outs(FOLDS)}
        fits = {out: Computed(*work.fit(setup, out, METHOD)) for out in left_outs(FOLDS)}
        found = findings.find(campaign, setup, means, {METHOD: fits}, Progress())
        model = findings.model_of(found, setup, METHOD, Computed(*work.final(setup, METHOD)))
    about = {"seed": 0, "folds": FOLDS, "versions": {}}
    run = {"command": "", "seconds": 0.0, "finished": "", "methods": {}, "left_out": {}}
    summary = {**summarise(found, model), "quick": False, "about": about, "this_run": run}
    return Result(found, model, summary)
