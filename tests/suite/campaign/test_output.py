"""The folder of a run: whose it is, and which customers its rows are."""

import pytest

from suite.campaign import output
from suite.campaign.analyse import Settings
from suite.campaign.errors import UserError
from suite.campaign.load import Options, load_campaign
from tests.suite.campaign.retail import retail


@pytest.fixture(scope="module")
def campaign():
    return load_campaign(retail(1500))


def claimed(folder, campaign, *, seed: int = 0, fresh: bool = False):
    """The folder claimed for one of two questions; its units and results as a run leaves them."""
    units = output.claim(folder, campaign, Options(), Settings(seed=seed), fresh)
    found = sorted(path.name for path in folder.iterdir())
    units.mkdir(exist_ok=True)
    for path in (units / "a.npz", *(folder / name for name in output.RESULTS)):
        path.write_text(str(seed))
    return found


def test_fresh_replaces_a_finished_run_and_the_folder_goes_on(campaign, tmp_path):
    folder = tmp_path / "campaign.uplift"
    everything = sorted([output.OWNER, output.UNITS, *output.RESULTS])
    assert claimed(folder, campaign) == [output.OWNER]
    assert claimed(folder, campaign) == everything  # nothing is computed again
    assert claimed(folder, campaign, fresh=True) == [output.OWNER]
    assert claimed(folder, campaign) == everything
    with pytest.raises(UserError, match="holds a run on other options; give --out DIR or --fresh"):
        claimed(folder, campaign, seed=1)
    assert claimed(folder, campaign, seed=1, fresh=True) == [output.OWNER]
    assert claimed(folder, campaign, seed=1) == everything


def test_fresh_leaves_a_folder_of_somebody_else_alone(campaign, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(UserError, match="is not empty and not of this command; give --out DIR"):
        claimed(tmp_path, campaign, fresh=True)
    assert (tmp_path / "report.html").read_text() == "mine"
