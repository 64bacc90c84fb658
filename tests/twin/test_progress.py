"""The progress bar: what it writes, and that it is silent unless asked."""

import numpy as np

from twin import TwinSearch
from twin._progress import Progress


def test_it_ends_full_and_leaves_no_rest_of_a_longer_line(capsys):
    with Progress(4, show=True) as bar:
        bar.update(1, "a rather long text")
        bar.update(4, "short")
    lines = capsys.readouterr().err.split("\r")
    assert lines[1].endswith("25%  a rather long text")
    assert lines[2].rstrip().endswith("100%  short")
    assert len(lines[2]) == len(lines[1])
    assert lines[-1].endswith("\n")


def test_a_search_shows_it_only_if_asked(capsys):
    rng = np.random.default_rng(0)
    X, treatment = rng.normal(size=(200, 3)), np.arange(200) % 2
    y = rng.random(200) < 0.5
    grid = {"learning_rate": (0.1,)}
    for verbose in (False, True):
        search = TwinSearch((), grid=grid, epochs=3, random_state=0, verbose=verbose)
        search.fit(X, y, treatment)
        written = capsys.readouterr().err
        assert ("100%" in written) is verbose
    assert f"best validation q_adj {search.best_score_:.4f}" in written
