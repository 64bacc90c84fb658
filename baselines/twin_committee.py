"""A committee of twin networks whose scaling factors start at 1.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift, has the network
and its search; the committee is this project's. The ten settings that are best by validation q_adj
predict together: u(x) = Σ_k u_k(x) / 10, each at its best epoch.

`twin-committee` starts the factors s = a - b of the structured network as its single best does, a
and b both |N(0, 1)|. The study of docs/twin.md found the mean of ten that start at s = 1 ahead,
with and without outcome noise, on twelve data sets.
"""

from typing import ClassVar

from baselines.twin_structured import TwinCommittee

START: dict[str, tuple[str]] = {"scale_start": ("ones",)}


class TwinCommitteeOnes(TwinCommittee):
    """The same ten best, from s = 1."""

    name = "twin-committee-ones"
    grid: ClassVar = {**TwinCommittee.grid, **START}
    quick_grid: ClassVar = {**TwinCommittee.quick_grid, **START}
