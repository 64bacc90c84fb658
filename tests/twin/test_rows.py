"""Rows carry the numbers of the rows of a real data set wherever they are taken."""

import numpy as np
import pytest

from twin import Rows


def rows_of(n: int, **fields) -> Rows:
    X = np.arange(2.0 * n).reshape(n, 2)
    return Rows.of(X, np.arange(n) % 2, np.arange(n) % 3 == 0, **fields)


@pytest.mark.parametrize("index", [slice(3, 9), np.array([8, 0, 5])])
def test_rows_taken_keep_their_numbers(index):
    numbers = np.random.default_rng(0).permutation(1000)[:12]
    taken = rows_of(12, row_numbers=numbers).take(index)
    np.testing.assert_array_equal(taken.row_numbers, numbers[index])
    np.testing.assert_array_equal(taken.X[:, 0], 2.0 * np.arange(12)[index])


def test_rows_without_numbers_have_none():
    assert rows_of(6).row_numbers is None
    assert rows_of(6).take(slice(2)).row_numbers is None


def test_every_row_needs_a_number():
    with pytest.raises(ValueError, match="X has 6, row_numbers has 5"):
        rows_of(6, row_numbers=np.arange(5))
