"""What a person would do today: causalml's X-learner, the best q on 70/30, value x uplift > cost.

On the same encoded columns that the campaign's own methods get, so that only what follows differs.
"""

import numpy as np
import pandas as pd
from causalml.inference.meta import BaseXClassifier
from sklift.metrics import qini_auc_score
from xgboost import XGBClassifier, XGBRegressor

from suite.campaign.encode import Encoder
from suite.campaign.types import Campaign

DEPTHS, RATE, TREES = (2, 4, 6), 0.05, 200


def uplift(campaign: Campaign, fresh: pd.DataFrame, seed: int) -> np.ndarray:
    """Predicted uplift of the customers `fresh`, typed as the campaign's own are."""
    encoder = Encoder(rates=False).fit(
        campaign.columns, campaign.frame, campaign.outcome, campaign.arm
    )
    X, y, treated = encoder.transform(campaign.frame), campaign.outcome, campaign.arm == 1
    learn = np.random.default_rng(seed).random(len(y)) < 0.7
    judge = ~learn
    best, chosen = -np.inf, None
    for depth in DEPTHS:
        about = {"max_depth": depth, "learning_rate": RATE, "n_estimators": TREES, "n_jobs": 1}
        model = BaseXClassifier(
            outcome_learner=XGBClassifier(**about), effect_learner=XGBRegressor(**about)
        )
        model.fit(X[learn], treated[learn].astype(int), y[learn], p=_p(treated, learn))
        found = model.predict(X[judge], p=_p(treated, judge))[:, 0]
        q = qini_auc_score(y[judge], found, treated[judge].astype(int))
        if q > best:
            best, chosen = q, model
    new = encoder.transform(fresh)
    return chosen.predict(new, p=np.full(len(new), treated.mean()))[:, 0]


def _p(treated: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.full(rows.sum(), treated.mean())
