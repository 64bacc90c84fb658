"""CRITEO's draws by replicate, balance and size, and how real data are told from others."""

import gzip
import shutil
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

import datasets
from datasets import criteo, criteo_synthetic
from datasets.criteo import COMPLETE, SYNTHETIC, UNPACKED, compare_with_published
from datasets.criteo_arrays import Statistics, prepare
from datasets.criteo_csv import COLUMNS, FEATURES
from datasets.files import DataFile, DataFileError
from datasets.real import draw

ROWS = 40_000


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return criteo_synthetic.write(tmp_path_factory.mktemp("criteo") / SYNTHETIC.name, ROWS)


@pytest.fixture
def synthetic(cache, written):
    (cache / "criteo").mkdir(parents=True)
    return shutil.copy(written, cache / "criteo" / SYNTHETIC.name)


def all_rows(dataset):
    parts = (dataset.train, dataset.valid, dataset.test)
    return {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("X", "y", "treatment")
    }


def test_balanced_by_under_sampling(synthetic):
    frame = pd.read_csv(synthetic)
    dataset = datasets.load("criteo-synthetic", size="full")
    rows = all_rows(dataset)
    control = int((frame["treatment"] == 0).sum())
    assert len(rows["y"]) == 2 * control
    assert rows["treatment"].sum() == control
    assert dataset.train.propensity == 0.5
    # Every control row is there once; f0 and f6 are continuous off their most frequent value.
    expected = frame.loc[frame["treatment"] == 0, list(FEATURES)].to_numpy(np.float32)
    found = rows["X"][rows["treatment"] == 0]
    np.testing.assert_array_equal(found[np.lexsort(found.T)], expected[np.lexsort(expected.T)])


def test_split_40_30_30_and_layout(synthetic):
    dataset = datasets.load("criteo-synthetic", size="full")
    n = len(all_rows(dataset)["y"])
    assert len(dataset.train) == round(0.4 * n)
    assert abs(len(dataset.valid) - len(dataset.test)) <= 2
    for part in (dataset.train, dataset.valid, dataset.test):
        assert part.X.dtype == np.float32
        assert part.X.flags.c_contiguous
        assert abs(part.treatment.mean() - 0.5) < 0.03
    # One copy of the drawn rows in all: the parts are views of it.
    assert dataset.train.X.base is dataset.test.X.base


def test_replicates_differ_and_repeat(synthetic):
    first, again, other = (
        all_rows(datasets.load("criteo-synthetic", size="full", replicate=r)) for r in (3, 3, 4)
    )
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])
    assert not np.array_equal(first["X"], other["X"])


def test_unbalanced_keeps_all_rows_and_says_the_propensity(synthetic):
    dataset = datasets.load("criteo-synthetic", size="full", balance=False)
    frame = pd.read_csv(synthetic)
    rows = all_rows(dataset)
    assert len(rows["y"]) == ROWS
    assert rows["y"].sum() == frame["visit"].sum()
    assert dataset.train.propensity == pytest.approx(frame["treatment"].mean())
    assert dataset.train.propensity == dataset.test.propensity


def test_size_is_the_number_of_rows(synthetic, monkeypatch):
    monkeypatch.setattr(criteo, "SIZES", {**criteo.SIZES, "100K": 5_000})
    for balance in (True, False):
        dataset = datasets.load("criteo-synthetic", size="100K", balance=balance)
        assert len(all_rows(dataset)["y"]) == 5_000


def test_conversion_is_the_second_outcome(synthetic):
    frame = pd.read_csv(synthetic)
    dataset = datasets.load("criteo-synthetic", size="full", balance=False, outcome="conversion")
    assert all_rows(dataset)["y"].sum() == frame["conversion"].sum() != frame["visit"].sum()
    np.testing.assert_array_equal(dataset.test.y, frame["conversion"][dataset.test.row_numbers])
    assert dataset.note.endswith("; outcome: conversion")


