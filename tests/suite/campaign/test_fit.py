"""From a small table to answer, page, model: one run, looked at from all sides."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import suite.campaign
from suite.campaign import bundle
from suite.campaign.errors import UserError
from tests.suite.campaign.made import small

OPTIONS = {
    "outcome": "bought",
    "value": 10,
    "cost": 0.5,
    "methods": ("r-lasso", "oracle"),
    "folds": 3,
    "time": "1h",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("run") / "campaign.uplift"


@pytest.fixture(scope="module")
def result(folder):
    return suite.campaign.fit(small(), out=folder, **OPTIONS)


def test_answer_is_the_truth_that_was_drawn(result):
    """Those with the app gain 25 points, worth 2.5 each; half of the customers have it."""
    summary = result.summary
    assert summary["answer"]["kind"] == "some"
    assert summary["tells_apart"]["yes"]
    assert 0.4 < summary["rule"]["share"] < 0.6
    profit = summary["rule"]["against"]["nobody"]
    assert profit["low"] <= 0.5 * (10 * 0.25 - 0.5) <= profit["high"]
    treated = result.rows()["treat"] == 1
    assert (small().has_app[treated] == "yes").mean() > 0.95
    assert summary["drivers"][0]["column"] == "has_app"
    assert summary["segments"][0]["rule"].startswith("has_app = yes")
    assert summary["chosen_method"] == "r-lasso"


def test_a_method_that_cannot_be_used_is_a_line_not_an_end(result):
    assert list(result.summary["failed"]) == ["oracle"]
    assert "oracle failed" in result.report()


class Page(HTMLParser):
    """Tags and attributes, and whether what is opened is closed."""

    EMPTY = frozenset(("meta", "line", "polyline", "polygon", "circle", "rect"))

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_stands_alone_and_escapes_names(result, folder):
    html = (folder / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(html)
    assert not page.open
    names = [tag for tag, _ in page.tags]
    assert "script" not in names
    assert "img" not in names
    assert not any({"src", "href", "onerror", "onload"} & set(attrs) for _, attrs in page.tags)
    assert "&lt;img onerror=x&gt;" in html
    assert "default-src 'none'" in html
    assert len(html.encode()) < 1_500_000
    assert names.count("svg") == html.count("<svg") == len(re.findall(r"<svg[^>]*><title>.", html))
    assert names.count("svg") == 6  # one method has no other to be compared with


def test_numbers_of_the_first_screen_are_in_the_summary(result, folder):
    html = (folder / "report.html").read_text(encoding="utf-8")
    header = html[html.index("<header>") : html.index("</header>")]
    shown = re.findall(r"[+-]?\d[\d,]*\.\d+", re.sub(r"<[^>]+>", " ", header))
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    against = summary["rule"]["against"]
    known = [e[k] for e in against.values() for k in ("mean", "low", "high")]
    assert len(shown) >= 9
    for text in shown:
        value, digits = float(text.replace(",", "")), len(text.rpartition(".")[2])
        assert any(abs(value - round(k, digits)) < 1e-9 for k in known), text


def test_resuming_computes_nothing_and_says_the_same(result, folder):
    written = {p: p.stat().st_mtime_ns for p in (folder / "units").glob("*.npz")}
    again = suite.campaign.fit(small(), out=folder, jobs=2, **OPTIONS)
    assert {p: p.stat().st_mtime_ns for p in (folder / "units").glob("*.npz")} == written
    first, second = dict(result.summary), dict(again.summary)
    first.pop("this_run")
    second.pop("this_run")
    assert first == second


def test_folder_of_another_question_is_refused(result, folder):
    with pytest.raises(UserError, match="holds a run on other options; give --out DIR or --fresh"):
        suite.campaign.fit(small(), out=folder, **{**OPTIONS, "cost": 1})
    with pytest.raises(UserError, match="another file"):
        suite.campaign.fit(small(seed=1), out=folder, **OPTIONS)


def test_bundle_predicts_as_the_model(result, folder):
    model = bundle.load(folder / "model.uplift")
    frame = result.findings.campaign.frame
    assert np.allclose(model.uplift(frame), result.model.uplift(frame), atol=1e-12, rtol=0)
    assert model.decision.rule == "net"


def test_new_customers_are_scored_as_the_campaigns_rule_says(result):
    new = small(seed=5).drop(columns=["arm", "bought"])
    scored = result.score(new)
    assert scored["customer_id"].tolist() == new["customer_id"].tolist()
    assert (scored["treat"] == (10 * scored["uplift"] > 0.5)).all()
    assert (result.score(new, budget="100")["treat"] == 1).sum() == 100


def test_decide_with_other_terms(result):
    assert (result.decide(budget=0.1) != "").sum() == 450
    assert (result.decide(cost=100) != "").sum() == 0
    with pytest.raises(UserError, match="give a share"):
        result.decide(budget=5000)
    assert "<iframe" in result._repr_html_()


def test_unknown_option_is_named():
    with pytest.raises(TypeError, match="fit has no option 'metods'"):
        suite.campaign.fit(small(), outcome="bought", metods=("r-lasso",))
