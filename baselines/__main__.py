"""`python -m baselines` lists the methods, `python -m baselines new my_method.py` writes one."""

import argparse
import math
import sys
from pathlib import Path

import baselines

TEMPLATE = '''\
"""{title}: say here what it does, whom to cite, and how it differs from the reference."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from baselines import Method


class {cls}(Method):
    """One model for each arm; the difference of their rates is the uplift."""

    name = "{name}"
    paper_row = None  # or its row in the paper's tables
    grid = {{"max_depth": (2, 3, 5)}}  # noqa: RUF012
    quick_grid = {{"max_depth": (2,)}}  # noqa: RUF012

    def _fit(self, train, valid, seed):
        best = -np.inf
        for max_depth in self.active_grid["max_depth"]:
            models = [
                HistGradientBoostingClassifier(max_depth=max_depth, random_state=seed).fit(
                    train.X[train.treatment == t], train.y[train.treatment == t]
                )
                for t in (0, 1)
            ]
            # _score gives q_adj on validation rows and records the candidate in search_.
            score = self._score(valid, _uplift(models, valid.X), max_depth=max_depth)
            if score > best:
                best, self._models, self.settings_ = score, models, {{"max_depth": max_depth}}

    def _predict(self, X):
        return _uplift(self._models, X)


def _uplift(models, X):
    control, treated = (model.predict_proba(X)[:, 1] for model in models)
    return treated - control
'''


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m baselines", description="The methods of the comparison."
    )
    commands = parser.add_subparsers(dest="command")
    new = commands.add_parser("new", help="write a new method file that runs")
    new.add_argument("path", type=Path, help="such as my_method.py")
    options = parser.parse_args(arguments)
    try:
        if options.command == "new":
            scaffold(options.path)
        else:
            show()
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def show() -> None:
    """Name, row in the paper, size of the grid and state of every method."""
    lines = [("method", "row in the paper", "settings", "state")]
    for name, cls in baselines.methods().items():
        settings = str(math.prod(map(len, cls.grid.values()))) if cls.grid else ""
        missing = cls.missing()
        state = f"not installed: pip install {' '.join(missing)}" if missing else "ready"
        lines.append((name, cls.paper_row or "", settings, state))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def scaffold(path: Path) -> None:
    """Write a method file at `path`; an existing file stays as it is."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise ValueError(f"{path.name!r} cannot be a module; give a name such as my_method.py")
    if path.exists():
        raise ValueError(f"{path} exists; choose another name or remove it first")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent}; make it first")
    name = path.stem.replace("_", "-").lower()
    if name in baselines.methods():
        raise ValueError(f"a method called {name!r} exists; choose another file name")
    words = [word for word in path.stem.split("_") if word]
    title = " ".join(words).capitalize()
    cls = "".join(word[:1].upper() + word[1:] for word in words)
    path.write_text(TEMPLATE.format(title=title, cls=cls, name=name), encoding="utf-8")
    print(
        f"wrote {path}: a method called {name!r} that runs as it is\n"
        f"try it:  python -m suite.run scenario4 --quick --method {path}"
    )


if __name__ == "__main__":
    sys.exit(main())
