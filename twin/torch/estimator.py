"""TwinTorch: a twin model of any torch network, with the interface of the other estimators."""

import copy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from torch import Tensor, nn

from twin import checks
from twin._progress import Progress
from twin.base import UpliftEstimator, all_or_nothing
from twin.rows import Rows
from twin.torch.loss import UpliftLoss
from twin.torch.modules import Standardise, Twin, TwinNet
from twin.torch.optim import ProximalSGD, penalised
from twin.torch.training import (
    ArrayBatches,
    Batch,
    Epochs,
    Scored,
    find_device,
    own_randomness,
    predicted_logits,
    train,
)
from twin.trainer import Scaler

SELECTIONS = ("q_adj", "likelihood")
LossFunction = Callable[[nn.Module, Any, Tensor, Tensor], Tensor]


class TwinTorch(UpliftEstimator):
    """A twin model of a torch network, trained on any device.

    Parameters
    ----------
    module : what maps (covariates, treatment) to one logit per row: a module, whose weights are
        the start and which is copied, or a function of p that makes one. A `Twin` is taken as it
        is. None is the paper's network, `TwinNet(p, (512,))`.
    optimizer : a function of the network that gives its optimizer; None is `ProximalSGD` with
        learning rate 0.1 and lambda 0.001 on the weights.
    loss : "uplift", "binomial", or a function of (network, covariates, y, treatment).
    device : "auto", or a torch device such as "cpu" or "cuda:1".
    batch_size, epochs : an epoch over arrays has at most 32 updates, as in `TwinUplift`.
    patience : stop after this many epochs without a better validation score; None: never.
    select_by : "q_adj" or "likelihood", by which the best epoch on validation rows is kept.
    standardise : covariates by mean and standard deviation; False where some are codes.
    propensity : as in `TwinUplift`.
    callbacks : functions called after every epoch with its numbers, a dictionary.
    random_state : the same one gives the same numbers on the CPU.
    threads : of torch on the CPU; another number may change the last digits.
    verbose : show a progress bar.

    Attributes
    ----------
    module_ : the fitted `Twin`, from covariates in their own units to logits (n, 2).
    history_ : one row per epoch. best_epoch_, best_score_ : of the weights that are kept.
    """

    def __init__(
        self,
        module: nn.Module | Callable[[int], nn.Module] | None = None,
        optimizer: Callable[[nn.Module], torch.optim.Optimizer] | None = None,
        loss: str | LossFunction = "uplift",
        device: str | torch.device = "auto",
        batch_size: int = 256,
        epochs: int = 100,
        patience: int | None = None,
        select_by: str = "q_adj",
        standardise: bool = True,
        propensity: float | str = 0.5,
        callbacks: Sequence[Callable[[dict[str, float]], object]] = (),
        random_state: int | None = None,
        threads: int = 1,
        verbose: bool = False,
    ) -> None:
        self.module = module
        self.optimizer = optimizer
        self.loss = loss
        self.device = device
        self.batch_size = batch_size
        self.epochs = epochs
        self.patience = patience
        self.select_by = select_by
        self.standardise = standardise
        self.propensity = propensity
        self.callbacks = callbacks
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, treatment: Any, validation: Any = None) -> Self:
        """Train on rows X, y, treatment; `validation` as in `TwinUplift.fit`."""
        device = self._checked_device(validation)
        rows, valid = self._check_fit_input(X, y, treatment, validation)
        inputs = None
        if self.standardise:
            scaler = Scaler.of(rows.X)
            mean, inverse = map(torch.from_numpy, (scaler.mean, scaler.inverse_scale))
            inputs = Standardise(mean, inverse).to(device)

        def prepared(covariates: NDArray[np.float32]) -> Tensor:
            tensor = torch.from_numpy(covariates).to(device)
            return tensor if inputs is None else inputs(tensor)

        with own_randomness(self.seed_, device, self.threads):
            net = self._network(rows.X.shape[1]).to(device)
            labels = (torch.from_numpy(a).to(device) for a in (rows.y, rows.treatment))
            batches = ArrayBatches(prepared(rows.X), *labels, int(self.batch_size), self.seed_)
            scored = None
            if valid is not None:
                scored = Scored(prepared(valid.X), valid.y, valid.treatment, self.select_by)
            kept = self._train(net, batches, scored)
        # A network that brings inputs of its own gets standardised rows first, as in training.
        both = [part for part in (inputs, net.inputs) if part is not None]
        net.inputs = nn.Sequential(*both) if len(both) == 2 else (both[0] if both else None)
        return self._keep(net, kept)

    @all_or_nothing
    def fit_batches(self, batches: Iterable[Batch], validation: Any = None) -> Self:
        """Train on data that do not fit in memory; covariates are taken as they are.

        `batches` gives (covariates, y, treatment), as tensors or arrays, and is walked through
        once for every epoch. `validation` = (X, y, treatment) as matrices and vectors, or None.
        """
        device = self._checked_device(validation)
        if isinstance(self.propensity, str):
            raise ValueError(
                f"propensity is {self.propensity!r}; for batches give the share of treated rows"
            )
        if self.module is None or not isinstance(self.module, nn.Module):
            raise ValueError(
                f"module is {self.module!r:.60}; for batches give a torch module, whose number of "
                "covariates is known"
            )
        self.seed_ = int(np.random.SeedSequence(self.random_state).entropy)
        self.propensity_ = checks.propensity_value(self.propensity)
        scored = None
        if validation is not None:
            rows = Rows.of(*validation)
            X = torch.from_numpy(rows.X).to(device)
            scored = Scored(X, rows.y, rows.treatment, self.select_by)
        arms: set[int] = set()

        def of_epoch(epoch: int) -> Iterable[Batch]:
            for X, y, t in batches:
                if epoch == 0 and len(arms) < 2:
                    arms.update(torch.as_tensor(t).unique().tolist())  # on any device
                yield _moved(X, device), _moved(y, device), _moved(t, device)
            if epoch == 0 and arms and len(arms) < 2:
                raise ValueError(
                    f"treatment is {arms.pop()} in every batch; uplift needs both treated (1) and "
                    "control (0) rows"
                )

        with own_randomness(self.seed_, device, self.threads):
            net = self._network(0).to(device)
            kept = self._train(net, of_epoch, scored)
        return self._keep(net, kept)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted uplift u(x) = Pr(Y = 1 | x, t = 1) - Pr(Y = 1 | x, t = 0), one per row."""
        outcomes = self.predict_outcomes(X)
        return outcomes[:, 1] - outcomes[:, 0]

    def predict_outcomes(self, X: Any) -> NDArray[np.float64]:
        """Pr(Y = 1 | x, t), shape (n, 2): columns control (t = 0), treated (t = 1)."""
        self._check_fitted()
        device = next(self.module_.parameters()).device
        if not isinstance(X, tuple | dict):  # these are of batches: what the network takes
            if hasattr(self, "n_features_in_"):
                self._check_columns(X)
            X = torch.from_numpy(checks.covariates(X))
        with own_randomness(0, device, self.threads):
            logits = predicted_logits(self.module_, _moved(X, device))
        return torch.sigmoid(logits.cpu().double()).numpy()

    @property
    def n_active_nodes_(self) -> int:
        """Hidden nodes that are not pruned; of a `TwinNet` only."""
        self._check_fitted()
        net = self.module_.backbone
        if not isinstance(net, TwinNet):
            raise AttributeError(f"n_active_nodes_ is of a TwinNet; this is a {type(net).__name__}")
        return sum(net.hidden) if net.scale is None else int((net.scale != 0).sum())

    def save(self, path: str | Path) -> None:
        """Not for networks of any kind: torch has the means."""
        raise NotImplementedError(
            "a network of your own cannot be saved without its code; use "
            "torch.save(model.module_.state_dict(), path), or twin.torch.from_torch(model.module_) "
            "where it is a TwinNet"
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """See `save`."""
        raise NotImplementedError("build the module and use its load_state_dict(torch.load(path))")

    def _checked_device(self, validation: Any) -> torch.device:
        """What can be wrong before any data are looked at."""
        for name, least in (("epochs", 1), ("batch_size", 1), ("threads", 1), ("patience", 1)):
            value = getattr(self, name)
            if name == "patience" and value is None:
                continue
            if isinstance(value, bool) or value != int(value) or value < least:
                raise ValueError(f"{name} is {value!r}; it must be a whole number, at least 1")
        if self.select_by not in SELECTIONS:
            raise ValueError(
                f"select_by is {self.select_by!r}; it must be one of {', '.join(SELECTIONS)}"
            )
        if self.patience is not None and validation is None:
            raise ValueError(
                f"patience is {self.patience} without validation rows; "
                "give validation=0.3 or (X, y, treatment)"
            )
        return find_device(self.device)

    def _network(self, p: int) -> Twin:
        made = self.module
        if made is None:
            made = TwinNet(p)
        elif isinstance(made, nn.Module):
            made = copy.deepcopy(made)
        else:
            made = made(p)
        return made if isinstance(made, Twin) else Twin(made)

    def _train(
        self,
        net: Twin,
        batches: Callable[[int], Iterable[Batch]],
        scored: Scored | None,
    ) -> Epochs:
        make = self.optimizer
        optimizer = make(net) if make else ProximalSGD(penalised(net, node_penalty=0.0))
        loss = self.loss
        if not callable(loss):
            criterion = UpliftLoss(loss, self.propensity_)

            def loss(net: nn.Module, X: Any, y: Tensor, t: Tensor) -> Tensor:
                return criterion(net(X), y, t)

        with Progress(self.epochs, self.verbose) as bar:

            def report(entry: dict[str, float]) -> None:
                numbers = ", ".join(f"{k} {v:.4g}" for k, v in entry.items() if k != "epoch")
                bar.update(int(entry["epoch"]), numbers)

            return train(
                net,
                optimizer,
                loss,
                batches,
                epochs=int(self.epochs),
                patience=self.patience,
                scored=scored,
                after_epoch=(report, *self.callbacks),
            )

    def _keep(self, net: Twin, kept: Epochs) -> Self:
        self.module_ = net
        self.best_epoch_, self.best_score_ = kept.best_epoch, kept.best_score
        self.history_ = pd.DataFrame(
            kept.history, index=pd.RangeIndex(1, len(kept.history) + 1, name="epoch")
        )
        return self

    def _check_fitted(self) -> None:
        if not hasattr(self, "module_"):
            raise NotFittedError(
                "this TwinTorch is not fitted yet; call fit(X, y, treatment) first"
            )


def _moved(value: Any, device: torch.device) -> Any:
    """Tensors and arrays, alone or in tuples and dictionaries, on the device."""
    if isinstance(value, dict):
        return {name: _moved(part, device) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_moved(part, device) for part in value)
    return torch.as_tensor(value).to(device)
