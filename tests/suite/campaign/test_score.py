"""Scoring: the model's numbers in the order of the file, in any format, whole or not at all."""

import gzip
import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from suite.campaign import bundle
from suite.campaign.allocation import allocate, hashed
from suite.campaign.application import ScoreOptions
from suite.campaign.cells import Cells
from suite.campaign.columns import typed
from suite.campaign.encode import Encoder
from suite.campaign.new_rows import column_of
from suite.campaign.read import from_frame
from suite.campaign.score import score_file, score_frame
from suite.campaign.select import ALL, cut
from suite.cli import score as cli
from tests.suite.campaign.retail import model, new_customers, retail, written


def uplift_of(made, frame):
    """The model on typed columns, without any of the scoring code."""
    table, _ = from_frame(frame)
    columns = {p.name: typed(column_of(p), Cells(table[p.name]), ".") for p in made.encoder.plans}
    return made.uplift(pd.DataFrame(columns))


@pytest.fixture
def files(tmp_path):
    """A saved model, new customers, and how to score them from the command line."""
    bundle.save(model(), tmp_path / "model.uplift")
    written(new_customers(), tmp_path / "new.csv")

    def run(*arguments, file="new.csv", out="scores.csv"):
        given = [str(tmp_path / "model.uplift"), str(tmp_path / file), *arguments]
        return cli.main([*given, "--out", str(tmp_path / out)])

    return tmp_path, run


def test_scores_are_the_models_in_the_order_of_the_file(files, capsys):
    folder, run = files
    assert run() == 0
    scores, new = pd.read_csv(folder / "scores.csv"), new_customers()
    assert scores["customer_id"].tolist() == new["customer_id"].tolist()
    expected = uplift_of(model(), new)[:, 0]
    np.testing.assert_allclose(scores["uplift"], expected, rtol=0, atol=1e-12)
    assert np.array_equal(scores["treat"] == 1, 30 * expected > 1)
    net = np.where(30 * expected > 1, 30 * expected - 1, 0)
    np.testing.assert_allclose(scores["profit"], net, rtol=0, atol=1e-9)
    said = capsys.readouterr().out
    assert said.startswith(f"1,000 rows, {int(scores['treat'].sum()):,} to treat, ")
    assert "expected profit 340 (180 to 500) if these customers are like the campaign's" in said
    assert "1 unknown level in city -> (other)" in said
    assert "drift" not in said


def test_shuffled_and_additional_columns_and_small_pieces_give_the_same(files, monkeypatch):
    folder, run = files
    run()
    new = new_customers()
    shuffled = new.assign(more="x").iloc[:, np.random.default_rng(0).permutation(len(new.columns))]
    written(shuffled, folder / "shuffled.csv", sep=";")
    monkeypatch.setattr("suite.campaign.read._BLOCK", 4096)
    monkeypatch.setattr("suite.campaign.application.pieces.__defaults__", (None, 77))
    assert run(file="shuffled.csv", out="b.csv") == 0
    assert (folder / "b.csv").read_bytes() == (folder / "scores.csv").read_bytes()


def test_parquet_in_and_out_and_folders(files):
    folder, run = files
    run()
    expected = pd.read_csv(folder / "scores.csv")
    new_customers().to_parquet(folder / "new.parquet")
    run(file="new.parquet", out="s.parquet")
    pd.testing.assert_frame_equal(
        pd.read_parquet(folder / "s.parquet"), expected, check_dtype=False
    )
    new_customers().iloc[:600].to_parquet(folder / "a.parquet")
    (folder / "in").mkdir()
    new_customers().iloc[:600].to_parquet(folder / "in" / "1.parquet")
    new_customers().iloc[600:].to_parquet(folder / "in" / "2.parquet")
    assert run(file="in", out="parts") == 0
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "parts"), expected, check_dtype=False)
    assert run(file="in", out="parts") == 2  # it holds files


