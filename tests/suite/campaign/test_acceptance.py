"""The ten checks of acceptance.py; those that lack what they need are skipped with a sentence."""

import pytest

from tests.suite.campaign.acceptance import CHECKS, Lacking

pytestmark = pytest.mark.slow

# The others run tests of this folder, which run anyway.
OWN = (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("number", OWN)
def test_check(number):
    try:
        parts = CHECKS[number]()
    except Lacking as error:
        pytest.skip(str(error))
    for part in parts:
        assert part.holds, f"{part.asked}: {part.found}"
