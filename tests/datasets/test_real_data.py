"""The real files: their shape and statistics are the published ones. Skipped without the files."""

import hashlib
import shutil

import numpy as np
import pytest

import datasets
from datasets.criteo import UNPACKED
from datasets.files import DataFileError


@pytest.fixture
def load(real_data):
    def load(name, **options):
        missing = datasets.source(name).available(**options)
        if missing:
            pytest.skip(f"{name} {options} is not in UPLIFT_DATA: {missing.splitlines()[0]}")
        return datasets.load(name, **options)

    return load


def joined(dataset):
    parts = (dataset.train, dataset.valid, dataset.test)
    y, t = (np.concatenate([getattr(p, name) for p in parts]) for name in ("y", "treatment"))
    return y, t, y[t == 1].mean() - y[t == 0].mean()


CONVERSION = {"size": "union", "balance": False, "outcome": "conversion"}
PUBLISHED = [
    # name, options, rows, covariates, treated, outcome, average effect, propensity
    ("criteo", {"size": "sample", "balance": False}, 200_000, 12, 0.85, 0.0472, 0.0108, 0.85),
    ("criteo", {"size": "union", "balance": False}, 678_360, 12, 0.8497, 0.04701, 0.01031, 0.8497),
    ("criteo", CONVERSION, 678_360, 12, 0.8497, 0.00289, 0.00111, 0.8497),
    ("insurance", {}, 20_000, 67, 0.502, 0.200, 0.0018, 0.502),
    ("charity", {}, 50_083, 45, 0.667, 0.0206, 0.0042, 0.667),
    ("hillstrom", {}, 64_000, 10, 0.667, 0.147, 0.0609, 0.667),
    ("hillstrom", {"mail": "mens"}, 42_613, 10, 0.500, 0.144, 0.0766, 0.500),
    ("hillstrom", {"mail": "womens"}, 42_693, 10, 0.501, 0.129, 0.0452, 0.501),
    ("gotv", {}, 305_866, 4, 0.375, 0.312, 0.0416, 0.375),
    ("gotv", {"letter": "civic-duty"}, 229_461, 4, 0.167, 0.300, 0.0179, 0.167),
    ("gotv", {"letter": "hawthorne"}, 229_447, 4, 0.167, 0.301, 0.0257, 0.167),
    ("gotv", {"letter": "neighbors"}, 229_444, 4, 0.166, 0.310, 0.0813, 0.166),
    ("starbucks", {}, 126_184, 7, 0.500, 0.0120, 0.0095, 0.500),
]


@pytest.mark.parametrize(
    ("name", "options", "rows", "covariates", "treated", "outcome", "effect", "propensity"),
    PUBLISHED,
)
def test_statistics(load, name, options, rows, covariates, treated, outcome, effect, propensity):
    dataset = load(name, **options)
    y, t, found = joined(dataset)
    assert len(y) == rows
    assert dataset.train.X.shape[1] == covariates
    # Whole households: up to seven rows more.
    assert 0 <= len(dataset.train) - round(0.4 * rows) <= (7 if name == "gotv" else 0)
    assert len(dataset.names) == covariates
    assert t.mean() == pytest.approx(treated, abs=5e-4)
    assert y.mean() == pytest.approx(outcome, abs=5e-4)
    assert found == pytest.approx(effect, abs=5e-5)
    assert dataset.test.propensity == pytest.approx(propensity, abs=5e-4)
    for part in (dataset.train, dataset.valid, dataset.test):
        assert np.isfinite(part.X).all()


def test_sample_balanced(load):
    y, t, _ = joined(load("criteo", size="sample"))
    assert (len(y), t.sum()) == (60_000, 30_000)


@pytest.mark.parametrize("name", ["insurance", "charity", "hillstrom", "starbucks"])
def test_balance_on_request(load, name):
    dataset = load(name, balance=True)
    _, t, _ = joined(dataset)
    assert t.mean() == 0.5
    assert dataset.train.propensity == 0.5


@pytest.mark.parametrize("name", ["insurance", "charity", "hillstrom"])
def test_replicates_are_splits_of_the_same_rows(load, name):
    first, again, other = (load(name, replicate=r) for r in (0, 0, 1))
    np.testing.assert_array_equal(first.train.X, again.train.X)
    assert not np.array_equal(first.train.X, other.train.X)
    assert joined(first)[2] == joined(other)[2]


def test_charity_has_no_code_for_missing_left(load):
    dataset = load("charity")
    assert dataset.train.X.min() > -999
    assert not [name for name in dataset.names if name.startswith(("treat", "out_", "stateresp"))]


def test_imputation_looks_at_training_rows_only(load):
    dataset = load("charity")
    column, flag = (dataset.names.index(name) for name in ("pblack", "pblack_missing"))
    train, test = dataset.train.X, dataset.test.X
    observed = train[train[:, flag] == 0, column]
    np.testing.assert_array_equal(test[test[:, flag] == 1, column], np.float32(np.median(observed)))


def test_stand_ins_are_labelled(load):
    for name in ("insurance", "charity"):
        assert load(name).note.startswith("public stand-in for the private insurance data")