def test_all_columns_and_stdout(files, capfdbinary):
    folder, run = files
    run("--all-columns")
    scores = pd.read_csv(folder / "scores.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(scores.iloc[:, :-3], new_customers(), check_dtype=False)
    capfdbinary.readouterr()
    given = [str(folder / "model.uplift"), str(folder / "new.csv"), "--out", "-"]
    process = subprocess.run(
        [sys.executable, "-m", "suite", "score", *given], capture_output=True, check=True
    )
    assert len(pd.read_csv(io.BytesIO(process.stdout))) == 1000
    assert process.stderr.startswith(b"1,000 rows")


def test_csv_holds_lists_as_text_and_is_packed_if_named_so(files):
    folder, run = files
    lists = [[k] for k in range(1000)]
    new_customers().assign(list=lists, raw=b"\xff").to_parquet(folder / "new.parquet")
    assert run("--all-columns", file="new.parquet", out="s.csv.gz") == 0
    with gzip.open(folder / "s.csv.gz") as file:
        assert pd.read_csv(file)["list"].tolist() == list(map(str, lists))


@pytest.mark.parametrize("budget", ["150", "20%", "77 EUR"])
@pytest.mark.parametrize("arms", [("control", "mail"), ("control", "call", "mail")])
def test_a_budget_in_pieces_is_the_allocation_of_all_rows(budget, arms, tmp_path, monkeypatch):
    monkeypatch.setattr("suite.campaign.read._BLOCK", 4096)
    monkeypatch.setattr("suite.campaign.application.pieces.__defaults__", (None, 100))
    made, new = model(arms=arms), new_customers()
    path = written(new, tmp_path / "new.csv")
    options = ScoreOptions(out=str(tmp_path / "s.parquet"), budget=budget)
    scored = score_file(made, path, options)
    net = 30 * uplift_of(made, new) - 1
    money = budget.endswith("EUR")
    cost = np.ones_like(net)
    total = {"150": 150, "20%": 200, "77 EUR": 77}[budget]
    expected = allocate(net, cost, total, hashed(new["customer_id"], len(new), 0))
    chosen = pd.read_parquet(tmp_path / "s.parquet")["treat"]
    names = pd.Series(np.array(made.arms, object)[expected] if len(arms) > 2 else expected)
    assert chosen.tolist() == names.tolist()
    assert sum(scored.treated.values()) == (expected > 0).sum() <= total
    assert money or (expected > 0).sum() == total


def test_the_cut_is_that_of_sorting(tmp_path, monkeypatch):
    monkeypatch.setattr("suite.campaign.select.CHUNK", 50)
    rng = np.random.default_rng(0)
    slope = rng.integers(1, 6, 400) / 7.0  # many are equally steep
    steps = np.column_stack([slope, rng.random(400), rng.random(400)])
    path = tmp_path / "steps"
    steps.tofile(path)
    order = np.lexsort((steps[:, 1], -slope))
    for budget in (0.01, 3.0, 77.0, 150.0):
        expected = np.zeros(400, bool)
        expected[order[np.cumsum(steps[order, 2]) <= budget]] = True
        assert np.array_equal(cut(path, budget).takes(steps[:, 0], steps[:, 1]), expected)
    assert cut(path, 1e9) == ALL


def test_frames_are_scored_like_files(files):
    folder, run = files
    run("--budget", "20%")
    scores = score_frame(model(), new_customers(), budget="20%")
    pd.testing.assert_frame_equal(scores, pd.read_csv(folder / "scores.csv"), check_dtype=False)


def test_new_prices_change_the_rule(files, capsys):
    folder, run = files
    assert run("--value", "60", "--cost", "9") == 0
    uplift = uplift_of(model(), new_customers())[:, 0]
    treat = pd.read_csv(folder / "scores.csv")["treat"]
    assert np.array_equal(treat == 1, 60 * uplift > 9)
    assert "predicted profit" in capsys.readouterr().out


def test_dates_are_counted_back_from_the_latest_day(files, capsys):
    folder, run = files
    later = new_customers()
    later.loc[3, "last_purchase"] = "15.03.2025"
    written(later, folder / "later.csv")
    run(file="later.csv")
    assert "dates counted back from 2025-03-15" in capsys.readouterr().out
    run("--as-of", "2025-01-31", file="later.csv")
    assert "dates counted back from 2025-01-31" in capsys.readouterr().out


def test_the_decimal_sign_can_be_said(files):
    folder, run = files
    comma = new_customers().assign(spend="1,500")
    point = comma.assign(spend=comma["spend"].str.replace(",", "."))
    written(comma, folder / "comma.csv")
    written(point, folder / "point.csv")
    assert run("--decimal", "comma", file="comma.csv", out="a.csv") == 0
    assert run(file="point.csv", out="b.csv") == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_drift_is_named(files, capsys):
    folder, run = files
    old = new_customers()
    old["age"] = "80"
    written(old, folder / "old.csv")
    run(file="old.csv")
    assert "drift: age (PSI " in capsys.readouterr().out


def test_wrong_cells_can_be_missing(files, capsys):
    folder, run = files
    new = new_customers()
    new.loc[16, "age"] = "forty"
    written(new, folder / "bad.csv")
    assert run(file="bad.csv") == 2
    assert "in bad.csv line 18 it is 'forty'" in capsys.readouterr().err
    assert not (folder / "scores.csv").exists()
    assert run("--bad-cells", "missing", file="bad.csv") == 0
    new.loc[16, "age"] = ""
    scores = pd.read_csv(folder / "scores.csv")["uplift"]
    np.testing.assert_allclose(scores, uplift_of(model(), new)[:, 0], rtol=0, atol=1e-12)


def test_words_that_the_campaign_took_as_missing_are_missing(files):
    folder, run = files
    state = model().encoder.state()
    age = next(plan for plan in state["plans"] if plan["name"] == "age")
    age["missing_words"] = ("unknown",)
    made = replace(model(), encoder=Encoder.from_state(state))
    bundle.save(made, folder / "model.uplift")
    for word, name in (("unknown", "a.csv"), ("", "b.csv")):
        new = new_customers()
        new.loc[16, "age"] = word
        written(new, folder / name)
        assert run(file=name, out=f"scores.{name}") == 0
    assert (folder / "scores.a.csv").read_bytes() == (folder / "scores.b.csv").read_bytes()


def test_evaluate_compares_with_what_happened(files, capsys):
    folder, run = files
    frame = retail(4000, 9)
    written(frame, folder / "happened.csv")
    assert run(file="happened.csv") == 0
    assert "--evaluate" in capsys.readouterr().out
    assert run("--evaluate", file="happened.csv") == 0
    said = capsys.readouterr().out
    treated, bought = frame["arm"] == "mail", frame["bought"] == "yes"
    uplift = uplift_of(model(), frame)[:, 0]
    best = np.argsort(-uplift, kind="stable")[:400]
    assert f"{100 * uplift[best].mean():9.1f}" in said
    share = treated.mean()
    rates = bought[treated].mean(), bought[~treated].mean()
    psi = (
        rates[0]
        - rates[1]
        + np.where(treated, (bought - rates[0]) / share, -(bought - rates[1]) / (1 - share))
    )
    assert f"{100 * psi[best].mean():8.1f} (" in said
    earned = np.where(30 * uplift > 1, 30 * psi - 1, 0).mean()
    assert f"{earned:+.4f} (" in said


@pytest.mark.slow
def test_memory_is_flat_and_a_killed_run_leaves_nothing(tmp_path):
    """With CAMPAIGN_SCORE_ROWS=5000000: under 600 MB and 50,000 rows per CPU second as well."""
    rows = int(os.environ.get("CAMPAIGN_SCORE_ROWS", "1000000"))
    bundle.save(model(), tmp_path / "model.uplift")
    text = new_customers(20_000).to_csv(index=False)
    header, _, rest = text.partition("\n")
    with (tmp_path / "big.csv").open("w") as file:
        file.write(header + "\n")
        for _ in range(rows // 20_000):
            file.write(rest)
    arguments = ["score", "model.uplift", "big.csv", "--out", "scores.csv"]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.Popen([sys.executable, "-m", "suite", *arguments], cwd=tmp_path, env=here)
    begun = {"model.uplift", "big.csv"}
    while {path.name for path in tmp_path.iterdir()} == begun:  # until something is written
        assert killed.poll() is None
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "scores.csv").exists()
    code = "import sys, resource, suite.__main__ as m; c = m.main(sys.argv[1:]);"
    code += "r = resource.getrusage(resource.RUSAGE_SELF);"
    code += "print(c, r.ru_maxrss, r.ru_utime + r.ru_stime)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env=here,
        capture_output=True,
        text=True,
        check=True,
    )
    code, memory, seconds = done.stdout.splitlines()[-1].split()
    speed = rows / float(seconds)
    print(f"{rows:,} rows: {int(memory) / 1024:.0f} MB, {speed:,.0f} rows per CPU second")
    assert code == "0"
    assert int(memory) < 600 * 1024  # kB
    assert speed >= 50_000
    assert sum(1 for _ in (tmp_path / "scores.csv").open("rb")) == rows + 1
