"""TwinUplift: one twin model with given settings."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from twin import checks
from twin.base import UpliftEstimator, all_or_nothing
from twin.lane import Setting
from twin.trainer import Training

if TYPE_CHECKING:
    from torch.nn import Module


class TwinUplift(UpliftEstimator):
    """A twin model for uplift, trained by proximal SGD.

    Parameters
    ----------
    hidden : nodes of each hidden layer. `()` is the interaction model Twin_mu with 2p + 1
        coefficients, `(m,)` is Twin_NN; with `loss="binomial"`, `hidden=()` is Logistic.
    loss : "uplift" (the paper's augmented loss), "binomial" or its synonym "likelihood".
    penalty : "l1" (exact zeros through theta = u - v), "l2" or "none"; not on intercepts.
    weight_penalty : lambda of the penalty (lambda_2 where there are scaling factors).
    node_penalty : lambda_1 of the scaling factors s_k that prune whole nodes; None: no factors.
    learning_rate, batch_size, epochs : plain SGD. An epoch is a pass over the rows, of at most
        32 updates, so that the training budget is level in the number of rows.
    propensity : the known constant e = Pr(T = 1), or "estimate" for the share of treated rows.
    weight_start : "parts" (u, v = theta+, theta-) or "independent" (both |U|).
    scale_start : "normal" (a and b both |N(0, 1)|) or "ones" (s = 1).
    random_state : whole number, or None for a new one each time (kept in `seed_`).

    Attributes
    ----------
    n_active_nodes_ : nodes left (m_hat). best_epoch_ : the epoch whose weights are kept.
    history_ : one row per epoch (loss, validation q_adj, active nodes).
    coef_ : named coefficients in the units of X (hidden=() only).
    n_features_in_, feature_names_in_, propensity_, seed_.
    """

    def __init__(
        self,
        hidden: tuple[int, ...] = (512,),
        loss: str = "uplift",
        penalty: str = "l1",
        weight_penalty: float = 0.001,
        node_penalty: float | None = None,
        learning_rate: float = 0.1,
        batch_size: int = 256,
        epochs: int = 100,
        propensity: float | str = 0.5,
        weight_start: str = "parts",
        scale_start: str = "normal",
        random_state: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.loss = loss
        self.penalty = penalty
        self.weight_penalty = weight_penalty
        self.node_penalty = node_penalty
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.propensity = propensity
        self.weight_start = weight_start
        self.scale_start = scale_start
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any, treatment: Any, validation: Any = None) -> Self:
        """Train on rows X with outcome y and treatment t (0/1).

        `validation` = (X, y, treatment), or a fraction of the rows such as 0.3, chooses the epoch
        by q_adj; without it the last epoch is kept.
        """
        checks.whole_number(self.epochs, "epochs", 1)
        train, valid = self._check_fit_input(X, y, treatment, validation)
        setting = Setting(
            hidden=checks.layers(self.hidden),
            loss=self.loss,
            penalty=self.penalty,
            learning_rate=self.learning_rate,
            weight_penalty=self.weight_penalty if self.penalty != "none" else 0.0,
            node_penalty=self.node_penalty,
            propensity=self.propensity_,
            weight_start=self.weight_start,
            scale_start=self.scale_start,
        )
        training = Training([setting], train, valid, seed=self.seed_, batch_size=self.batch_size)
        training.advance(training.tracks, int(self.epochs))
        (track,) = training.tracks
        if track.diverged:
            raise ValueError(
                f"the loss is not finite in epoch {len(track.loss)} with "
                f"learning_rate={self.learning_rate}; choose a smaller one"
            )
        self.networks_, self.scaler_ = (track.checkpoint,), training.scaler
        self.best_epoch_ = track.best_epoch
        self.history_ = pd.DataFrame(
            {"loss": track.loss, "active_nodes": track.active_nodes},
            index=pd.RangeIndex(1, len(track.loss) + 1, name="epoch"),
        )
        if valid is not None:
            self.history_["valid_q_adj"] = track.scores
        return self

    @property
    def coef_(self) -> pd.Series:
        """Coefficients of the interaction model in the units of X, by name."""
        self._check_fitted()
        if self.hidden:
            raise AttributeError(f"coef_ needs hidden=(); this model has hidden={self.hidden}")
        return named_coefficients(self)

    def to_torch(self) -> "Module":
        """The fitted model as a torch module: X in its own units (n, p) to logits (n, 2)."""
        # By name: torch is optional, and no number of this model depends on it.
        return import_module("twin.torch").to_torch(self)


def named_coefficients(model: UpliftEstimator) -> pd.Series:
    """theta_o, theta_1..p, theta_2p+1, theta_p+1..2p of a model without hidden layer, unscaled."""
    (network,) = model.networks_
    main, interaction = network.matrices[0].astype(float) * model.scaler_.inverse_scale
    names = getattr(model, "feature_names_in_", [f"x{j + 1}" for j in range(len(main))])
    mean = model.scaler_.mean
    values = {"intercept": network.output_intercept - main @ mean}
    values |= dict(zip(names, main, strict=True))
    values["treatment"] = float(network.treatment[0]) - interaction @ mean
    values |= {f"treatment:{n}": c for n, c in zip(names, interaction, strict=True)}
    return pd.Series(values, name="coefficient")
