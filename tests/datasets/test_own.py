"""A user's own data set: written by the scaffold, loaded, split, and refused where it is wrong."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import datasets
from datasets.__main__ import main
from datasets.own import OwnData

GOOD = """
import pandas as pd
from datasets import OwnData

class Mine(OwnData):
    name = "mine"
    summary = "three rows of mine, many times"

    def table(self):
        frame = pd.DataFrame({"a": [1, 2, None], "b": [0, 1, 1], "y": [0, 1, 1], "t": [1, 0, 1]})
        frame = pd.concat([frame] * 40)
        return frame[["a", "b"]], frame["y"], frame["t"]

SOURCES = (Mine(),)
"""


def load_text(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text(text)
    return datasets.load_file(path)


def test_the_scaffold_writes_a_data_set_that_runs(tmp_path, capsys):
    path = tmp_path / "my_data.py"
    main(["new", str(path)])
    assert f"python -m datasets {path}" in capsys.readouterr().out
    (source,) = datasets.load_file(path)
    assert source.name == "my-data"
    assert source.available() is None
    dataset, again, other = (datasets.load_from(source, replicate=r) for r in (0, 0, 1))
    sizes = [len(part) for part in (dataset.train, dataset.valid, dataset.test)]
    assert sizes == [1600, 1200, 1200]
    np.testing.assert_array_equal(dataset.train.X, again.train.X)
    assert not np.array_equal(dataset.train.X, other.train.X)
    assert dataset.note == "invented rows"
    assert pickle.loads(pickle.dumps(source)).name == "my-data"
    main([str(path), "--out", str(tmp_path / "rows.parquet")])
    assert len(pd.read_parquet(tmp_path / "rows.parquet")) == 4000
    ruff = [sys.executable, "-m", "ruff"]
    for command in ("check", "format --check"):
        done = subprocess.run(
            [*ruff, *command.split(), "--isolated", "--line-length", "100", str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout


def test_a_file_is_a_data_set(tmp_path):
    (source,) = load_text(tmp_path, GOOD)
    dataset = source.load(replicate=2)
    assert dataset.names == ("a", "b")
    assert dataset.train.propensity == pytest.approx(2 / 3)
    parts = (dataset.train, dataset.valid, dataset.test)
    numbers = np.concatenate([part.row_numbers for part in parts])
    assert sorted(numbers) == list(range(120))
    for part in parts:
        np.testing.assert_array_equal(part.y, np.tile([0, 1, 1], 40)[part.row_numbers])
    # A missing value is the median of the training rows.
    median = np.median(dataset.train.X[dataset.train.row_numbers % 3 != 2, 0])
    assert (dataset.test.X[dataset.test.row_numbers % 3 == 2, 0] == median).all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("SOURCES = (Mine(),)", ""), "it holds no SOURCES; add SOURCES = (MyData(),)"),
        (("(Mine(),)", "(Mine,)"), "SOURCES holds the class Mine; write Mine()"),
        (("(Mine(),)", "(3,)"), "SOURCES holds 3"),
        (("(Mine(),)", "(Mine(), Mine())"), "have one name"),
        (('name = "mine"', ""), "Mine.name is None; give a text"),
        (('"mine"', '"insurance"'), "a data set called 'insurance' exists"),
        (("def table", "def tables"), "abstract method"),
        (("class Mine", "class Mine("), "SyntaxError"),
        (("import pandas as pd", "import no_such_library"), "no_such_library"),
    ],
)
def test_a_wrong_file_gets_an_error_that_shows_the_contract(tmp_path, change, says):
    with pytest.raises(ValueError, match="cannot be used as a data-set file") as error:
        load_text(tmp_path, GOOD.replace(*change))
    assert says in str(error.value)
    assert "class MyData(OwnData):" in str(error.value)


def test_no_file_no_data_set(tmp_path):
    with pytest.raises(ValueError, match="no data-set file at"):
        datasets.load_file(tmp_path / "absent.py")
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(ValueError, match=r"must end in \.py"):
        datasets.load_file(tmp_path / "notes.txt")


class Given(OwnData):
    """A data set of whatever a test gives."""

    name = "given"
    summary = "given"

    def __init__(self, *items):
        self.items = items

    def table(self):
        return self.items


def good_items(n=100):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=n)}), np.arange(n) % 2, np.arange(n) % 4 < 2


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (good_items()[:2], "table() gave 2 items; return X, y, treatment"),
        ((np.zeros((4, 2)), *good_items(4)[1:]), "X is a ndarray; give a pandas DataFrame"),
        ((pd.DataFrame({"city": ["Rome"] * 100}), *good_items()[1:]), "column 'city' of X holds"),
        ((pd.DataFrame({"a": [np.nan] * 100}), *good_items()[1:]), "'a' of X has no value"),
        ((pd.DataFrame(index=range(100)), *good_items()[1:]), "X has no columns"),
        ((good_items()[0], np.full(100, 2), good_items()[2]), "y[0] is 2"),
        ((good_items()[0], good_items()[1], np.ones(100)), "treatment has only treated rows"),
        ((good_items(99)[0], *good_items()[1:]), "rows differ: X has 99, y has 100"),
        ((*good_items(), np.zeros(99)), "X has 100, groups has 99"),
        ((*good_items(), np.zeros(100)), "1 groups of rows are too few"),
        ((*good_items(), [None] * 100), "groups[0] is missing"),
    ],
)
def test_wrong_rows_are_named(items, says):
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the message is compared below)
        Given(*items).load()
    assert says in str(error.value)


def test_a_column_that_is_not_there_is_named(tmp_path):
    (source,) = load_text(tmp_path, GOOD.replace('frame["y"]', 'frame["bought"]'))
    with pytest.raises(ValueError, match="the rows of mine cannot be used: KeyError: 'bought'"):
        source.load()


@pytest.mark.parametrize("kind", ["Int64", "float32", "bool"])
def test_pandas_kinds_of_numbers(kind):
    X, y, treatment = good_items()
    X = (X > 0).astype(kind).rename(columns={"a": 0})
    dataset = Given(X, y, treatment).load()
    assert dataset.train.X.dtype == np.float32
    np.testing.assert_array_equal(dataset.test.X[:, 0], X[0].to_numpy()[dataset.test.row_numbers])


def test_rows_of_a_group_stay_in_one_part():
    X, y, treatment = good_items(1000)
    groups = np.random.default_rng(1).integers(0, 150, 1000).astype(str)
    dataset = Given(X, y, treatment, groups).load(replicate=5)
    parts = (dataset.train, dataset.valid, dataset.test)
    found = [set(groups[part.row_numbers]) for part in parts]
    assert sum(map(len, found)) == len(set.union(*found)) == 150
    assert sorted(np.concatenate([part.row_numbers for part in parts])) == list(range(1000))
    assert len(dataset.train) == pytest.approx(400, abs=20)
    assert len(dataset.test) == pytest.approx(300, abs=20)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("my-data.py", "cannot be a module"),
        ("hillstrom.py", "a data set called 'hillstrom' exists"),
        ("here/there.py", "there is no folder"),
    ],
)
def test_the_scaffold_refuses_what_would_not_work(tmp_path, name, says):
    with pytest.raises(SystemExit, match=says):
        main(["new", str(tmp_path / name)])


def test_the_scaffold_overwrites_nothing(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("precious")
    with pytest.raises(SystemExit, match="exists"):
        main(["new", str(path)])
    assert path.read_text() == "precious"
