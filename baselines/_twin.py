"""What all rows of twin models share: one search over the paper's grid on the same rows."""

import time
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.contract import Method
from twin import TwinSearch
from twin.rows import Rows
from twin.trainer import BatchPlan

QUICK_EPOCHS = 20


class TwinMethod(Method):
    """Trains every setting of the grid and keeps the best by validation score `select`."""

    quick_grid: ClassVar = {
        "learning_rate": (0.1,),
        "weight_penalty": (0.0001, 0.001),
    }
    loss: ClassVar[str] = "uplift"
    penalty: ClassVar[str] = "l1"
    committee: ClassVar[int] = 1
    select: ClassVar[str] = "q_adj"

    @abstractmethod
    def _hidden(self, train: Rows, valid: Rows, seed: int) -> tuple[int, ...]:
        """Nodes of the hidden layers."""

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        start = time.perf_counter()
        hidden = self._hidden(train, valid, seed)
        self._search = search = TwinSearch(
            hidden=hidden,
            loss=self.loss,
            penalty=self.penalty,
            grid=self.active_grid,
            committee=self.committee,
            select=self.select,
            halving=bool(hidden),  # without hidden layer all settings train to the end: it is cheap
            propensity=train.propensity,
            random_state=seed,
            threads=self.threads,
        )
        if self.quick:
            search.epochs = QUICK_EPOCHS
        search.fit(
            train.X, train.y, train.treatment, validation=(valid.X, valid.y, valid.treatment)
        )
        columns = [*self.active_grid, "best_epoch", "active_nodes", "status"]
        results = search.results_.rename(columns={f"valid_{self.select}": self.select})
        self.search_ = results[[*columns, self.select]].to_dict("records")
        self.settings_ = {**search.best_params_, "epoch": search.best_epoch_}
        self.n_updates_ = search.epochs * BatchPlan(len(train), search.batch_size, seed).updates
        if hidden:
            self.n_nodes_, self.n_active_nodes_ = sum(hidden), search.n_active_nodes_
        # The search ends with a trained model: nothing is fitted after it.
        self.seconds_["tune"] = time.perf_counter() - start

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._search.predict(X)
