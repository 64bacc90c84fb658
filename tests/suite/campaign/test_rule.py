"""The rule that is kept: page, rows, scores and profit are all of the same one."""

import re
from dataclasses import replace

import numpy as np
import pytest

from suite.campaign import bundle, page
from suite.campaign.errors import UserError
from suite.cli import score
from tests.suite.campaign.inline import analysed
from tests.suite.campaign.made import small
from tests.suite.campaign.retail import written

PRICES = {"outcome": "bought", "value": "10", "cost": "0.1"}


def scored(model, frame, folder, capsys, *arguments: str) -> str:
    """What the command says that scores `frame`."""
    bundle.save(model, folder / "model.uplift")
    path = written(frame.drop(columns=["arm", "bought"]), folder / "new.csv")
    given = [str(folder / "model.uplift"), str(path), "--out", str(folder / "s.csv")]
    assert score.main([*given, *arguments]) == 0
    return capsys.readouterr().out


def cards_of(html: str) -> str:
    """The top of the page as text."""
    header = html[html.index("<header>") : html.index("</header>")]
    return re.sub(r"<[^>]+>", " ", header)


@pytest.mark.parametrize(("seed", "kept"), [(13, "nobody"), (3, "everybody")])
def test_all_or_none_is_what_is_measured_said_and_expected(seed, kept, tmp_path, capsys):
    """Single folds treat others than the rule on all customers does."""
    frame = small(seed, 1500, effect=0.0)
    result = analysed(frame, **PRICES)
    assert 0.1 < (result.findings.evidence.decisions() > 0).mean() < 0.9
    summary, all_treated = result.summary, result.findings.comparison.all_treated
    assert summary["answer"]["first"] == f"Treat {kept}."
    everybody = kept == "everybody"
    assert summary["rule"]["share"] == everybody
    assert (result.rows()["treat"] == everybody).all()
    assert (result.decide() == ("mail" if everybody else "")).all()
    expected = 1500 * all_treated.mean if everybody else 0.0
    assert f"expected profit {expected:,.0f} (" in scored(result.model, frame, tmp_path, capsys)
    other = "nobody" if everybody else "everybody"
    shown = cards_of(result.report())
    assert f"the rule against treating {other}" in shown
    assert shown.count("against") == 1
    assert f"it treats {100 * everybody}\N{NO-BREAK SPACE}%" in shown


def test_a_number_of_customers_is_another_rule_among_fewer(tmp_path, capsys):
    frame = small(n=1500)
    model = analysed(frame, **PRICES, budget="300").model
    assert "300 to treat, expected profit " in scored(model, frame, tmp_path, capsys)
    fewer = frame.iloc[:700]
    said = scored(model, fewer, tmp_path, capsys)
    assert "300 to treat, predicted profit " in said
    # the same prices once more change nothing, and others leave the budget
    assert scored(model, fewer, tmp_path, capsys, "--value", "10", "--cost", "0.1") == said
    assert "300 to treat" in scored(model, fewer, tmp_path, capsys, "--value", "9", "--cost", "0")
    assert "200 to treat" in scored(model, fewer, tmp_path, capsys, "--budget", "200")
    share = replace(model, decision=replace(model.decision, budget="20%"))
    assert "140 to treat, expected profit " in scored(share, fewer, tmp_path, capsys)


def test_decide_with_nothing_changed_is_the_decision_of_the_rows():
    result = analysed(small(n=1500), **PRICES, budget="200")
    rows = result.rows()
    decided = result.decide()
    assert decided.index.tolist() == rows["customer_id"].tolist()
    assert ((decided == "mail").to_numpy() == (rows["treat"] == 1)).all()


def test_rows_without_id_are_numbered_as_in_the_file():
    frame = small(n=1600).drop(columns="customer_id")
    gone = [2, 10, 1599]
    frame.loc[gone, "bought"] = ""
    result = analysed(frame, **PRICES, drop_missing=True)
    expected = sorted(set(range(1, 1601)) - {row + 1 for row in gone})
    rows = result.rows()
    assert rows["row"].tolist() == expected
    app = (frame["has_app"] == "yes").to_numpy()[rows["row"] - 1]
    assert rows["uplift"][app].mean() > rows["uplift"][~app].mean() + 0.15
    assert result.decide().index.tolist() == expected


def test_a_budget_is_compared_with_what_it_allows():
    result = analysed(small(n=1500), outcome="bought", budget="20%")
    answer = result.summary["answer"]
    assert answer["first"] == "Treat 20 % of customers."
    assert "against treating nobody and " in answer["second"]
    assert answer["second"].endswith("against treating the same number at random.")
    assert result.summary["rule"]["rival"] == "random"
    assert "treating everybody, which the budget does not allow" in result.report()
    blind = analysed(small(3, 1500, effect=0.0), outcome="bought", budget="20%").summary
    assert blind["answer"]["first"] in (
        "No evidence that choosing beats treating the same number at random.",
        "No evidence that choosing beats treating nobody.",
    )
    rich = analysed(small(n=1500), outcome="bought", budget="100%").summary
    assert rich["rule"]["rival"] == "everybody"


def test_without_prices_no_rule_is_shown_or_written():
    result = analysed(small(n=1500), outcome="bought")
    html = result.report()
    assert 'class="card"' not in html
    assert "the rule against" not in html
    assert ">the rule<" not in html
    assert list(result.rows().columns) == ["customer_id", "uplift"]
    with pytest.raises(UserError, match="nothing is decided without value and cost, or a budget"):
        result.decide()
    assert (result.decide(budget=0.1) != "").sum() == 150


@pytest.fixture(scope="module")
def churn():
    """Fewer leave where `small` has more buyers; who stays brings 20, who leaves 0."""
    frame = small(n=3600).rename(columns={"bought": "churned"})
    frame["churned"] = frame["churned"].map({"yes": "no", "no": "yes"})
    frame["revenue"] = np.where(frame["churned"] == "no", 20.0, 0.0)
    return frame


def test_an_outcome_to_avoid_has_its_own_sign_everywhere(churn):
    result = analysed(churn, ignore=["revenue"])
    first = result.summary["answer"]["first"]
    effect = result.summary["effects"][1]["adjusted"]["mean"]
    assert effect < 0
    assert first.startswith(f"Treating everybody changes the outcome by {100 * effect:+.2f} (")
    assert first.endswith("; fewer churned = yes is better.")
    groups = result.summary["groups"]
    assert groups[0]["predicted"] < groups[-1]["predicted"]
    assert groups[0]["observed"]["mean"] < -0.1
    assert result.rows()["uplift"].min() <= groups[0]["predicted"] < -0.1
    segments = result.summary["segments"]
    assert segments[0]["effect"]["mean"] < min(-0.1, segments[-1]["effect"]["mean"])
    (app,) = (d["direction"] for d in result.summary["drivers"] if d["column"] == "has_app")
    assert app.startswith("lowest for yes (-")
    html = page.render(result.summary)
    assert "the tenth with the lowest predictions measures -" in html
    assert "of all customers (fewer churned = yes)" in html


@pytest.mark.parametrize("cost", [None, "3"])
def test_money_is_that_of_a_customer_who_stayed(churn, cost):
    result = analysed(churn, money="revenue", cost=cost)
    assert result.summary["decision"]["value"] == 20
    assert (result.findings.evidence.terms.value == 20).all()
