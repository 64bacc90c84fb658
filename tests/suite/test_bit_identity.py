"""The same number whatever the caller's environment is, and on an emulated Haswell."""

import pytest

from tests.suite.bit_identity import OWN, UNPINNED, table


@pytest.mark.slow
def test_cells_are_identical_in_every_setting() -> None:
    found = table()
    for cell, by_setting in found.items():
        pinned = by_setting.keys() - {OWN, UNPINNED}
        wrong = {s: by_setting[s] for s in pinned if by_setting[s] != "identical"}
        assert not wrong, (cell, wrong)
    # The settings are no empty threat: without the pin they move numbers.
    assert any(by_setting[UNPINNED] != "identical" for by_setting in found.values())