def test_no_draw_takes_the_head_of_a_file_in_order(cache, written, monkeypatch):
    """The complete file begins with treated rows only, and its visit rate rises along the file."""
    frame = pd.read_csv(written).sort_values("visit", kind="stable")
    frame = frame.sort_values("treatment", ascending=False, kind="stable")
    (cache / "criteo").mkdir(parents=True)
    frame.to_csv(cache / "criteo" / SYNTHETIC.name, index=False)
    monkeypatch.setattr(criteo, "SIZES", {**criteo.SIZES, "100K": 8_000, "400K": 30_000})
    cases = [("100K", True), ("100K", False), ("400K", False), ("full", True), ("full", False)]
    for size, balance in cases:
        dataset = datasets.load("criteo-synthetic", size=size, balance=balance)
        for part in (dataset.train, dataset.valid, dataset.test):
            for arm in (0, 1):
                everywhere = np.flatnonzero(frame["treatment"].to_numpy() == arm)
                drawn = np.searchsorted(everywhere, part.row_numbers[part.treatment == arm])
                # Uniform over the arm's rows, by Kolmogorov and Smirnov's test.
                assert kstest((drawn + 0.5) / len(everywhere), "uniform").pvalue > 1e-4
                rate = frame["visit"].to_numpy()[everywhere].mean()
                error = (rate * (1 - rate) / len(drawn)) ** 0.5
                assert abs(part.y[part.treatment == arm].mean() - rate) < 4 * error


def test_every_table_hears_that_data_are_synthetic(synthetic):
    note = datasets.load("criteo-synthetic", size="full").note
    assert note == "synthetic data, 40,000 rows in CRITEO's format"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"size": "1M"}, "fewer than size='1M'; choose a smaller size"),
        ({"size": "2K"}, "size is '2K'; it must be one of 100K, 200K, 400K, 1M, 4M, full"),
        ({"balance": "yes"}, "balance is 'yes'"),
        ({"outcome": "exposure"}, "outcome is 'exposure'; it must be one of visit, conversion"),
        ({"sizes": "1M"}, "no option 'sizes'"),
    ],
)
def test_wrong_options(synthetic, options, match):
    with pytest.raises(ValueError, match=match):
        datasets.load("criteo-synthetic", **options)


def test_one_arm_only(cache, written):
    frame = pd.read_csv(written)
    path = cache / "criteo" / SYNTHETIC.name
    path.parent.mkdir(parents=True)
    frame[frame["treatment"] == 1].to_csv(path, index=False)
    with pytest.raises(DataFileError, match="one arm only"):
        datasets.load("criteo-synthetic", size="full")


def test_synthetic_file_under_the_real_name_is_refused(cache, written):
    (cache / "criteo").mkdir(parents=True)
    path = shutil.copy(written, cache / "criteo" / COMPLETE.name)
    with pytest.raises(DataFileError) as caught:
        datasets.load("criteo", size="full")
    assert str(path) in str(caught.value)
    assert COMPLETE.sha256[0] in str(caught.value)


def test_fake_with_gaussian_columns_is_warned_about(cache):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(2_000, 12)), columns=FEATURES)
    for name in COLUMNS[12:]:
        frame[name] = rng.integers(0, 2, 2_000)
    (cache / "criteo").mkdir(parents=True)
    frame.to_csv(cache / "criteo" / UNPACKED.name, index=False)
    assert datasets.source("criteo").available() is None
    with pytest.warns(UserWarning, match="fakes in circulation have Gaussian columns"):
        dataset = datasets.load("criteo", size="full")
    assert dataset.note.startswith("NOT CRITEO-UPLIFT v2.1 as published")