def test_gotv_households_are_those_of_the_experiment(load):
    """As many as were published, and couples: not so if rows were cut one off."""
    load("gotv")
    X, y, treatment, household = datasets.source("gotv").read(letter="any")
    assert household.nunique() == 99_999 + 20_001 + 20_002 + 20_000
    assert household[treatment == 0].nunique() == 99_999
    assert (household.value_counts().loc[household].to_numpy() == X["hhsize"]).all()
    female = X.loc[X["hhsize"] == 2, "female"].to_numpy()
    assert (female[0::2] != female[1::2]).mean() > 0.95
    assert (female[1:-1:2] != female[2::2]).mean() < 0.55
    # The standard error by household, as docs/data.md has it.
    arms = treatment.groupby(treatment).transform("size")
    residual = (y - y.groupby(treatment).transform("mean")) / arms
    assert (residual.groupby(household).sum() ** 2).sum() ** 0.5 == pytest.approx(0.0022, abs=5e-5)


def test_gotv_keeps_households_together(load):
    dataset = load("gotv", replicate=3, letter="hawthorne")
    _, _, _, household = datasets.source("gotv").read(letter="hawthorne")
    parts = (dataset.train, dataset.valid, dataset.test)
    found = [set(household[part.row_numbers]) for part in parts]
    assert sum(map(len, found)) == len(set.union(*found)) == household.nunique()
    with pytest.raises(ValueError, match="letter is 'self'; it must be one of any, civic-duty"):
        load("gotv", letter="self")


def test_wrong_mail(load):
    with pytest.raises(ValueError, match="mail is 'womans'; it must be one of any, mens, womens"):
        load("hillstrom", mail="womans")


def test_corrupted_copy_is_refused(load, real_data, tmp_path, monkeypatch):
    load("insurance")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("train.rda", "valid.rda"):
        shutil.copyfile(real_data / "insurance" / name, copy / name)
    monkeypatch.setenv("UPLIFT_DATA", str(copy))
    datasets.load("insurance")
    with (copy / "valid.rda").open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\0\0\0")
    wrong = hashlib.sha256((copy / "valid.rda").read_bytes()).hexdigest()
    with pytest.raises(DataFileError, match=rf"valid\.rda is damaged.*{wrong}"):
        datasets.load("insurance")


def test_line_ends_of_hillstrom_do_not_matter(load, real_data, tmp_path, monkeypatch):
    expected = load("hillstrom")
    (file,) = datasets.source("hillstrom").files()
    text = (real_data / "hillstrom" / file.name).read_bytes().replace(b"\r\n", b"\n")
    copy = tmp_path / "copy"
    copy.mkdir()
    monkeypatch.setenv("UPLIFT_DATA", str(copy))
    for content in (text, text.replace(b"\n", b"\r\n")):
        (copy / file.name).write_bytes(content)
        np.testing.assert_array_equal(datasets.load("hillstrom").train.X, expected.train.X)


def test_first_thousand_rows_in_the_original_format(real_data, tmp_path, monkeypatch):
    head = real_data / "criteo" / "criteo_head_1000.csv"
    if not head.is_file():
        pytest.skip("criteo/criteo_head_1000.csv is not in UPLIFT_DATA")
    (tmp_path / "copy").mkdir()
    shutil.copyfile(head, tmp_path / "copy" / UNPACKED.name)
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path / "copy"))
    with pytest.warns(UserWarning, match=r"1,000 rows rather than 13,979,592") as caught:
        dataset = datasets.load("criteo", size="full", balance=False)
    assert "Gaussian" not in str(caught[0].message)
    assert len(joined(dataset)[0]) == 1_000


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("criteo", {"size": "sample"}),
        ("criteo", {"size": "100K"}),
        ("insurance", {}),
        ("charity", {"balance": True}),
        ("hillstrom", {}),
        ("hillstrom", {"mail": "womens"}),
        ("gotv", {"letter": "neighbors"}),
        ("starbucks", {}),
    ],
)
def test_row_numbers_are_those_of_the_files(load, name, options):
    dataset = load(name, replicate=2, **options)
    source = datasets.source(name)
    if name == "criteo":
        table, _ = source.table(options["size"])
        treatment, y = table.treatment, table.visit
    else:
        everyone = {"hillstrom": {"mail": "any"}, "gotv": {"letter": "any"}}.get(name, {})
        _, y, treatment, *_ = source.read(**everyone)
    parts = (dataset.train, dataset.valid, dataset.test)
    for part in parts:
        np.testing.assert_array_equal(part.treatment, np.asarray(treatment)[part.row_numbers])
        np.testing.assert_array_equal(part.y, np.asarray(y)[part.row_numbers])
    numbers = np.concatenate([part.row_numbers for part in parts])
    assert len(np.unique(numbers)) == len(numbers)
    if name == "criteo":
        np.testing.assert_array_equal(dataset.test.X, table.covariates(dataset.test.row_numbers))


def test_simulated_rows_have_no_numbers():
    assert datasets.load("scenario4", n=500, p=10).test.row_numbers is None


def test_sizes_from_the_union(load):
    """Rows, arms and rates of the complete data within four standard errors."""
    if datasets.source("criteo").available(size="400K") is None:
        pytest.skip("the complete CRITEO file is here, and comes first")
    for size, rows in (("100K", 100_000), ("200K", 200_000), ("union", 203_914)):
        dataset = load("criteo", size=size, replicate=1)
        y, t, _ = joined(dataset)
        assert (len(y), t.sum()) == (rows, rows // 2)
        for arm, rate in ((1, 0.0485434), (0, 0.0382010)):
            error = (rate * (1 - rate) / (rows / 2)) ** 0.5
            assert abs(y[t == arm].mean() - rate) < 4 * error
        assert "678,360 real rows" in dataset.note
    with pytest.raises(DataFileError, match="fetch criteo\n"):
        datasets.load("criteo", size="400K")
