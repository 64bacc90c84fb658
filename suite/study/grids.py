"""A grid trained once: what is kept of every setting, after halving and without."""

from collections.abc import Mapping
from dataclasses import dataclass

from twin.lane import Setting
from twin.network import Network
from twin.search import RUNGS, survivors
from twin.trainer import Training

EPOCHS = 100
STOPS = (*RUNGS, EPOCHS)


@dataclass
class Candidate:
    """A setting at one moment of its training: validation q_adj and the network to keep."""

    setting: Setting
    best_score: float
    network: Network | None
    nodes: int

    @property
    def diverged(self) -> bool:
        return self.network is None


def trained_in_full(training: Training) -> dict[str, list[Candidate]]:
    """Every setting to the end, and what halving would have kept of the same training."""
    stages = {}
    for until in STOPS:
        training.advance(training.tracks, until)
        stages[until] = snapshot(training)
    last = [
        Candidate(t.setting, t.scores[-1], t.lane.network(), t.lane.n_active_nodes)
        for t in training.tracks
        if not t.diverged
    ]
    return {"full": stages[EPOCHS], "last epoch": last, "halving": simulate_halving(stages)}


def halved(training: Training) -> list[Candidate]:
    """Every setting where halving stopped it."""
    tracks = training.tracks
    for index, until in enumerate(STOPS):
        training.advance(tracks, until)
        tracks = survivors(tracks, every_node_penalty=index == 0)
    return snapshot(training)


def snapshot(training: Training) -> list[Candidate]:
    """Every track at its best epoch so far."""
    return [
        Candidate(t.setting, t.best_score, t.checkpoint, sum(getattr(t.checkpoint, "hidden", ())))
        for t in training.tracks
    ]


def simulate_halving(stages: Mapping[int, list[Candidate]]) -> list[Candidate]:
    """What halving would have kept of a full training: each setting as it was when it stopped."""
    alive = list(range(len(stages[EPOCHS])))
    kept: dict[int, Candidate] = {}
    for index, until in enumerate(STOPS):
        stage = stages[until]
        kept |= {i: stage[i] for i in alive}
        left = survivors([stage[i] for i in alive], every_node_penalty=index == 0)
        chosen = {id(candidate) for candidate in left}
        alive = [i for i in alive if id(stage[i]) in chosen]
    return [kept[i] for i in sorted(kept)]
