"""A committee of twin networks: the ten best settings of one search predict together.

Belbahri, Murua, Gandouet and Partovi Nia (2021), A twin neural model for uplift, has the network
and its search; the committee is this project's. A single winner of 216 settings owes much to luck
on the validation rows, so u(x) = Σ_k u_k(x) / 10 over the ten best by validation q_adj, each at its
best epoch. The scaling factors start at s = 1; that such members make a better committee than those
of the default start was not shown (docs/twin.md).
"""

from typing import ClassVar

from baselines.twin_structured import Twin512Structured

START: dict[str, tuple[str]] = {"scale_start": ("ones",)}


class TwinCommittee(Twin512Structured):
    """64 nodes, as where the rule was tested."""

    name = "twin-committee"
    paper_row = None
    nodes = 64
    committee = 10
    grid: ClassVar = {**Twin512Structured.grid, **START}
    quick_grid: ClassVar = {**Twin512Structured.quick_grid, **START}
