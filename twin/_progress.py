"""A progress bar on the terminal without a library, so that installing `twin` stays small."""

import sys
import time

WIDTH = 24
SECONDS_BETWEEN = 0.2  # a terminal that is written to all the time slows training down


class Progress:
    """A line on stderr that is rewritten in place; nothing at all unless `show`."""

    def __init__(self, total: int, show: bool) -> None:
        self.total, self.show = total, show
        self._last = -SECONDS_BETWEEN
        self._line = ""

    def __enter__(self) -> "Progress":
        return self

    def update(self, done: int, text: str) -> None:
        """`done` of the total; `text` says how it stands."""
        if not self.show:
            return
        share = min(done / self.total, 1.0) if self.total else 1.0
        filled = round(WIDTH * share)
        before = self._line
        self._line = f"{'#' * filled}{'.' * (WIDTH - filled)} {share:4.0%}  {text}"
        if time.monotonic() - self._last >= SECONDS_BETWEEN or share == 1.0:
            self._write(before)

    def _write(self, before: str) -> None:
        self._last = time.monotonic()
        sys.stderr.write(f"\r{self._line.ljust(len(before))}")
        sys.stderr.flush()

    def __exit__(self, *error: object) -> None:
        if self.show and self._line:
            self._write("")
            sys.stderr.write("\n")