def test_published_statistics_are_what_is_compared():
    """A file with exactly the published counts passes; any single change is named."""

    def as_published():
        return Statistics(
            rows=13_979_592,
            treated=11_882_655,
            visits_treated=round(0.0485434 * 11_882_655),
            visits_control=round(0.0382010 * 2_096_937),
            feature_sums=[mean * 13_979_592 for mean in criteo._MEANS],
            most_frequent=dict.fromkeys(criteo.MOST_FREQUENT, 13_000_000),
        )

    assert compare_with_published(as_published()) == []
    changes = {
        "rows": 13_979_591,
        "treated": 11_882_654,
        "visits_treated": 500_000,
        "visits_control": 80_500,
        "feature_sums": [0.0] * 12,
        "most_frequent": dict.fromkeys(criteo.MOST_FREQUENT, 0),
    }
    for name, value in changes.items():
        wrong = as_published()
        setattr(wrong, name, value)
        assert compare_with_published(wrong), name


def test_verified_preparation_outlives_the_file(cache, written, monkeypatch):
    """Once converted, the downloaded file may be deleted."""
    file = DataFile("real.csv.gz", "criteo", sha256=("checked",))
    monkeypatch.setattr(criteo, "COMPLETE", file)
    (cache / "criteo").mkdir(parents=True)
    path = cache / "criteo" / file.name
    shutil.copy(written, path)
    prepare(path, sha256="checked")
    path.unlink()
    assert datasets.source("criteo").available() is None
    with pytest.warns(UserWarning, match="published statistics"):
        assert len(datasets.load("criteo", size="full").train) > 0


def test_synthetic_marginals(tmp_path):
    """Within five standard errors of the published statistics, at 200,000 rows."""
    rows = 200_000
    text = gzip.decompress(criteo_synthetic.write(tmp_path / "a.csv.gz", rows).read_bytes())
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    frame = pd.read_csv(path)
    means = frame[list(FEATURES)].mean().to_numpy()
    errors = frame[list(FEATURES)].std().to_numpy() / rows**0.5
    assert np.all(np.abs(means - criteo._MEANS) < 5 * errors)
    for column, rate in (("treatment", 0.85), ("conversion", 0.0029167), ("exposure", 0.0306312)):
        assert abs(frame[column].mean() - rate) < 5 * (rate * (1 - rate) / rows) ** 0.5
    for arm, rate in ((1, 0.0485434), (0, 0.0382010)):
        visits = frame.loc[frame["treatment"] == arm, "visit"]
        assert abs(visits.mean() - rate) < 5 * (rate * (1 - rate) / len(visits)) ** 0.5
    for name, value in criteo.MOST_FREQUENT.items():
        assert (frame[name] == value).mean() > 0.9


@pytest.mark.parametrize(
    ("size", "balance"), [(None, True), (100, True), (100, False), (None, False)]
)
def test_draw_without_repetition(size, balance):
    treatment = (np.random.default_rng(0).random(1_000) < 0.8).astype(np.int8)
    index = draw(treatment, np.random.default_rng(1), size=size, balance=balance)
    assert len(np.unique(index)) == len(index)
    if balance:
        half = (treatment == 0).sum() if size is None else size // 2
        assert (treatment[index] == 0).sum() == (treatment[index] == 1).sum() == half
    else:
        assert len(index) == (size or 1_000)
    # In random order: the arms are mixed from the beginning.
    assert 0 < treatment[index][:30].mean() < 1


def test_loading_copies_the_drawn_rows_once(synthetic, monkeypatch):
    """Everything allocated on the way stays below three times the drawn float32 matrix."""
    monkeypatch.setattr("datasets.criteo_arrays.GROUP", 1 << 10)
    datasets.load("criteo-synthetic", size="full")  # converted, libraries imported
    tracemalloc.start()
    dataset = datasets.load("criteo-synthetic", size="full")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * all_rows(dataset)["X"].nbytes


@pytest.mark.slow
def test_memory_of_a_conversion_does_not_grow_with_the_file(cache, tmp_path):
    script = (
        "import resource, sys; from pathlib import Path;"
        "from datasets.criteo_arrays import prepare;"
        "prepare(Path(sys.argv[1]));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for rows in (500_000, 2_000_000):
        path = criteo_synthetic.write(tmp_path / f"{rows}.csv.gz", rows)
        command = [sys.executable, "-c", script, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)  # MiB
    assert peaks[1] < peaks[0] + 100
    assert peaks[1] < 512
