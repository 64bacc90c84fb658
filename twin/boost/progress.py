"""A progress bar of a fit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, show: bool) -> Iterator[Callable[[float], None]]:
    """A function to call after each of `total` stages, with the validation loss reached."""
    if not show:
        yield lambda loss: None
        return
    from rich.progress import Progress

    with Progress() as bar:
        task = bar.add_task("boosting", total=total)
        yield lambda loss: bar.update(task, advance=1, description=f"validation loss {loss:.4f}")
