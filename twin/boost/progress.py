"""A progress bar over the steps of a fit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from twin._progress import Progress


@contextmanager
def progress(total: int, show: bool) -> Iterator[Callable[[float], None]]:
    """Call the result with the validation loss after each of `total` steps."""
    done = 0
    with Progress(total, show) as bar:

        def report(loss: float) -> None:
            nonlocal done
            done += 1
            bar.update(done, f"validation loss {loss:.4f}")

        yield report
