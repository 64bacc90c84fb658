"""Every mistake: its exit code, its text, no traceback, and no folder left behind."""

import errno
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from suite.campaign import bundle
from suite.cli import campaign, score
from tests.suite.campaign.retail import model, new_customers, retail, written


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fails(capsys, verb, arguments, code, text):
    """`verb` ends with `code` and says `text` and nothing else on stderr."""
    assert verb.main(arguments) == code
    said = capsys.readouterr().err
    assert said == f"error: {text}\n"


def lost(frame: pd.DataFrame) -> pd.DataFrame:
    """61 of 1,000 treated rows and 2 of 1,000 control rows without outcome."""
    for arm, n in (("mail", 61), ("control", 2)):
        rows = np.flatnonzero(frame["arm"] == arm)
        frame.loc[rows[:n], "bought"] = ""
    return frame


def even(n: int = 2000) -> pd.DataFrame:
    """As many treated as control rows."""
    frame = retail(n)
    return frame.assign(arm=np.where(np.arange(n) % 2 == 0, "mail", "control"))


def three_values() -> pd.DataFrame:
    frame = retail(1000)
    frame.loc[:2, "bought"] = ["yes", "no", "maybe"]
    return frame


def two_outcomes() -> pd.DataFrame:
    y = np.arange(2000) % 100
    columns = {"visit": (y < 15).astype(int), "conversion": (y < 1).astype(int)}
    spend = np.where(y < 1, 10 + np.arange(2000) / 100, 0)
    return retail(2000).drop(columns="bought").assign(**columns, spend=spend)


