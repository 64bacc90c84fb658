"""The study's probes: each trains a grid of twin models once, and reads every rule off it."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from suite.compute.readings import Probe, Read
from suite.study.grids import Candidate, halved, trained_in_full
from twin import TwinPath
from twin.lane import Setting
from twin.rows import Rows
from twin.search import paper_grid
from twin.trainer import Training

MAIN = "halving, best epoch, single"  # the prediction of a probe itself
COMMITTEES: dict[str, tuple[int, float]] = {  # name -> at most K members, least share of the best
    "single": (1, 0.0),
    "5 best": (5, 0.0),
    "10 best": (10, 0.0),
    "20 best": (20, 0.0),
    "within 10 %": (20, 0.9),
    "within 20 %": (20, 0.8),
}


class StudyProbe(Probe):
    """`kind` and `start` (of weights, of scaling factors) name it in the study's tables."""

    kind: ClassVar[str]
    start: ClassVar[tuple[str, str]] = ("parts", "ones")

    @abstractmethod
    def _rules(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Read]]:
        """Every rule with its prediction."""

    def readings(self, X: NDArray[np.float32]) -> Mapping[str, Read]:
        return dict(self._rules(X))


class Exact(StudyProbe):
    """Both losses of the model without hidden layer, optimised exactly."""

    name = "probe-exact"
    kind = "exact"

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        given = train.X, train.y, train.treatment, (valid.X, valid.y, valid.treatment)
        self._models = {
            f"{loss}, {'refit' if refit else 'penalised'}": TwinPath(loss=loss, refit=refit).fit(
                *given
            )
            for loss in ("uplift", "binomial")
            for refit in (False, True)
        }

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._models["uplift, penalised"].predict(X)

    def _rules(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Read]]:
        for rule, model in self._models.items():
            yield rule, Read(model.predict(X), {"valid_q_adj": model.best_score_})


class Grid(StudyProbe):
    """The paper's grid, after halving or (`full`) with every setting trained to the end."""

    hidden: ClassVar[tuple[int, ...]] = ()
    loss: ClassVar[str] = "uplift"
    full: ClassVar[bool] = True

    def _fit(self, train: Rows, valid: Rows, seed: int) -> None:
        grid = paper_grid(structured=bool(self.hidden))
        common = {"hidden": self.hidden, "loss": self.loss}
        starts = {"weight_start": self.start[0], "scale_start": self.start[1]}
        settings = [
            Setting(**common, **starts, learning_rate=rate, node_penalty=lam1, weight_penalty=lam2)
            for rate in grid["learning_rate"]
            for lam1 in grid["node_penalty"]
            for lam2 in grid["weight_penalty"]
        ]
        training = Training(settings, train, valid, seed=seed)
        self._scaler = training.scaler
        self._kept = trained_in_full(training) if self.full else {"halving": halved(training)}
        self.settings_ = facts(self._members(MAIN))

    def _members(self, rule: str) -> list[Candidate]:
        """The candidates whose mean a rule predicts, the best one first."""
        schedule, _, committee = rule.partition(", best epoch, ")
        if not committee:
            schedule, committee = "last epoch", "single"
        most, share = COMMITTEES[committee]
        alive = [candidate for candidate in self._kept[schedule] if not candidate.diverged]
        ranked = sorted(alive, key=lambda candidate: -candidate.best_score)
        return [c for c in ranked[:most] if c.best_score >= share * ranked[0].best_score]

    def _predict(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        X = self._scaler.standardised(X)
        return np.mean([member.network.uplift(X) for member in self._members(MAIN)], axis=0)

    def _rules(self, X: NDArray[np.float32]) -> Iterator[tuple[str, Read]]:
        X = self._scaler.standardised(X)
        uplift: dict[int, NDArray[np.float64]] = {}  # a network is a member by many rules
        rules = [f"{s}, best epoch, {c}" for s in ("full", "halving") for c in COMMITTEES]
        for rule in (*rules, "full, last epoch, single"):
            if self.full or rule.startswith("halving"):
                members = self._members(rule)
                for network in (member.network for member in members):
                    if id(network) not in uplift:
                        uplift[id(network)] = network.uplift(X)
                mean = np.mean([uplift[id(member.network)] for member in members], axis=0)
                yield rule, Read(mean, facts(members))


def facts(members: list[Candidate]) -> dict[str, Any]:
    """What the tables show of a rule's choice."""
    best = members[0]
    names = ("learning_rate", "node_penalty", "weight_penalty")
    return {
        "members": len(members),
        "nodes": best.nodes,
        "valid_q_adj": best.best_score,
        "best": {name: getattr(best.setting, name) for name in names},
    }


class TwinMu(Grid):
    name, kind = "probe-twin-mu", "twin-mu"


class TwinMuIndependent(TwinMu):
    name, start = "probe-twin-mu-independent", ("independent", "ones")


class Logistic(Grid):
    name, kind, loss = "probe-logistic", "logistic", "binomial"


class LogisticIndependent(Logistic):
    name, start = "probe-logistic-independent", ("independent", "ones")


class Structured(Grid):
    """With 64 nodes a whole grid without halving stays affordable."""

    kind, hidden, full = "network", (64,), False


class PartsOnes(Structured):
    name, start = "probe-network-parts-ones", ("parts", "ones")


class PartsNormal(Structured):
    name, start = "probe-network-parts-normal", ("parts", "normal")


class IndependentOnes(Structured):
    name, start = "probe-network-independent-ones", ("independent", "ones")


class IndependentNormal(Structured):
    name, start = "probe-network-independent-normal", ("independent", "normal")


class Full(PartsNormal):
    name, full = "probe-network-full", True


class WidePartsOnes(PartsOnes):
    name, kind, hidden = "probe-wide-parts-ones", "wide", (512,)


class WidePartsNormal(PartsNormal):
    name, kind, hidden = "probe-wide-parts-normal", "wide", (512,)
