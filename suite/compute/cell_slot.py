"""A place to compute cells: the rows' keeper stays, every cell has a process of its own."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from suite.compute import messages
from suite.compute.cell import PARTS, Fitted, Result
from suite.compute.child import Child
from suite.compute.environment import Machine
from suite.compute.outcome import Cost, Limits, Outcome, failure
from suite.compute.process import ForkServer
from suite.compute.readings import MARK, MOST, Reading
from suite.compute.slot import Failed, Phase, Slot, understood
from suite.plan.plan import code_facts
from suite.strict import WrongType, build
from suite.words import printable

_HEADER_BYTES = 1 << 22  # settings and warnings of a method
_LONGEST_WARNING = 1000  # characters that are kept


class CellSlot(Slot):
    """Computes one cell at a time."""

    time_limit = "the limit of one cell (--timeout)"
    memory_limit = "the limit of one cell (--memory)"
    failure = staticmethod(failure)

    def __init__(self, server: ForkServer, limits: Limits) -> None:
        super().__init__(server, limits)
        self._keeper: Child | None = None
        self._rows: tuple | None = None  # which rows the keeper has

    def _begin(self, upstream: Mapping[str, Any] | None) -> Phase:
        """`upstream` is what the cell learns from the fit that it starts from."""
        task, self._upstream = self.task, upstream
        try:
            code = code_facts(task.code, task.cell.data.source, task.own_data).digests
        except (OSError, SyntaxError, ValueError, RecursionError):  # gone, or in mid-edit
            code = None
        if code != task.basis.code:
            raise Failed(
                f"the code of {task.method} is not the code that the run was planned with; start "
                "the run again (a long run is safe from edits in a git worktree of its own)"
            )
        rows = (asdict(task.cell.data), task.own_data)
        if self._keeper is None or self._rows != rows or self._keeper.gone():
            self._drop_keeper()
            self._keeper, self._rows = self._server.fork("suite.compute.keeper"), rows
            self.started = time.monotonic()  # the server's first imports are nobody's time
            request = {"do": "load", "planned": task.message()}
        else:
            request = {"do": "show", "reads_truth": task.code.reads_truth}
        self._ask(self._keeper, messages.packed(request))
        return self._await_rows

    def abandon(self) -> None:
        """Give up the present cell, if there is one."""
        if self.task is not None and self._worker is None:
            self._drop_keeper()  # it is at work itself, and owes an answer
        super().abandon()

    def close(self) -> None:
        """End all processes."""
        super().close()
        self._drop_keeper()

    def _drop_keeper(self) -> None:
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None

    def _await_rows(self) -> None:
        if (found := self._answer(self._keeper)) is None:
            return
        answer, arrays = found
        with understood("the process of its rows sent what is no answer"):
            self._machine = build(Machine, answer["machine"])
            self._sizes = {part: len(arrays[f"{part}.y"]) for part in PARTS}
            data = answer["data"]
        self.failure = partial(failure, on=self._machine)
        header = {"planned": self.task.message(), "data": data, "upstream": self._upstream}
        # What the server imports reaches every later process: a user's libraries must not.
        shared = self.task.imports if self.task.code.file is None else ()
        self._worker = self._server.fork("suite.compute.worker", shared)
        self.started = time.monotonic()  # the clock of the method runs from here on
        readings = MOST if self.task.code.module else 0  # a user's own method has none
        most = 8 * (sum(self._sizes.values()) + readings * self._sizes["test"]) + _HEADER_BYTES
        self._ask(self._worker, messages.packed(header, arrays), most)
        self._phase = self._await_predictions

    def _await_predictions(self) -> None:
        if (found := self._answer(self._worker)) is None:
            return
        answer, predicted = found
        self._end_worker()
        with understood("the method does not keep its contract"):
            self._fitted = build(Fitted, answer["fitted"], "the method")
            memory = build(float, answer["peak_memory_mb"], "peak_memory_mb")
            if min(0, self._fitted.candidates, *self._fitted.seconds.values()) < 0:
                raise WrongType(f"seconds_ and n_candidates_ must be 0 or more, not {answer}")
            facts = build(Mapping[str, Mapping[str, Any]], answer["facts"], "its readings")
            self._facts = facts if self.task.code.module else {}
            sizes = self._sizes | {MARK + name: self._sizes["test"] for name in self._facts}
            if {n: a.shape for n, a in predicted.items()} != {n: (s,) for n, s in sizes.items()}:
                raise WrongType("the predictions are not one number per row")
        self._peak = max(self._peak, memory)
        self._predicted = {name: array.astype(np.float64) for name, array in predicted.items()}
        request = {"do": "measure", "fitted": asdict(self._fitted), "facts": self._facts}
        self._ask(self._keeper, messages.packed(request, self._predicted))
        self._phase = self._await_result

    def _await_result(self) -> Outcome | None:
        if (found := self._answer(self._keeper)) is None:
            return None
        fitted = self._fitted
        with understood("what was measured cannot be recorded"):
            result = build(Result, found[0]["result"])
            readings = build(Mapping[str, Reading], found[0]["readings"])
        return Outcome(
            result=result,
            error=None,
            cost=Cost(fitted.seconds, fitted.cpu_seconds, self._peak),
            machine=self._machine,
            warnings=tuple(printable(text[:_LONGEST_WARNING]) for text in fitted.warnings),
            readings=readings,
            arrays={n: a for n, a in self._predicted.items() if n not in PARTS[:2]} | found[1],
        )
