"""Plans: keys, seeds, order."""

from pathlib import Path

import pytest

import datasets
from suite.names import UserError, matching
from suite.plan.experiment import training_seed
from suite.plan.experiments import EXPERIMENTS, Experiment
from suite.plan.plan import make_plan


@pytest.fixture
def scenario4() -> Experiment:
    return EXPERIMENTS["scenario4"]


def keys(plan) -> set[str]:
    return {cell.key for cell in plan.cells}


def test_cells_come_replicate_by_replicate_upstream_first(
    scenario4: Experiment, method_files: dict[str, Path]
) -> None:
    plan = make_plan(scenario4, methods=["refit"], files=[method_files["slope"]], replicates=(3, 4))
    order = [(cell.replicate, cell.method) for cell in plan.cells]
    assert [replicate for replicate, _ in order] == [3] * 3 + [4] * 3
    assert order.index((3, "slope")) < order.index((3, "refit"))
    by_name = {(cell.method, cell.replicate): cell for cell in plan.cells}
    assert by_name["refit", 4].upstream == by_name["slope", 4]


def test_a_key_depends_on_what_decides_the_number_and_on_nothing_else(
    scenario4: Experiment,
) -> None:
    base = make_plan(scenario4, methods=["r-lasso"], replicates=(0,))
    assert keys(base) == keys(
        make_plan(scenario4, methods=["r-*", "x-lasso"], replicates=(0,))
    ) & keys(base)
    for change in ({"variant": "released"}, {"quick": True}, {"replicates": (1,)}):
        other = make_plan(scenario4, **{"methods": ["r-lasso"], "replicates": (0,), **change})
        assert not keys(base) & keys(other)


def test_the_key_of_a_refit_follows_its_upstream(
    scenario4: Experiment, method_files: dict[str, Path], tmp_path: Path
) -> None:
    text = method_files["slope"].read_text()
    changed = tmp_path / "slope.py"
    changed.write_text(text)
    same = make_plan(scenario4, methods=["refit"], files=[changed], replicates=(0,))
    first = make_plan(scenario4, methods=["refit"], files=[method_files["slope"]], replicates=(0,))
    assert keys(same) == keys(first)
    changed.write_text(text.replace("1e4", "1e5"))
    edited = make_plan(scenario4, methods=["refit"], files=[changed], replicates=(0,))
    assert not keys(edited) & keys(first)


def test_seeds_differ_between_methods_and_replicates_and_fit_32_bits() -> None:
    seeds = {training_seed(m, "scenario4", r) for m in ("a", "b") for r in range(50)}
    assert len(seeds) == 100
    assert max(seeds) < 2**31
    assert training_seed("a", "scenario4", 0) == training_seed("a", "scenario4", 0)


def test_tables_share_their_cells(scenario4: Experiment) -> None:
    """T1, T2, T3 and T7 are one experiment: no method twice in a replicate."""
    plan = make_plan(scenario4, replicates=(0,))
    names = [cell.method for cell in plan.cells]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_complete(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert experiment.source in datasets.sources()
    options = experiment.data_options(None, quick=False)
    assert set(options) <= set(datasets.source(experiment.source).options)
    assert experiment.default_methods()


def test_globs_and_near_matches() -> None:
    known = ["r-lasso", "r-xgboost", "x-lasso"]
    assert matching("method", [], known) == []
    assert matching("method", ["r-*", "*-lasso"], known) == known
    with pytest.raises(UserError, match="'r-laso'; did you mean r-lasso"):
        matching("method", ["r-laso"], known)
