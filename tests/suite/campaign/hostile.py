"""Units that misbehave: a worker that takes this setup can be asked for them."""

import os
import subprocess
import sys
import time

import numpy as np

from suite.campaign import work
from suite.campaign.work import Answer

ARRAYS = {
    "cube": np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    "point": np.float64(0.1) * np.ones(()),
    "mask": np.array([[True], [False]]),
    "none": np.zeros((0, 2), np.int32),
    "turned": np.arange(6.0).reshape(2, 3).T,
}
HUNGRY = "held = b'x' * 2**29; import time; time.sleep(600)"


def _child(*command: str) -> int:
    return subprocess.Popen(command or ("sleep", "3602"), start_new_session=True).pid


def honest(setup: object) -> Answer:
    return ARRAYS, {"pid": os.getpid()}


def leaves(setup: object) -> Answer:
    return {}, {"pid": os.getpid(), "child": _child()}


def raises(setup: object) -> Answer:
    raise RuntimeError(f"child {_child()}")


def dies(setup: object) -> Answer:
    print("famous last words", flush=True)
    os._exit(3)


def hangs(setup: object) -> Answer:
    time.sleep(600)


def eats(setup: object) -> Answer:
    _child(sys.executable, "-c", HUNGRY)
    time.sleep(600)


def forks(setup: object) -> Answer:
    first = os.getpid()
    os.fork()
    return {}, {"first": os.getpid() == first}


def objects(setup: object) -> Answer:
    return {"array": np.array([object()])}, {}


class Hostile:
    """A setup without rows."""

    def __getstate__(self) -> dict[str, bool]:
        return {"hostile": True}

    def __setstate__(self, state: dict[str, bool]) -> None:
        work.TASKS.update(
            honest=honest, leaves=leaves, raises=raises, dies=dies, hangs=hangs, eats=eats,
            forks=forks, objects=objects,
        )  # fmt: skip
