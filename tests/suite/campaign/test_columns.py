"""Types of columns: what the cells say, and what the name adds."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from suite.campaign.cells import Cells
from suite.campaign.columns import describe, said_types, typed
from suite.campaign.duplicates import duplicates
from suite.campaign.errors import UserError
from suite.campaign.read import from_frame


def column(values, name="x", decimal=".", said=None):
    return describe(name, Cells(pa.array(values, pa.string())), decimal, said)


def test_numbers_with_blanks_and_a_few_wrong_cells():
    about, series = column([*map(str, range(97)), "oops", "", " NA "])
    assert about.kind == "number"
    assert about.used
    assert series[3] == 3.0
    assert series.isna().sum() == 3


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers"),
    [
        (["1,5", "1.234,25", "-2"], ",", [1.5, 1234.25, -2.0]),
        (["1.5", "1,234.25", "+2", "1e3"], ".", [1.5, 1234.25, 2.0, 1000.0]),
        (["1,5", "x", "inf"], ".", [np.nan, np.nan, np.nan]),
    ],
)
def test_number_formats(cells, decimal, numbers):
    column = Cells(pa.array(cells, pa.string()))
    found = column.spread(column.numbers(decimal), np.nan)  # "inf" counts as a blank
    np.testing.assert_array_equal(found, numbers)


def test_a_cell_says_the_same_number_whatever_else_is_in_its_piece():
    rng = np.random.default_rng(0)
    words = [repr(float(v)) for v in rng.normal(size=200)]
    alone = Cells(pa.array(words)).numbers(".")
    beside = Cells(pa.array([*words, "+1"])).numbers(".")[:-1]
    assert np.array_equal(alone, beside)


def test_words_among_numbers_and_dates_are_remembered():
    about, _ = column([*map(str, range(97)), "oops", "unknown", "unknown", "-999"])
    assert about.missing_words == ("unknown", "oops")
    about, _ = column(["01.02.2025", "02.02.2025", "", "never"], said=("date", "%d.%m.%Y"))
    assert about.missing_words == ("never",)
    assert column(["a", "b"] * 30)[0].missing_words == ()


def test_two_values_leading_zeros_and_names_make_categories():
    assert column(["0", "1"] * 50)[0].kind == "category"
    assert column([f"{k % 30:03d}" for k in range(900)])[0].kind == "category"
    assert column([str(k % 30) for k in range(900)], "store")[0].kind == "category"
    assert column([str(k % 30) for k in range(900)])[0].kind == "number"


def test_unused_columns_say_why():
    assert column([f"level{k // 3}" for k in range(900)])[0].why == "300 levels, 3 rows each"
    assert column(["a"] * 50)[0].why == "constant"
    assert column([""] * 50)[0].why == "empty"
    long = [f"{k} this is a long text that a customer wrote to us one day" for k in range(50)]
    assert column(long)[0].why == "free text"


def test_codes_for_missing():
    rng = np.random.default_rng(0)
    ages = [*map(str, rng.integers(18, 90, 1000)), *["-999"] * 20]
    about, series = column(ages)
    assert about.missing_codes == (-999.0,)
    assert series.isna().sum() == 20
    # 99 is an age among others, and zeros that inflate a column are no code
    assert column([*map(str, rng.integers(18, 99, 1000)), *["99"] * 20])[0].missing_codes == ()
    assert column([*["0"] * 900, *map(str, range(1, 101))])[0].missing_codes == ()


@pytest.mark.parametrize(
    ("pattern", "cells"),
    [
        ("%Y-%m-%d", ["2025-01-31", "2024-12-01"]),
        ("%d.%m.%Y", ["31.01.2025", "1.12.2024"]),
        ("%m/%d/%Y", ["01/31/2025", "12/01/2024"]),
        ("%Y-%m-%dT%H:%M:%S", ["2025-01-31T10:00:00", "2024-12-01T23:59:59"]),
        ("%Y-%m-%dT%H:%M:%SZ", ["2025-01-31T10:00:00Z", "2024-12-01T23:59:59Z"]),
        ("%Y-%m-%dT%H:%M:%S.%f%z", ["2025-01-31T10:00:00.000Z", "2024-12-01T23:59:59.125Z"]),
        ("%Y-%m-%d %H:%M:%S%z", ["2025-01-31 10:00:00+00:00", "2024-12-01 23:59:59+00:00"]),
        ("%Y-%m-%d %H:%M:%S.%f%z", ["2025-01-31 10:00:00.5+00:00", "2024-12-01 23:59:59.1+01:00"]),
        ("%d.%m.%Y %I:%M:%S %p", ["31.01.2025 10:00:00 AM", "01.12.2024 11:59:59 PM"]),
    ],
)
def test_dates(pattern, cells):
    about, series = column([*cells * 30, ""])
    assert about.kind == "date"
    assert about.date_format == pattern
    assert series[0].date().isoformat() == "2025-01-31"
    assert series.isna().sum() == 1


def test_formats_that_mean_the_same_days_are_not_asked_for():
    about, series = column(["31 May 2025", "01 May 2024"] * 20)
    assert about.kind == "date"
    assert series[0].date().isoformat() == "2025-05-31"


def test_dates_that_two_formats_explain_are_asked_for():
    with pytest.raises(UserError, match="x could be DD/MM/YYYY or MM/DD/YYYY; say --types x=date"):
        column(["01/02/2025", "03/04/2025"] * 20)
    with pytest.raises(UserError, match="no one format known explains all cells"):
        column(["31/01/2025", "01/31/2025"] * 20)
    about, _ = column(["01/02/2025", "03/04/2025"] * 20, said=("date", "%d/%m/%Y"))
    assert about.date_format == "%d/%m/%Y"


def test_types_that_the_user_says():
    header = ["a=b", "c"]
    assert said_types(["c=number", "c=date:%H:%M"], header)["c"] == ("date", "%H:%M")
    assert said_types(["a=b=text"], header) == {"a=b": ("text", None)}
    with pytest.raises(UserError, match="say COLUMN=number"):
        said_types(["c=integer"], header)


def test_known_levels_keep_their_codes_and_new_ones_follow():
    about, _ = column(["a", "b", "b"] * 30)
    assert about.levels == ("b", "a")
    new = typed(about, Cells(pa.array(["z", "a", "", "b "])), ".")
    assert new.cat.categories.tolist() == ["b", "a", "z"]
    assert new.cat.codes.tolist() == [2, 1, -1, 0]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([b"a", b"\xff", None] * 30),
        pa.array(["a", "b", None] * 30, pa.string_view()),
        pa.array([[1], [2], None] * 30),
        pa.array([{"a": 1}, {"a": 2}, None] * 30),
        pa.Table.from_pandas(pd.DataFrame({"x": pd.cut(np.arange(90.0), 2)}))["x"],
        from_frame(pd.DataFrame({"x": pd.cut(np.arange(90.0), 2)}))[0]["x"],
        from_frame(pd.DataFrame({"x": pd.PeriodIndex(["2024-01", "2024-02"] * 45, freq="M")}))[0][
            "x"
        ],
    ],
)
def test_values_of_any_type_are_text_at_least(values):
    about, _ = describe("x", Cells(values), ".", None)
    assert (about.kind, about.n_levels) == ("category", 2)


def test_duplicates_are_found_under_other_names_for_the_values():
    frame = pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": ["x", "y", "x"], "c": [2.0, 2.0, 1.0]})
    assert duplicates(frame) == {"b": "a"}


def test_columns_whose_values_all_differ_are_no_duplicates_of_each_other():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    frame["day"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.permutation(50), unit="D")
    # Zeros in the same rows, another amount in each of the others.
    frame["d"], frame["e"] = frame["a"].clip(0), np.sqrt(frame["a"].clip(0))
    frame["again"] = frame["b"]
    assert duplicates(frame) == {"again": "b"}