def ab(n: int = 1000) -> pd.DataFrame:
    return retail(n).assign(arm=np.where(np.arange(n) < 501 * n // 1000, "A", "B"))


def few() -> pd.DataFrame:
    frame = retail(3000).drop(columns=["revenue", "opened"])
    control = np.flatnonzero(frame["arm"] == "control")
    frame.loc[control, "bought"] = "no"
    frame.loc[control[:11], "bought"] = "yes"
    return frame


def unequal() -> pd.DataFrame:
    return retail(30_000).assign(arm=np.where(np.arange(30_000) < 21_000, "mail", "control"))


def slashes() -> pd.DataFrame:
    return retail(1000).assign(last_purchase="03/04/2025", signup="04/04/2025")


def only_leaks() -> pd.DataFrame:
    frame = retail()[["customer_id", "arm", "bought", "revenue", "opened"]]
    later = np.where(frame["bought"] == "yes", "x", np.where(np.arange(3000) % 2 == 0, "y", "z"))
    return frame.assign(reason=later, one="1", two="2")


CASES = {
    "header only": (
        retail(5).iloc[:0], [], 2, "campaign.csv has no rows",
    ),
    "twice the same name": (
        retail(50).rename(columns={"spend": "age"}), [], 2,
        "two columns are called age; rename one",
    ),
    "several outcomes": (
        two_outcomes(), [], 2,
        "which column is the outcome? visit (15.0 % of 1), conversion (1.0 % of 1): "
        "add --outcome visit",
    ),
    "outcome of three values": (
        three_values(), [], 2,
        "bought has 3 values (yes, no, maybe); say which one counts: --outcome bought=yes",
    ),
    "numeric outcome": (
        two_outcomes(), ["--outcome", "spend"], 2,
        "spend has 21 values; this command models yes/no outcomes. "
        "Use --outcome conversion --money spend",
    ),
    "missing outcomes": (
        lost(even()), [], 3,
        "bought is missing in 63 rows (3.1 %), 6.1 % of mail and 0.2 % of control: rows were lost "
        "after treatment. Correct the file, or --drop-missing",
    ),
    "no arm found": (
        retail(500).rename(columns={"arm": "x"}), [], 2,
        "no column looks like the arm of a test (2 to 8 values named arm, group, segment, ...); "
        "say --arm COLUMN",
    ),
    "control unclear": (
        ab(), [], 2,
        "which value of arm is the control: A (50.1 %), B (49.9 %)? say --control A",
    ),
    "one arm": (
        retail(500).assign(arm="mail"), [], 3,
        "arm has one value (mail); an effect needs treated and untreated rows",
    ),
    "too small": (
        few(), [], 3, "control has 11 positive outcomes; at least 30 in each arm are needed",
    ),
    "wrong shares": (
        unequal(), ["--propensity", "0.5", "--ignore", "opened"], 3,
        "--propensity 0.5, but 70.0 % of 30,000 rows are treated (p < 1e-300): rows were lost or "
        "the design was another. Say --propensity design to go on",
    ),
    "ambiguous dates": (
        slashes().assign(last_purchase=["03/04/2025", "05/06/2024"] * 500), [], 2,
        "last_purchase could be DD/MM/YYYY or MM/DD/YYYY; "
        "say --types last_purchase=date:%d/%m/%Y",
    ),
    "unknown column": (
        retail(500), ["--id", "custmer_id"], 2,
        "no column custmer_id; did you mean customer_id?",
    ),
    "all columns left out": (
        only_leaks(), [], 3,
        "no covariate is left (3 suspected of leakage, 2 constant); see --keep",
    ),
    "strata that have another role": (
        retail(1000), ["--strata", "city", "arm"], 2,
        "--strata arm: it is the arm; name columns that decided the shares",
    ),
    "value without cost": (
        retail(500), ["--value", "30"], 2, "--value needs --cost (0 if treating is free)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_campaign(case, folder, capsys):
    frame, options, code, text = CASES[case]
    written(frame, folder / "campaign.csv")
    fails(capsys, campaign, ["campaign.csv", *options], code, text)
    assert [path.name for path in folder.iterdir()] == ["campaign.csv"]


def test_no_file(folder, capsys):
    written(retail(10), folder / "campaign.csv")
    text = "no file at campain.csv; did you mean campaign.csv?"
    fails(capsys, campaign, ["campain.csv"], 2, text)


def test_empty(folder, capsys):
    (folder / "campaign.csv").write_bytes(b"")
    fails(capsys, campaign, ["campaign.csv"], 2, "campaign.csv has no rows")


def test_not_a_table(folder, capsys):
    with zipfile.ZipFile(folder / "campaign.csv", "w") as file:
        file.writestr("xl/workbook.xml", "<a/>")
    text = "campaign.csv is not a csv or parquet file (it begins with PK); unpack or export it"
    fails(capsys, campaign, ["campaign.csv"], 2, text)


def test_ragged(folder, capsys):
    lines = retail(2000).to_csv(index=False).splitlines()
    lines[1206] += ",more"
    (folder / "campaign.csv").write_text("\n".join(lines))
    text = "line 1,207 of campaign.csv has 14 cells, the header has 13; quote commas inside cells"
    fails(capsys, campaign, ["campaign.csv"], 2, text)


def test_folder_taken(folder, capsys):
    written(retail(), folder / "campaign.csv")
    (folder / "campaign.uplift").mkdir()
    owner = folder / "campaign.uplift" / "run.json"
    owner.write_text(json.dumps({"mark": "0", "file": "of another"}))
    text = "campaign.uplift holds a run on another file; give --out DIR or --fresh"
    fails(capsys, campaign, ["campaign.csv", "--quick"], 2, text)
    assert [path.name for path in (folder / "campaign.uplift").iterdir()] == ["run.json"]


def test_no_method_could_be_fitted(folder, capsys):
    written(retail(2000), folder / "campaign.csv")
    assert campaign.main(["campaign.csv", "--methods", "oracle", "--quick", "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("error: no method could be fitted (oracle: ValueError: ")
    assert said.endswith("; try others with --methods\n")
    assert said.count("\n") == 1


def test_disk_full(folder, capsys, monkeypatch):
    written(retail(), folder / "campaign.csv")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("suite.campaign.output.claim", full)
    text = (
        "cannot write campaign.uplift (no space left); what was computed is kept, the same "
        "command goes on"
    )
    fails(capsys, campaign, ["campaign.csv", "--quick", "--out", "campaign.uplift"], 2, text)
    fails(capsys, campaign, ["campaign.csv", "--quick"], 2, text)


def test_interrupted(folder, capsys, monkeypatch):
    written(retail(), folder / "campaign.csv")

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("suite.campaign.api.run", stopped)
    assert campaign.main(["campaign.csv"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_dry_run_trains_nothing(folder, capsys):
    written(retail(), folder / "campaign.csv")
    assert campaign.main(["campaign.csv", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "outcome       bought = yes" in said
    assert max(map(len, said.splitlines())) <= 80
    assert [path.name for path in folder.iterdir()] == ["campaign.csv"]


def test_score_without_a_column(folder, capsys):
    bundle.save(model(), folder / "model.uplift")
    written(new_customers().drop(columns="has_app"), folder / "new.csv")
    text = "new.csv has no column has_app, which the model uses; it has 6 of 7"
    fails(capsys, score, ["model.uplift", "new.csv", "--out", "s.csv"], 2, text)
    assert not (folder / "s.csv").exists()


def test_score_of_another_type(folder, capsys):
    bundle.save(model(), folder / "model.uplift")
    new = new_customers()
    new.loc[16, "age"] = "forty"
    written(new, folder / "new.csv")
    text = (
        "age was a number in the campaign; in new.csv line 18 it is 'forty' "
        "(--bad-cells missing goes on)"
    )
    fails(capsys, score, ["model.uplift", "new.csv", "--out", "s.csv"], 2, text)


def test_score_as_of_no_day(folder, capsys):
    bundle.save(model(), folder / "model.uplift")
    written(new_customers(), folder / "new.csv")
    text = "--as-of 31.01.2025: say a day such as 2025-01-31"
    arguments = ["model.uplift", "new.csv", "--as-of", "31.01.2025"]
    fails(capsys, score, arguments, 2, text)


def test_damaged_bundle(folder, capsys):
    bundle.save(model(), folder / "model.uplift")
    written(new_customers(), folder / "new.csv")
    raw = bytearray((folder / "model.uplift").read_bytes())
    with zipfile.ZipFile(folder / "model.uplift") as file:
        name = file.namelist()[1]
        place = file.getinfo(name).header_offset
    raw[place + 200] ^= 1
    (folder / "model.uplift").write_bytes(raw)
    text = f"model.uplift is damaged ({name} does not match its checksum)"
    fails(capsys, score, ["model.uplift", "new.csv"], 2, text)
    (folder / "model.uplift").write_text("hello")
    fails(
        capsys, score, ["model.uplift", "new.csv"], 2, "model.uplift is not a model of this suite"
    )


def test_mistakes_of_the_command(folder, capsys):
    fails(
        capsys, score, ["model.uplift"], 2, "the following arguments are required: FILE; see --help"
    )
    text = "unrecognized arguments: --outcom bought; see --help"
    fails(capsys, campaign, ["campaign.csv", "--outcom", "bought"], 2, text)
