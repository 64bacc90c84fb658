"""Study and ports are experiments of the engine: the same numbers as the lines kept before it."""

import os
import shutil
from pathlib import Path

import pytest

from suite.cli.run import main as run
from suite.names import UserError
from suite.plan.digest import ROOT
from suite.plan.experiments import EXPERIMENTS
from suite.plan.methods import methods_in, registered
from suite.plan.plan import make_plan
from suite.ports import units as ports
from suite.ports.report import PAGE, page
from suite.publish import side
from suite.publish.side import unattested
from suite.store.store import Store
from suite.study import units as study

# Of one computation of old; no other field of a unit depends on the machine.
_COST = ("seconds", "cpu_seconds", "memory_mb")


def computed(store: Path, name: str, methods: list[str], replicate: int) -> dict[str, dict]:
    """Units of the real command line, by key."""
    which = ["--replicates", f"{replicate}-{replicate}", "--store", str(store), "--jobs", "1"]
    assert run([name, "--methods", *methods, *which]) == 0
    unit_of = study.unit_of if name.startswith("study") else ports.unit_of
    found = [unit_of(EXPERIMENTS[name], record) for record in Store(store).records(name)]
    return {unit["key"]: unit for unit in found}


def old(group: str) -> dict[str, dict]:
    return {unit["key"]: unit for unit in unattested(group)}


def by_rule(unit: dict) -> dict[str, dict]:
    return {row["rule"]: {n: v for n, v in row.items() if n != "spearman"} for row in unit["rows"]}


def spearmans(unit: dict) -> dict[str, float]:
    """By rule. Products of ranks were summed in another order then: the last digit may differ."""
    return {row["rule"]: row["spearman"] for row in unit["rows"]}


@pytest.mark.parametrize(
    ("scenario", "method"),
    [
        ("scenario4", "probe-exact"),
        pytest.param("scenario1", "probe-twin-mu", marks=pytest.mark.slow),
        pytest.param("scenario1", "probe-network-parts-normal", marks=pytest.mark.slow),
    ],
)
def test_a_unit_of_the_study_is_what_it_was(scenario: str, method: str, tmp_path: Path) -> None:
    [(key, unit)] = computed(tmp_path, f"study-{scenario}-printed", [method], 100).items()
    before = old("study")[key]
    assert unit["unit"] == before["unit"]
    assert by_rule(unit) == by_rule(before)  # every rule, every number to the last bit
    assert spearmans(unit) == pytest.approx(spearmans(before), rel=1e-14)
    assert unit["oracle"]["true_q"] == before["oracle"]["true_q"]


@pytest.mark.parametrize(
    "methods",
    [
        ["r-lasso", "x-lasso", "twin-mu-exact", "random", "oracle"],
        pytest.param(["qini-based", "twin-mu"], marks=pytest.mark.slow),
    ],
)
def test_units_of_the_ports_are_what_they_were(methods: list[str], tmp_path: Path) -> None:
    found, before = computed(tmp_path, "ports-sanity", methods, 100), old("ports")
    assert len(found) == len(methods)
    for key, unit in found.items():
        for name in set(unit) - set(_COST):
            assert unit[name] == before[key][name], (key, name)


@pytest.mark.skipif(
    not (Path(os.environ.get("UPLIFT_DATA", "")) / "reference").is_dir(),
    reason="the draws with R's predictions are not here (folder `reference` of UPLIFT_DATA)",
)
def test_units_beside_r_are_what_they_were(tmp_path: Path) -> None:
    methods = ["r-lasso-as-r", "x-lasso-as-r", "uplift-forest-kl-as-r"]
    found, before = computed(tmp_path, "ports-reference", methods, 3), old("ports")
    assert len(found) == len(methods)
    for key, unit in found.items():
        for name in set(unit) - set(_COST):
            # Spearman's correlation, again: computed by another program then.
            inexact = name in ("spearman", "truth", "truth_of_r", "halves") and unit[name]
            wanted = before[key].get(name)
            assert unit[name] == (pytest.approx(wanted, rel=1e-12) if inexact else wanted), name


def test_no_unit_touches_the_replicates_of_the_tables() -> None:
    for name in (item.name for group in ("study", "ports") for item in side.experiments(group)):
        item = EXPERIMENTS[name]
        if item.source == "reference":
            continue  # draws of their own
        assert item.first == 100
        with pytest.raises(UserError, match=f"the replicates of {name} begin with 100"):
            make_plan(item, replicates=range(2))


def test_every_method_of_a_side_experiment_has_its_place_in_it() -> None:
    for item in (each for group in ("study", "ports") for each in side.experiments(group)):
        known = {**registered(), **methods_in(item.module)}
        assert set(item.default_methods()) <= set(known)
        assert set(item.only) <= set(item.methods)
    assert side.planned("study") == len(old("study")) == 236
    assert len(old("ports")) == 139


def test_a_record_takes_the_place_of_a_line_without_seal(tmp_path: Path) -> None:
    shutil.copytree(side.RESULTS / "ports", tmp_path / "ports")
    computed(tmp_path / "records", "ports-sanity", ["random"], 100)
    units = {unit["key"]: unit for unit in ports.units(tmp_path)}
    assert units["sanity/random/100"]["attested"]
    assert sum(unit["attested"] for unit in units.values()) == 1
    assert len(units) == len(old("ports"))  # nothing is lost
    assert "1 of 90 units are sealed records; 89 are unattested" in page(
        PAGE.read_text(), [*units.values()]
    )


def test_the_page_of_the_ports_shows_their_units() -> None:
    text = (ROOT / "docs" / "baselines.md").read_text()
    assert page(text, ports.units()) == text
